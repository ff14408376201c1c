"""Linear operators: matrices known by what they do."""
