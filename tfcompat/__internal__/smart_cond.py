"""`tf.__internal__.smart_cond`: conditions that may be known while a function is traced."""

from tfcompat._keras.smart_cond import smart_cond

__all__ = ["smart_cond"]
