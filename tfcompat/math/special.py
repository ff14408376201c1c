"""`tf.math.special`: special functions."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.special import bessel_i0, bessel_i0e, bessel_i1, bessel_i1e

__all__ = ["bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
