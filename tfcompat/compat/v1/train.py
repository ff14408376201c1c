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

__all__ = [
    "BytesList",
    "Example",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "SequenceExample",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "exponential_decay",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "inverse_time_decay",
    "linear_cosine_decay",
    "natural_exp_decay",
    "noisy_linear_cosine_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
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
