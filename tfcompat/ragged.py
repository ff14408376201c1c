"""`tf.ragged`: tensors whose rows have different lengths."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.ragged.constant import constant

__all__ = ["constant"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
