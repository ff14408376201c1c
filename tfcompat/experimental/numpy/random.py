"""`tf.experimental.numpy.random`: NumPy's random numbers."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._random.numpy_random import poisson, rand, randint, randn, random, seed, standard_normal, uniform

__all__ = ["poisson", "rand", "randint", "randn", "random", "seed", "standard_normal", "uniform"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
