"""`tf.compat.v1.random`: what of it still means something."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._first_version.behaviour import get_seed
from tfcompat._first_version.random import multinomial, poisson, stateless_multinomial
from tfcompat._random.seed import set_seed as set_random_seed
from tfcompat.compat.v1.random import experimental
from tfcompat.nn import all_candidate_sampler, fixed_unigram_candidate_sampler
from tfcompat.random import (
    Algorithm,
    Generator,
    categorical,
    create_rng_state,
    fold_in,
    gamma,
    get_global_generator,
    log_uniform_candidate_sampler,
    normal,
    set_global_generator,
    shuffle,
    split,
    stateless_binomial,
    stateless_categorical,
    stateless_gamma,
    stateless_normal,
    stateless_parameterized_truncated_normal,
    stateless_poisson,
    stateless_truncated_normal,
    stateless_uniform,
    truncated_normal,
    uniform,
    uniform_candidate_sampler,
)

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
    "get_seed",
    "log_uniform_candidate_sampler",
    "multinomial",
    "normal",
    "poisson",
    "set_global_generator",
    "set_random_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_multinomial",
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
