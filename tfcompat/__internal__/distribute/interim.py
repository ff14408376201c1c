"""`tf.__internal__.distribute.interim`: updates of variables in all replicas."""

from tfcompat._distribute.default_strategy import maybe_merge_call

__all__ = ["maybe_merge_call"]
