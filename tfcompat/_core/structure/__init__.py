"""Recordings and tensors: the tree of recorded steps, the values that are not part of it, the outcomes of checks."""
