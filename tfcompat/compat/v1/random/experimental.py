"""`tf.compat.v1.random.experimental`: what of it still means something."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat.random import Algorithm, Generator, create_rng_state, get_global_generator, set_global_generator
from tfcompat.random.experimental import index_shuffle, stateless_fold_in, stateless_shuffle, stateless_split

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
