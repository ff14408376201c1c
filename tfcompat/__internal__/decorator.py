"""`tf.__internal__.decorator`: functions in wrappers."""

from tfcompat._keras.decorator import make_decorator, unwrap

__all__ = ["make_decorator", "unwrap"]
