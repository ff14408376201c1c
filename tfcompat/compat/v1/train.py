"""`tf.compat.v1.train`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat._data.format.message import with_messages as _with_messages
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.absence import directory as _directory
from tfcompat._first_version.collection import (
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from tfcompat._first_version.decay import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noisy_linear_cosine_decay,
    piecewise_constant,
    polynomial_decay,
)
from tfcompat._first_version.decay import (
    piecewise_constant as piecewise_constant_decay,
)
from tfcompat._saved.management import CheckpointManager
from tfcompat._saved.moving_average import ExponentialMovingAverage
from tfcompat._saved.options import CheckpointOptions
from tfcompat._saved.reading import list_variables, load_checkpoint, load_variable
from tfcompat._saved.reading import new_checkpoint_reader as NewCheckpointReader
from tfcompat._saved.state_file import checkpoint_exists, get_checkpoint_state, latest_checkpoint
from tfcompat._saved.waiting import checkpoints_iterator
from tfcompat._summary.message import summary_iterator
from tfcompat.train import experimental

__all__ = [
    "BytesList",
    "CheckpointManager",
    "CheckpointOptions",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "NewCheckpointReader",
    "SequenceExample",
    "checkpoint_exists",
    "checkpoints_iterator",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "experimental",
    "exponential_decay",
    "get_checkpoint_state",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "inverse_time_decay",
    "latest_checkpoint",
    "linear_cosine_decay",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "natural_exp_decay",
    "noisy_linear_cosine_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "summary_iterator",
]

if _typing.TYPE_CHECKING:
    from tfcompat.train import (
        BytesList,
        Example,
        Feature,
        FeatureList,
        FeatureLists,
        Features,
        FloatList,
        Int64List,
        SequenceExample,
    )
else:
    __getattr__, __dir__ = _with_messages(__name__, _absence(__name__)), _directory(__name__)
