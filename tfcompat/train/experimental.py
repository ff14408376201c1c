"""`tf.train.experimental`: Python objects in checkpoints, and the data files of checkpoints."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._saved.python_state import PythonState
from tfcompat._saved.shard_size import MaxShardSizePolicy
from tfcompat._saved.sharding import ShardableTensor, ShardByTaskPolicy, ShardingCallback

__all__ = ["MaxShardSizePolicy", "PythonState", "ShardByTaskPolicy", "ShardableTensor", "ShardingCallback"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
