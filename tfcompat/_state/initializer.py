"""Initializers: objects that compute a variable's first value from its shape."""

from __future__ import annotations

import math
from typing import Any, Self

from tfcompat._core.calls.convert import constant
from tfcompat._core.types.dtype import as_dtype, float32
from tfcompat._ops.array.creation import ones, zeros
from tfcompat._ops.random.stream import stateless_normal, stateless_uniform
from tfcompat._random.random import normal, uniform

# The standard deviation of a normal distribution truncated at two of its standard deviations.
CUT = 0.87962566103423978

_PARTITION = ("partition_shape", "partition_offset")


class Initializer:
    """The interface of all initializers: conversion to and from a dictionary of arguments."""

    def get_config(self) -> dict[str, Any]:
        """The arguments of the initializer."""
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The initializer with the arguments `config`."""
        return cls(**{key: value for key, value in config.items() if key != "dtype"})


def _shape(shape: Any, keywords: dict[str, Any]) -> Any:
    """The shape to fill: that of the variable, or of the requested part of it."""
    unknown = set(keywords) - set(_PARTITION)
    if unknown:
        raise TypeError(f"an initializer takes the keywords {', '.join(_PARTITION)}; got {', '.join(sorted(unknown))}.")
    return keywords.get("partition_shape") or shape


def _require_numeric(name: str, dtype: Any) -> None:
    if not (dtype.is_floating or dtype.is_integer or dtype.is_complex or dtype.is_bool):
        raise ValueError(f"tf.{name}: dtype must be numeric or boolean, got {dtype.name}.")


class Zeros(Initializer):
    """Fills with 0.

    Source: TF 2.21 `tf.zeros_initializer`.
    """

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Zeros of `shape` and `dtype`."""
        wanted = as_dtype(dtype)
        _require_numeric("zeros_initializer", wanted)
        return zeros(_shape(shape, kwargs), wanted)


class Ones(Initializer):
    """Fills with 1.

    Source: TF 2.21 `tf.ones_initializer`.
    """

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Ones of `shape` and `dtype`."""
        wanted = as_dtype(dtype)
        _require_numeric("ones_initializer", wanted)
        return ones(_shape(shape, kwargs), wanted)


class Constant(Initializer):
    """Fills with `value`, a scalar, or a list or array with as many elements.

    Source: TF 2.21 `tf.constant_initializer`.
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if support_partition:
            raise NotImplementedError(
                "tf.constant_initializer: support_partition=True is not supported; use an initializer for each part."
            )
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """A constant of `shape`; its dtype is that of the value unless `dtype` is given."""
        return constant(self.value, None if dtype is None else as_dtype(dtype), _shape(shape, kwargs))


class RandomUniform(Initializer):
    """Fills with uniform numbers in [`minval`, `maxval`), the same at every call if there is a `seed`.

    Source: TF 2.21 `tf.random_uniform_initializer`.
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Uniform numbers of `shape`; `dtype` is floating or int32, int64."""
        wanted = as_dtype(dtype)
        if not (wanted.is_floating or wanted.is_integer):
            raise ValueError(f"tf.random_uniform_initializer: dtype must be numeric, got {wanted.name}.")
        dims = _shape(shape, kwargs)
        if self.seed is None:
            return uniform(dims, self.minval, self.maxval, wanted)
        return stateless_uniform(dims, (self.seed, 0), self.minval, self.maxval, wanted)


class RandomNormal(Initializer):
    """Fills with normal numbers with `mean` and `stddev`, the same at every call if there is a `seed`.

    Source: TF 2.21 `tf.random_normal_initializer`.
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Normal numbers of `shape` and of the floating `dtype`."""
        wanted = as_dtype(dtype)
        if not wanted.is_floating:
            raise ValueError(f"tf.random_normal_initializer: dtype must be floating, got {wanted.name}.")
        dims = _shape(shape, kwargs)
        if self.seed is None:
            return normal(dims, self.mean, self.stddev, wanted)
        return stateless_normal(dims, (self.seed, 0), self.mean, self.stddev, wanted)


def fans(dims: tuple[int, ...]) -> tuple[float, float]:
    """The numbers of inputs and outputs of weights of shape `dims`."""
    if len(dims) < 2:
        count = float(dims[0]) if dims else 1.0
        return count, count
    field = math.prod(dims[:-2])
    return float(dims[-2] * field), float(dims[-1] * field)
