"""`tf.autodiff`: gradients."""

import typing as _typing

from tfcompat._autodiff.forward import ForwardAccumulator
from tfcompat._autodiff.tape import GradientTape
from tfcompat._dropin.absence import absence as _absence

__all__ = ["ForwardAccumulator", "GradientTape"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
