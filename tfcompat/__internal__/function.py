"""`tf.__internal__.function`: the class of traced functions."""

from tfcompat._function.functions.public_type import PolymorphicFunction as Function

__all__ = ["Function"]
