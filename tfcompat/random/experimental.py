"""`tf.random.experimental`: random numbers under their older names."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.random.algorithm import Algorithm
from tfcompat._ops.random.index_shuffle import index_shuffle
from tfcompat._ops.random.stream import fold_in as stateless_fold_in
from tfcompat._ops.random.stream import split as stateless_split
from tfcompat._ops.random.stream import stateless_shuffle
from tfcompat._state.generator import Generator, create_rng_state, get_global_generator, set_global_generator

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "index_shuffle",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
