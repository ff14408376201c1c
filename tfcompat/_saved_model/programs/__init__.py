"""Functions of arrays as programs in StableHLO, and functions that take turns with the host."""
