"""`tf.__internal__.ops`: what libraries ask of variables, and weights of metrics."""

from tfcompat._keras.behaviour import is_resource_variable
from tfcompat._keras.weighting import broadcast_weights

__all__ = ["broadcast_weights", "is_resource_variable"]
