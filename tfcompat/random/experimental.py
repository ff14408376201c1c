"""`tf.random.experimental`: random numbers under their older names."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.random import fold_in as stateless_fold_in
from tfcompat._ops.random import split as stateless_split

__all__ = ["stateless_fold_in", "stateless_split"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
