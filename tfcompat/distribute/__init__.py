"""`tf.distribute`: strategies."""

import sys as _sys
import typing as _typing

from tfcompat._distribute.cross_device import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    NcclAllReduce,
    ReductionToOneDevice,
)
from tfcompat._distribute.default_strategy import (
    experimental_set_strategy,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from tfcompat._distribute.extended import StrategyExtended
from tfcompat._distribute.input import (
    DistributedDataset,
    DistributedIterator,
    InputContext,
    InputOptions,
    InputReplicationMode,
)
from tfcompat._distribute.later import ParameterServerStrategy
from tfcompat._distribute.mirrored import MirroredStrategy
from tfcompat._distribute.multi_worker import MultiWorkerMirroredStrategy
from tfcompat._distribute.one_device import OneDeviceStrategy
from tfcompat._distribute.reduction import ReduceOp
from tfcompat._distribute.replica_context import ReplicaContext
from tfcompat._distribute.run_options import RunOptions
from tfcompat._distribute.strategy import Strategy
from tfcompat._distribute.tpu import TPUStrategy
from tfcompat._distribute.values import DistributedValues
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat.distribute import cluster_resolver, experimental

__all__ = [
    "CrossDeviceOps",
    "DistributedDataset",
    "DistributedIterator",
    "DistributedValues",
    "HierarchicalCopyAllReduce",
    "InputContext",
    "InputOptions",
    "InputReplicationMode",
    "MirroredStrategy",
    "MultiWorkerMirroredStrategy",
    "NcclAllReduce",
    "OneDeviceStrategy",
    "ParameterServerStrategy",
    "ReduceOp",
    "ReductionToOneDevice",
    "ReplicaContext",
    "RunOptions",
    "Strategy",
    "StrategyExtended",
    "TPUStrategy",
    "cluster_resolver",
    "experimental",
    "experimental_set_strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
