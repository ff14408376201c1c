"""The computation of recorded steps: by compiled programs for exact or padded sizes, or one op after another."""
