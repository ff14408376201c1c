"""`tf.sparse`: tensors of which only the elements that are not zero are told."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.sparse.tensor import SparseTensor

__all__ = ["SparseTensor"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
