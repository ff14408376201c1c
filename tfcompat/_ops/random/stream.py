"""Random numbers from a given stream, bit for bit TensorFlow's (normal ones to the last bit of log and sin).

The ops take their stream as integer values: a loop that draws at every step compiles once. The functions without an
explicit stream, `tf.random.uniform` and others, use the seeds' state (`tfcompat._random.random`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Check, Dtype, Shape, op, shape
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._core.types.dtype import (
    DENSE,
    INDEX,
    UNSIGNED,
    DType,
    as_dtype,
    bfloat16,
    float16,
    float32,
    float64,
    int32,
    int64,
    string,
    uint32,
    uint64,
)
from tfcompat._jaxpr.size import are_below, has_symbols
from tfcompat._jaxpr.swap import host_order_after_swaps, order_after_swaps
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.elementwise.rounding import rounded
from tfcompat._ops.random import host_stream, philox
from tfcompat._ops.random.algorithm import require_philox
from tfcompat._ops.random.walk import truncated_normal

REAL_VALUED = frozenset((bfloat16, float16, float32, float64))
# The dtypes of numbers that are drawn by rejection.
DRAWN_REALS = frozenset((float16, float32, float64))
DRAWN_INTEGERS = frozenset((int32, int64, uint32, uint64))


def reals(stream: Arrays, dims: Shape, dtype: Dtype, draw: Any) -> Array:
    """Numbers of `dims`, computed by `draw` from a stream and indices."""
    index = philox.indices(math.prod(dims))
    return draw(philox.opened(stream), index, np.dtype(dtype.as_numpy_dtype)).reshape(dims)


def _scaled(numbers: Array, factor: Array, shift: Array) -> Array:
    """`numbers` times `factor` plus `shift`, rounded after each operation as in TensorFlow."""
    return rounded(numbers * factor) + shift


def _on_host(draw: Any, finish: Any) -> Any:
    """An op's function in NumPy: its numbers are drawn by `draw` of `host_stream`, and then scaled by `finish`."""

    def drawn(stream: Arrays, dims: Shape, dtype: Dtype, **parameters: Array) -> Array:
        numbers = draw(host_stream.opened(stream), math.prod(dims), np.dtype(dtype.as_numpy_dtype))
        return finish(numbers.reshape(dims), dtype=dtype, **parameters)

    return drawn


def _between(numbers: Array, minval: Array, maxval: Array, dtype: Dtype) -> Array:
    """NumPy's numbers in [0, 1) as numbers in [`minval`, `maxval`)."""
    del dtype
    return numbers * (maxval - minval) + minval


def _around(numbers: Array, mean: Array, stddev: Array, dtype: Dtype) -> Array:
    """NumPy's standard normal numbers with `mean` and `stddev`."""
    del dtype
    return numbers * stddev + mean


def _infer_drawn(stream: Any, dims: Shape, dtype: DType, **parameters: Aval) -> Aval | None:
    """The aval of numbers of `dims`; None if they may be broadcast to the shape of a parameter."""
    del stream
    return None if any(aval.ndim for aval in parameters.values()) else aval_of(dims, dtype)


_FLOATS = dict.fromkeys(("minval", "maxval", "mean", "stddev"), REAL_VALUED)


@op(
    "random.uniform",
    same=("stream",),
    dtypes=_FLOATS | {"stream": INDEX},
    infers=_infer_drawn,
    on_host=_on_host(host_stream.uniform, _between),
)
def draw_uniform(minval: Array, maxval: Array, stream: Arrays, dims: Shape, dtype: Dtype) -> Array:
    """Uniform numbers in [`minval`, `maxval`)."""
    return _scaled(reals(stream, dims, dtype, philox.uniform), maxval - minval, minval)


@op(
    "random.normal",
    same=("stream",),
    dtypes=_FLOATS | {"stream": INDEX},
    infers=_infer_drawn,
    on_host=_on_host(host_stream.normal, _around),
)
def draw_normal(mean: Array, stddev: Array, stream: Arrays, dims: Shape, dtype: Dtype) -> Array:
    """Normal numbers."""
    return _scaled(reals(stream, dims, dtype, philox.normal), stddev, mean)


@op(
    "random.truncated_normal",
    same=("stream",),
    dtypes=_FLOATS | {"stream": INDEX},
    infers=_infer_drawn,
    on_host=_on_host(host_stream.truncated_normal, _around),
)
def draw_truncated_normal(mean: Array, stddev: Array, stream: Arrays, dims: Shape, dtype: Dtype) -> Array:
    """Normal numbers within two `stddev` of `mean`."""
    numbers = truncated_normal(philox.opened(stream), math.prod(dims), np.dtype(dtype.as_numpy_dtype))
    return _scaled(numbers.reshape(dims), stddev, mean)


_IS_ORDERED = Check(
    reads=("minval", "maxval"),
    flag=lambda minval, maxval, **_: minval >= maxval,
    message="minval must be less than maxval",
)
_RANGE = {"minval": frozenset((int32, int64)), "maxval": frozenset((int32, int64))}


def _in_range(numbers: Array, minval: Array, maxval: Array, dtype: Dtype) -> Array:
    """Unsigned `numbers` of NumPy or JAX as integers in [`minval`, `maxval`)."""
    unsigned = {4: np.uint32, 8: np.uint64}[dtype.size]
    return (minval.astype(unsigned) + numbers % (maxval - minval).astype(unsigned)).astype(dtype.as_numpy_dtype)


@op(
    "random.uniform",
    same=("stream",),
    dtypes=_RANGE | {"stream": INDEX},
    differentiable=False,
    check=_IS_ORDERED,
    on_host=_on_host(host_stream.integers, _in_range),
)
def draw_integers(minval: Array, maxval: Array, stream: Arrays, dims: Shape, dtype: Dtype) -> Array:
    """Uniform integers in [`minval`, `maxval`), slightly biased like TensorFlow's."""
    return _in_range(reals(stream, dims, dtype, philox.integers), minval, maxval, dtype)


@op(
    "random.uniform",
    dtypes=INDEX,
    differentiable=False,
    on_host=_on_host(host_stream.integers, lambda numbers, dtype: numbers.astype(dtype.as_numpy_dtype)),
)
def draw_all_integers(stream: Arrays, dims: Shape, dtype: Dtype) -> Array:
    """Uniform integers among all values of `dtype`."""
    return reals(stream, dims, dtype, philox.integers).astype(dtype.as_numpy_dtype)


@op("random.categorical", same=("stream",), dtypes={"logits": REAL_VALUED, "stream": INDEX}, differentiable=False)
def draw_categorical(logits: Array, stream: Arrays, num_samples: int, dtype: Dtype) -> Array:
    """For each row of `logits`, [batch, classes], `num_samples` classes with the probabilities of their softmax."""
    is_finite = jnp.isfinite(logits)
    largest = jnp.max(jnp.where(is_finite, logits, jnp.finfo(logits.dtype).min), axis=1, keepdims=True)
    odds = jnp.where(is_finite, jnp.exp(logits.astype(np.float64) - largest.astype(np.float64)), 0.0)
    cumulative = jnp.cumsum(odds, axis=1)
    index = philox.indices(logits.shape[0] * num_samples).reshape(logits.shape[0], num_samples)
    sought = philox.uniform(philox.opened(stream), index, np.dtype(np.float64)) * cumulative[:, -1:]
    return jnp.sum(cumulative[:, None, :] <= sought[:, :, None], axis=-1, dtype=dtype.as_numpy_dtype)


def require_logits(name: str, logits: Any, num_samples: int) -> Tensor:
    """`logits` as a tensor of rank 2 with at least one class. Raises InvalidArgumentError if it is not one."""
    tensor = convert_to_tensor(logits)
    if tensor.ndim != 2 or tensor.shape[1] == 0 or num_samples < 0:
        raise InvalidArgumentError.of(
            f"tf.{name}: logits must have shape [batch, classes] with at least one class, and num_samples must not be "
            f"negative; got shape {tuple(tensor.shape)} and {num_samples}."
        )
    return tensor


def class_dtype(name: str, dtype: Any) -> DType:
    """The dtype of classes, int64 for None. Raises ValueError if `dtype` is not supported."""
    wanted = int64 if dtype is None else as_dtype(dtype)
    if wanted not in (int32, int64):
        raise ValueError(f"tf.{name}: dtype must be int32 or int64, got {wanted.name}.")
    return wanted


@op("random.shuffle", same=("value",), dtypes={"value": DENSE, "order": INDEX}, differentiable=False)
def reordered(value: Array, order: Array) -> Array:
    """The rows of `value` in another `order`."""
    return value[order]


@op("random.order", dtypes=INDEX, differentiable=False)
def draw_order(stream: Arrays, count: int) -> Array:
    """The order of `count` rows, as by `host_order`, for a stream without a value on the host."""
    words = reals(stream, (count,), uint32, philox.integers)
    choices = jnp.flip(jnp.arange(count, dtype=np.uint32)) + np.uint32(1)
    return order_after_swaps((words % choices).astype(np.int32))


def dimensions(name: str, dims: Any) -> tuple[int, ...]:
    """A shape as a tuple. Raises InvalidArgumentError if it is not a shape."""
    if isinstance(dims, int) or getattr(dims, "ndim", None) == 0:
        raise InvalidArgumentError.of(f"tf.{name}: shape must be a vector, got {dims!r}.")
    try:
        found = shape(dims)
    except TypeError as refused:
        raise InvalidArgumentError.of(f"tf.{name}: shape must consist of integers, got {dims!r}.") from refused
    if found is None or are_below(found, 0):
        raise InvalidArgumentError.of(f"tf.{name}: shape must not be negative, got {dims!r}.")
    return found


def host_order(key: int, counter: tuple[int, int], count: int) -> np.ndarray:
    """The order of `count` rows in `tf.random.shuffle`: each swaps with itself or a later row, by the next word."""
    blocks = np.arange(-(-count // 4), dtype=np.uint64) + np.uint64(counter[0])
    words = np.full(blocks.shape, counter[1], np.uint64)
    halves = [part.astype(np.uint32) for number in (blocks, words) for part in (number, number >> np.uint64(32))]
    whole_key = np.array([key & 0xFFFFFFFF, key >> 32], np.uint32)
    drawn = np.stack(philox.philox((whole_key[:1], whole_key[1:]), tuple(halves)), -1).ravel()[:count]  # pyright: ignore[reportArgumentType]
    return host_order_after_swaps(drawn % np.arange(count, 0, -1, dtype=np.uint32))


def seed_stream(name: str, seed: Any, alg: Any = "auto_select") -> list[Tensor]:
    """The stream of a stateless op for `seed`.

    Raises: InvalidArgumentError if `seed` isn't two integers, or for a generator other than Philox.
    """
    require_philox(name, alg)
    tensor = convert_to_tensor(seed)
    if tuple(tensor.shape) != (2,) or tensor.dtype not in INDEX:
        raise InvalidArgumentError.of(f"tf.{name}: seed must be two int32 or int64, got {tensor._aval}.")
    return [tensor]


def uniform_from(name: str, stream: Sequence[Any], dims: Any, minval: Any, maxval: Any, dtype: DType) -> Any:
    """Uniform numbers from `stream`: floating, integers in a range, or, if both limits are None, all integers."""
    frozen = dimensions(name, dims)
    if dtype in REAL_VALUED:
        low, high = convert_to_tensor(minval, dtype), convert_to_tensor(1 if maxval is None else maxval, dtype)
        return draw_uniform(low, high, stream, frozen, dtype)
    if dtype not in DRAWN_INTEGERS:
        raise ValueError(f"tf.{name}: dtype must be a floating type, int32, int64, uint32 or uint64, got {dtype.name}.")
    if minval is None and maxval is None:
        return draw_all_integers(stream, frozen, dtype)
    if minval is None or maxval is None:
        raise ValueError(
            f"tf.{name}: minval and maxval must both be given for {dtype.name}, got {minval} and {maxval}."
        )
    if dtype in UNSIGNED:
        raise ValueError(f"tf.{name}: minval and maxval must be None for {dtype.name}, got {minval} and {maxval}.")
    return draw_integers(convert_to_tensor(minval, dtype), convert_to_tensor(maxval, dtype), stream, frozen, dtype)


def scaled_from(name: str, draw: Any, stream: Sequence[Any], dims: Any, mean: Any, stddev: Any, dtype: DType) -> Any:
    """Numbers drawn by `draw` from `stream`, with `mean` and `stddev`."""
    center, spread = convert_to_tensor(mean, dtype), convert_to_tensor(stddev, dtype)
    if dtype not in REAL_VALUED:
        raise InvalidArgumentError.of(f"tf.{name}: dtype must be a floating type, got {dtype.name}.")
    return draw(center, spread, stream, dimensions(name, dims), dtype)


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Numbers from [`minval`, `maxval`), determined by `seed`; floating ones from [0, 1) by default.

    Shapes: seed [2] -> `shape`; floating `minval` and `maxval` broadcast to it.
    Dtypes: bfloat16, float16, float32, float64; int32, int64 with both limits, or with None twice for all integers;
      uint32, uint64 with None twice.
    Raises: InvalidArgumentError if `seed` isn't two integers or the integer range is empty; ValueError if a limit is
      missing or `dtype` is not supported.
    Source: TF 2.21 `tf.random.stateless_uniform`.
    """
    del name
    stream = seed_stream("random.stateless_uniform", seed, alg)
    return uniform_from("random.stateless_uniform", stream, shape, minval, maxval, as_dtype(dtype))


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Normal numbers with `mean` and `stddev`, determined by `seed`.

    Shapes: seed [2] -> `shape`; `mean` and `stddev` broadcast to it.
    Dtypes: bfloat16, float16, float32, float64.
    Raises: InvalidArgumentError if `seed` isn't two integers or `dtype` isn't floating.
    Source: TF 2.21 `tf.random.stateless_normal`.
    """
    del name
    stream = seed_stream("random.stateless_normal", seed, alg)
    return scaled_from("random.stateless_normal", draw_normal, stream, shape, mean, stddev, as_dtype(dtype))


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Normal numbers within two `stddev` of `mean`, determined by `seed`.

    Shapes: seed [2] -> `shape`; `mean` and `stddev` broadcast to it.
    Dtypes: bfloat16, float16, float32, float64.
    Raises: InvalidArgumentError if `seed` isn't two integers or `dtype` isn't floating.
    Source: TF 2.21 `tf.random.stateless_truncated_normal`.
    """
    del name
    place = "random.stateless_truncated_normal"
    stream = seed_stream(place, seed, alg)
    return scaled_from(place, draw_truncated_normal, stream, shape, mean, stddev, as_dtype(dtype))


def stateless_categorical(logits: Any, num_samples: int, seed: Any, dtype: Any = int64, name: str | None = None) -> Any:
    """For each row of `logits`, `num_samples` classes with the probabilities of its softmax, determined by `seed`.

    TensorFlow's numbers depend on the number of threads that share a large batch; these are those of a single thread.

    Shapes: [batch, classes], seed [2] -> [batch, num_samples].
    Dtypes: bfloat16, float16, float32, float64 -> int64 or int32.
    Raises: InvalidArgumentError if the rank of `logits` isn't 2 or `seed` isn't two integers; ValueError for another
      `dtype`.
    Source: TF 2.21 `tf.random.stateless_categorical`.
    """
    del name
    tensor = require_logits("random.stateless_categorical", logits, num_samples)
    stream = seed_stream("random.stateless_categorical", seed)
    return draw_categorical(tensor, stream, num_samples, class_dtype("random.stateless_categorical", dtype))


def stateless_shuffle(value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None) -> Any:
    """The rows of `value` in an order determined by `seed`.

    Shapes: [n, ...] -> same.
    Dtypes: any -> same dtype.
    Gradient: LookupError, as in TensorFlow.
    Raises: InvalidArgumentError if `seed` isn't two integers.
    Source: TF 2.21 `tf.random.experimental.stateless_shuffle`.
    """
    del name
    tensor = convert_to_tensor(value)
    [pair] = seed_stream("random.experimental.stateless_shuffle", seed, alg)
    if tensor.ndim == 0:
        return tensor
    count = tensor._aval.shape[0]
    trace = element_trace()
    if trace is not None and (has_symbols(tensor._aval.shape) or (tensor.dtype is string and tensor._is_symbolic())):
        kind = tensor._aval.shape, tensor.dtype
        return trace.hosted("random.experimental.stateless_shuffle", _shuffled_rows, [tensor, pair], [kind])[0]
    order = draw_order([pair], count) if pair._is_symbolic() or has_symbols(count) else _host_order_of(pair, count)
    return gather(tensor, order) if tensor.dtype is string else _shuffled(tensor, order)


def _host_order_of(seed: Any, count: int) -> Tensor:
    key, high = _host_stream(np.asarray(seed))
    return Tensor(host_order(key, (0, high), count))


def _shuffled_rows(values: Any, array: np.ndarray, seed: np.ndarray) -> list[np.ndarray]:
    """As `stateless_shuffle`, for each element of a dataset."""
    del values
    return [array[np.asarray(_host_order_of(seed, len(array)))]]


@op(
    "random.experimental.stateless_shuffle",
    same=("value",),
    dtypes={"value": DENSE, "order": INDEX},
    no_gradient="StatelessShuffle",
)
def _shuffled(value: Array, order: Array) -> Array:
    """The rows of `value` in another `order`."""
    return value[order]


def _host_stream(seed: np.ndarray) -> tuple[int, int]:
    """The key and the high half of the counter of a stateless op's stream."""
    words = philox.scrambling_words(seed.astype(np.int64).astype(np.uint64)[:, None])
    key_low, key_high, low, high = (int(word[0]) for word in words)
    return key_low | key_high << 32, low | high << 32


def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Any:
    """`num` new seeds determined by `seed`.

    Shapes: [2] -> [num, 2].
    Dtypes: int32, int64 -> same dtype.
    Raises: InvalidArgumentError if `seed` isn't two integers.
    Source: TF 2.21 `tf.random.split`.
    """
    tensor = convert_to_tensor(seed)
    return stateless_uniform((num, 2), tensor, None, None, tensor.dtype, alg=alg)


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    """A new seed determined by `seed` and the integer `data`.

    Shapes: [2], [] -> [2].
    Dtypes: int32, int64 -> that of `data`.
    Raises: InvalidArgumentError if `seed` isn't two integers.
    Source: TF 2.21 `tf.random.fold_in`.
    """
    tensor = convert_to_tensor(data)
    return convert_to_tensor([stateless_uniform((), seed, None, None, tensor.dtype, alg=alg), tensor])
