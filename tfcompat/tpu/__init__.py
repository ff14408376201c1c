"""`tf.tpu`: the initialisation of TPUs, and options for them."""

import sys as _sys
import typing as _typing

from tfcompat._distribute.run_options import XLAOptions
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat.tpu import experimental

__all__ = ["XLAOptions", "experimental"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)

_publish(_sys.modules[__name__])
