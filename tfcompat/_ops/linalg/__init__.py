"""Linear algebra: systems, factors and functions of matrices."""
