"""Linear operators. Importing a part of this package also adapts the functions of `tf.linalg` to operators."""

from tfcompat._linear_operator import handling

__all__ = ["handling"]
