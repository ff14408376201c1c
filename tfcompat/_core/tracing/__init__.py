"""The trace: it records steps, decides when they are computed, and binds the results."""
