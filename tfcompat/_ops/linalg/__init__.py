"""Linear algebra: linear systems, decompositions and matrix functions."""
