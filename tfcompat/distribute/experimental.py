"""`tf.distribute.experimental`: older names of strategies, and the context of functions of values."""

import typing as _typing

from tfcompat._distribute.central_storage import CentralStorageStrategy
from tfcompat._distribute.communication import (
    CollectiveHints,
    CommunicationImplementation,
    CommunicationOptions,
)
from tfcompat._distribute.communication import CommunicationImplementation as CollectiveCommunication
from tfcompat._distribute.input import ValueContext
from tfcompat._distribute.later import ParameterServerStrategy
from tfcompat._distribute.multi_worker import FirstMultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tfcompat._distribute.tpu import FirstTPUStrategy as TPUStrategy
from tfcompat._dropin.absence import absence as _absence

__all__ = [
    "CentralStorageStrategy",
    "CollectiveCommunication",
    "CollectiveHints",
    "CommunicationImplementation",
    "CommunicationOptions",
    "MultiWorkerMirroredStrategy",
    "ParameterServerStrategy",
    "TPUStrategy",
    "ValueContext",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
