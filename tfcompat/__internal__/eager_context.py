"""`tf.__internal__.eager_context`: eager execution as a context."""

from tfcompat._keras.behaviour import eager_mode

__all__ = ["eager_mode"]
