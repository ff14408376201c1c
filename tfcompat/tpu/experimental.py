"""`tf.tpu.experimental`: the initialisation of TPUs, and their features."""

import sys as _sys
import typing as _typing

from tfcompat._distribute.cluster import initialize_tpu_system
from tfcompat._distribute.hardware_feature import HardwareFeature
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish

__all__ = ["HardwareFeature", "initialize_tpu_system"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)

_publish(_sys.modules[__name__])
