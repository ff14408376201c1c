"""Linear operators: matrices with structure, defined by their products."""
