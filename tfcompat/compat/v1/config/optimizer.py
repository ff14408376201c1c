"""`tf.compat.v1.config.optimizer`: what of it still means something."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat.config.optimizer import get_experimental_options, get_jit, set_experimental_options, set_jit

__all__ = ["get_experimental_options", "get_jit", "set_experimental_options", "set_jit"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
