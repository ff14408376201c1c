"""`tf.compat.v1.autograph`: what of it still means something."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat.autograph import set_verbosity, trace
from tfcompat.compat.v1.autograph import experimental

__all__ = ["experimental", "set_verbosity", "trace"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
