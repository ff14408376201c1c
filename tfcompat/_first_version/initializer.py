"""Initializers of TensorFlow 1: they hold a dtype, and continue the stream of their seed at every call."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import constant
from tfcompat._core.calls.declare import Array, Number, op
from tfcompat._core.types.dtype import INEXACT, as_dtype, float32
from tfcompat._core.types.shape import TensorShape
from tfcompat._ops.array.creation import eye, ones, zeros
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.elementwise.algebraic import multiply
from tfcompat._random.random import normal, truncated_normal, uniform
from tfcompat._state.initializer import CUT, fans
from tfcompat._state.initializer import Initializer as _Initializer


class Initializer(_Initializer):
    """The base of these initializers: a default dtype for their calls.

    Source: TF 2.21 `tf.compat.v1.keras.initializers.Initializer`.
    """

    dtype: Any = float32

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer."""
        return vars(self) | {"dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The initializer with the arguments `config`."""
        return cls(**config)

    def _dtype(self, dtype: Any) -> Any:
        return self.dtype if dtype is None else as_dtype(dtype)


class Zeros(Initializer):
    """Fills with 0. Source: TF 2.21 `tf.compat.v1.zeros_initializer`."""

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Zeros of `shape`."""
        _require_whole(partition_info)
        return zeros(shape, self._dtype(dtype))


class Ones(Initializer):
    """Fills with 1. Source: TF 2.21 `tf.compat.v1.ones_initializer`."""

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Ones of `shape`."""
        _require_whole(partition_info)
        return ones(shape, self._dtype(dtype))


class Constant(Initializer):
    """Fills with `value`; the last element of a list that is too short is repeated.

    Source: TF 2.21 `tf.compat.v1.constant_initializer`.
    """

    def __init__(self, value: Any = 0, dtype: Any = float32, verify_shape: bool = False) -> None:
        self.value = value
        self.dtype = as_dtype(dtype)
        self.verify_shape = verify_shape

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer."""
        return {"value": self.value, "dtype": self.dtype.name}

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, verify_shape: bool | None = None
    ) -> Any:
        """A constant of `shape`. Raises TypeError if `verify_shape` and the value has another shape."""
        _require_whole(partition_info)
        array = np.asarray(self.value)
        wanted = _dims(shape)
        if (self.verify_shape if verify_shape is None else verify_shape) and array.shape != wanted:
            raise TypeError(f"Expected Tensor's shape: {wanted}, got {array.shape}.")
        return constant(self.value, self._dtype(dtype), shape)


class RandomUniform(Initializer):
    """Fills with uniform numbers. Source: TF 2.21 `tf.compat.v1.random_uniform_initializer`."""

    def __init__(self, minval: Any = 0.0, maxval: Any = None, seed: int | None = None, dtype: Any = float32) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Uniform numbers of `shape`."""
        _require_whole(partition_info)
        return uniform(shape, self.minval, self.maxval, self._dtype(dtype), self.seed)


class RandomNormal(Initializer):
    """Fills with normal numbers. Source: TF 2.21 `tf.compat.v1.random_normal_initializer`."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Normal numbers of `shape`."""
        _require_whole(partition_info)
        return normal(shape, self.mean, self.stddev, self._dtype(dtype), self.seed)


class TruncatedNormal(RandomNormal):
    """Fills with normal numbers within two deviations. Source: TF 2.21 `tf.compat.v1.truncated_normal_initializer`."""

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Normal numbers of `shape`."""
        _require_whole(partition_info)
        return truncated_normal(shape, self.mean, self.stddev, self._dtype(dtype), self.seed)


class VarianceScaling(Initializer):
    """Fills with numbers whose variance is `scale` over the number of inputs, of outputs, or the mean of both.

    Raises: ValueError unless `scale` is positive, `mode` one of fan_in, fan_out, fan_avg, and `distribution` uniform,
      truncated_normal (or normal) or untruncated_normal.
    Source: TF 2.21 `tf.compat.v1.variance_scaling_initializer`.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        if distribution.lower() not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"Argument `distribution` should be uniform, ..._normal. Received: {distribution}")
        self.scale = scale
        self.mode = mode
        self.distribution = distribution.lower()
        self.seed = seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Numbers of `shape`."""
        _require_whole(partition_info)
        inputs, outputs = fans(_dims(shape))
        count = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2.0}[self.mode]
        variance = self.scale / max(1.0, count)
        wanted = self._dtype(dtype)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return uniform(shape, -limit, limit, wanted, self.seed)
        if self.distribution == "untruncated_normal":
            return normal(shape, 0.0, math.sqrt(variance), wanted, self.seed)
        return truncated_normal(shape, 0.0, math.sqrt(variance) / CUT, wanted, self.seed)


class GlorotUniform(VarianceScaling):
    """`VarianceScaling` by inputs and outputs, uniform. Source: TF 2.21 `tf.compat.v1.glorot_uniform_initializer`."""

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    """`VarianceScaling` by inputs and outputs, normal. Source: TF 2.21 `tf.compat.v1.glorot_normal_initializer`."""

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer."""
        return {"seed": self.seed, "dtype": self.dtype.name}


def he_normal(seed: int | None = None) -> VarianceScaling:
    """`VarianceScaling` by inputs with scale 2, normal, with `seed`.

    Source: TF 2.21 `tf.compat.v1.initializers.he_normal`.
    """
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """`VarianceScaling` by inputs with scale 2, uniform, with `seed`.

    Source: TF 2.21 `tf.compat.v1.initializers.he_uniform`.
    """
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """`VarianceScaling` by inputs, normal, with `seed`.

    Source: TF 2.21 `tf.compat.v1.initializers.lecun_normal`.
    """
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """`VarianceScaling` by inputs, uniform, with `seed`.

    Source: TF 2.21 `tf.compat.v1.initializers.lecun_uniform`.
    """
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


class Identity(Initializer):
    """Fills a matrix with `gain` on its diagonal. Source: TF 2.21 `tf.compat.v1.initializers.identity`."""

    def __init__(self, gain: float = 1.0, dtype: Any = float32) -> None:
        self.gain = gain
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """A matrix of `shape`. Raises ValueError unless the rank is 2."""
        _require_whole(partition_info)
        dims = _dims(shape)
        if len(dims) != 2:
            raise ValueError(f"tf.compat.v1.initializers: the shape must have at least two dimensions, got {dims}.")
        matrix = eye(*dims, dtype=self._dtype(dtype))
        return matrix if self.gain == 1.0 else multiply(matrix, self.gain)


@op("compat.v1.orthogonal_initializer", dtypes=INEXACT, differentiable=False)
def _orthogonal(drawn: Array, gain: Number, is_wide: bool) -> Array:
    """The orthogonal factor of `drawn`, with the signs of the diagonal of the triangular factor."""
    factor, rest = jnp.linalg.qr(drawn)
    factor = factor * jnp.sign(jnp.diagonal(rest))
    return gain * (factor.T if is_wide else factor)


class Orthogonal(Initializer):
    """Fills with a matrix whose rows or columns are orthogonal, reshaped to the shape.

    Source: TF 2.21 `tf.compat.v1.orthogonal_initializer`.
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        self.gain = gain
        self.seed = seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Numbers of `shape`. Raises ValueError for a rank below 2."""
        _require_whole(partition_info)
        dims = _dims(shape)
        if len(dims) < 2:
            raise ValueError(f"tf.compat.v1.initializers: the shape must have at least two dimensions, got {dims}.")
        rows, columns = math.prod(dims[:-1]), dims[-1]
        drawn = normal((max(rows, columns), min(rows, columns)), 0.0, 1.0, self._dtype(dtype), self.seed)
        return reshape(_orthogonal(drawn, self.gain, rows < columns), dims)


def _dims(shape: Any) -> tuple[int, ...]:
    dims: Any = TensorShape(shape).as_list()
    return tuple(dims)


def _floating(dtype: Any) -> Any:
    found = as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(f"Argument `dtype` expected to be floating type. Received: {found}.")
    return found


def _require_whole(partition_info: Any) -> None:
    if partition_info is not None:
        raise NotImplementedError("tf.compat.v1: initializers fill whole variables; leave partition_info out.")
