"""`tf.nn.experimental`: layers."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.random.dropout import general_dropout, stateless_dropout

__all__ = ["general_dropout", "stateless_dropout"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
