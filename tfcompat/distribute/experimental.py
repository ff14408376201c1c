"""`tf.distribute.experimental`: older names of strategies, and the context of functions of values."""

import typing as _typing

from tfcompat._distribute.input import ValueContext
from tfcompat._distribute.later import CentralStorageStrategy, MultiWorkerMirroredStrategy, ParameterServerStrategy
from tfcompat._distribute.tpu import TPUStrategy
from tfcompat._dropin.absence import absence as _absence

__all__ = [
    "CentralStorageStrategy",
    "MultiWorkerMirroredStrategy",
    "ParameterServerStrategy",
    "TPUStrategy",
    "ValueContext",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
