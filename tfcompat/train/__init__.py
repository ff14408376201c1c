"""`tf.train`: checkpoints, and the messages in files of records."""

import sys as _sys
import typing as _typing

from tfcompat._data.format.message import with_messages as _with_messages
from tfcompat._distribute.cluster_spec import ClusterSpec
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.absence import directory as _directory
from tfcompat._dropin.publication import publish as _publish
from tfcompat._saved.checkpoint import Checkpoint
from tfcompat._saved.checkpoint_view import CheckpointView
from tfcompat._saved.management import CheckpointManager
from tfcompat._saved.moving_average import ExponentialMovingAverage
from tfcompat._saved.object_view import TrackableView
from tfcompat._saved.options import CheckpointOptions
from tfcompat._saved.reading import list_variables, load_checkpoint, load_variable
from tfcompat._saved.state_file import get_checkpoint_state, latest_checkpoint
from tfcompat._saved.waiting import checkpoints_iterator
from tfcompat.train import experimental

__all__ = [
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "CheckpointView",
    "ClusterSpec",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "SequenceExample",
    "TrackableView",
    "checkpoints_iterator",
    "experimental",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]

_publish(_sys.modules[__name__])

if _typing.TYPE_CHECKING:
    BytesList: _typing.Any
    Example: _typing.Any
    Feature: _typing.Any
    FeatureList: _typing.Any
    FeatureLists: _typing.Any
    Features: _typing.Any
    FloatList: _typing.Any
    Int64List: _typing.Any
    SequenceExample: _typing.Any
else:
    __getattr__, __dir__ = _with_messages(__name__, _absence(__name__)), _directory(__name__)
