"""`tf.__internal__.ops`: what libraries ask of variables."""

from tfcompat._keras.behaviour import is_resource_variable

__all__ = ["is_resource_variable"]
