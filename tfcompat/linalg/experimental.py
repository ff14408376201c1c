"""`tf.linalg.experimental`: linear systems without a matrix."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._linear_operator.conjugate_gradient import conjugate_gradient

__all__ = ["conjugate_gradient"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
