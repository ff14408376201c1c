"""`tf.xla.experimental`: compilation."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.xla import compile, jit_scope

__all__ = ["compile", "jit_scope"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
