"""`tf.tpu.experimental`: the initialisation of TPUs."""

import typing as _typing

from tfcompat._distribute.cluster import initialize_tpu_system
from tfcompat._distribute.hardware_feature import HardwareFeature
from tfcompat._dropin.absence import absence as _absence

__all__ = ["HardwareFeature", "initialize_tpu_system"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
