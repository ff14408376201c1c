"""`tf.__internal__.autograph`: AutoGraph for the functions that users give to libraries."""

from tfcompat._keras.control_status import control_status_ctx, tf_convert

__all__ = ["control_status_ctx", "tf_convert"]
