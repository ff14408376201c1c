"""`tf.compat.v1.initializers`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._first_version.assignment import (
    global_variables_initializer as global_variables,
)
from tfcompat._first_version.assignment import (
    local_variables_initializer as local_variables,
)
from tfcompat._first_version.assignment import (
    tables_initializer,
)
from tfcompat._first_version.assignment import (
    variables_initializer as variables,
)
from tfcompat._first_version.initializer import (
    Constant as constant,
)
from tfcompat._first_version.initializer import (
    GlorotNormal as glorot_normal,
)
from tfcompat._first_version.initializer import (
    GlorotUniform as glorot_uniform,
)
from tfcompat._first_version.initializer import (
    Identity as identity,
)
from tfcompat._first_version.initializer import (
    Ones as ones,
)
from tfcompat._first_version.initializer import (
    Orthogonal as orthogonal,
)
from tfcompat._first_version.initializer import (
    RandomNormal as random_normal,
)
from tfcompat._first_version.initializer import (
    RandomUniform as random_uniform,
)
from tfcompat._first_version.initializer import (
    TruncatedNormal as truncated_normal,
)
from tfcompat._first_version.initializer import (
    VarianceScaling as variance_scaling,
)
from tfcompat._first_version.initializer import (
    Zeros as zeros,
)
from tfcompat._first_version.initializer import (
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)

__all__ = [
    "constant",
    "global_variables",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "local_variables",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "tables_initializer",
    "truncated_normal",
    "variables",
    "variance_scaling",
    "zeros",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
