"""`tf.compat`: TensorFlow 2 under its longer name."""

import typing as _typing

import tfcompat as v2
from tfcompat._dropin.absence import absence as _absence

__all__ = ["v2"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
