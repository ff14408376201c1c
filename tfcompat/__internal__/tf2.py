"""`tf.__internal__.tf2`: whether TensorFlow 2's behaviour is on."""

from tfcompat._keras.behaviour import enabled

__all__ = ["enabled"]
