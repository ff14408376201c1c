"""`tf.random`: random numbers."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.random.algorithm import Algorithm
from tfcompat._ops.random.binomial import stateless_binomial
from tfcompat._ops.random.bounded_normal import stateless_parameterized_truncated_normal
from tfcompat._ops.random.gamma import stateless_gamma
from tfcompat._ops.random.poisson import stateless_poisson
from tfcompat._ops.random.stream import (
    fold_in,
    split,
    stateless_categorical,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)
from tfcompat._random.candidate import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from tfcompat._random.random import categorical, gamma, normal, poisson, shuffle, truncated_normal, uniform
from tfcompat._random.seed import set_seed
from tfcompat._state.generator import Generator, create_rng_state, get_global_generator, set_global_generator
from tfcompat.random import experimental

__all__ = [
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "categorical",
    "create_rng_state",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "log_uniform_candidate_sampler",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_parameterized_truncated_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
