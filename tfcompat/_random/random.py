"""Random numbers from the seeds' state: `tf.random.uniform` and others, `tf.random.shuffle`, `tf.nn.dropout`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import ElementTrace, element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.dispatch import dispatched, register
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import as_dtype, bfloat16, float32, int32, int64, string
from tfcompat._jaxpr.size import has_symbols
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.ragged.elementwise import unary as on_values
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.random.dropout import dropped
from tfcompat._ops.random.gamma import draw_gamma
from tfcompat._ops.random.philox import BLOCKS_PER_ELEMENT
from tfcompat._ops.random.poisson import draw_poisson, rate_tensor
from tfcompat._ops.random.stream import (
    REAL_VALUED,
    class_dtype,
    dimensions,
    draw_categorical,
    draw_normal,
    draw_order,
    draw_truncated_normal,
    host_order,
    reordered,
    require_logits,
    scaled_from,
    uniform_from,
)
from tfcompat._ops.random.walk import together
from tfcompat._random import seed as seeds


@dispatched
def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32, seed: Any = None, name: str | None = None
) -> Any:
    """Uniform numbers in [`minval`, `maxval`); floating ones in [0, 1) by default.

    Shapes: `shape`; floating `minval` and `maxval` broadcast to it.
    Dtypes: bfloat16, float16, float32, float64, int32, int64.
    Raises: ValueError if `maxval` is missing for integers; InvalidArgumentError if the integer range is empty.
    Source: TF 2.21 `tf.random.uniform`.
    """
    del name
    wanted, dims = as_dtype(dtype), dimensions("random.uniform", shape)
    if wanted not in (*REAL_VALUED, int32, int64):
        raise ValueError(f"tf.random.uniform: dtype must be a floating type, int32 or int64, got {wanted.name}.")
    if wanted.is_integer and maxval is None:
        raise ValueError(f"tf.random.uniform: maxval must be given for {wanted.name}.")
    op = "RandomUniformInt" if wanted.is_integer else "RandomUniform"
    stream = seeds.stream(op, wanted, seed, math.prod(dims))
    return uniform_from("random.uniform", stream, dims, minval, maxval, wanted)


@dispatched
def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, seed: Any = None, name: str | None = None
) -> Any:
    """Normal numbers with `mean` and `stddev`.

    Shapes: `shape`; `mean` and `stddev` broadcast to it.
    Dtypes: bfloat16, float16, float32, float64.
    Raises: InvalidArgumentError if `dtype` isn't floating.
    Source: TF 2.21 `tf.random.normal`.
    """
    del name
    wanted, dims = as_dtype(dtype), dimensions("random.normal", shape)
    stream = seeds.stream("RandomStandardNormal", wanted, seed, math.prod(dims))
    return scaled_from("random.normal", draw_normal, stream, dims, mean, stddev, wanted)


@dispatched
def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, seed: Any = None, name: str | None = None
) -> Any:
    """Normal numbers within two `stddev` of `mean`.

    Shapes: `shape`; `mean` and `stddev` broadcast to it.
    Dtypes: bfloat16, float16, float32, float64.
    Raises: InvalidArgumentError if `dtype` isn't floating.
    Source: TF 2.21 `tf.random.truncated_normal`.
    """
    del name
    wanted, dims = as_dtype(dtype), dimensions("random.truncated_normal", shape)
    stream = seeds.stream("TruncatedNormal", wanted, seed, math.prod(dims))
    return scaled_from("random.truncated_normal", draw_truncated_normal, stream, dims, mean, stddev, wanted)


def categorical(logits: Any, num_samples: int, dtype: Any = None, seed: Any = None, name: str | None = None) -> Any:
    """For each row of `logits`, `num_samples` classes with the probabilities of its softmax.

    TensorFlow's numbers depend on the number of threads that share a large batch; these are those of a single thread.

    Shapes: [batch, classes] -> [batch, num_samples].
    Dtypes: bfloat16, float16, float32, float64 -> int64 or int32.
    Raises: InvalidArgumentError if the rank of `logits` is not 2.
    Source: TF 2.21 `tf.random.categorical`.
    """
    del name
    samples = int(num_samples)
    tensor = require_logits("random.categorical", logits, samples)
    wanted = class_dtype("random.categorical", dtype)
    blocks = blocks_for_classes(tensor._aval.shape[0], samples)
    stream = seeds.block_stream("Multinomial", (tensor.dtype, wanted), seed, blocks)
    return draw_categorical(tensor, stream, samples, wanted)


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Any:
    """The rows of `value` in a random order.

    Shapes: [n, ...] -> same.
    Dtypes: any -> same dtype.
    Gradient: None, as in TensorFlow.
    Raises: InvalidArgumentError if `value` has rank 0.
    Source: TF 2.21 `tf.random.shuffle`.
    """
    del name
    tensor = convert_to_tensor(value)
    if tensor.ndim == 0:
        return tensor
    count = tensor._aval.shape[0]
    trace = element_trace()
    if trace is not None and (has_symbols(tensor._aval.shape) or (tensor.dtype is string and tensor._is_symbolic())):
        return _shuffled_by_row(trace, tensor, here.graph.draw(seeds.traced_stream(seed, blocks_for_order(count))))
    if here.graph is not None:
        stream = seeds.traced_stream(seed, blocks_for_order(count))
        if count < 2:
            return tensor
        key, low, high = here.graph.draw(stream)
        order = draw_order([low, high, key], count)
        return gather(tensor, order) if tensor.dtype is string else reordered(tensor, order)
    key, low, high = seeds.reserve_eagerly("RandomShuffle", tensor.dtype, seed, blocks_for_order(count))
    if count < 2:
        return tensor
    order = host_order(key, (low, high), count)
    if tensor.dtype is string:
        return Tensor(np.asarray(tensor._value())[order])
    return reordered(tensor, Tensor(order))


def _shuffled_by_row(trace: ElementTrace, tensor: Tensor, stream: Sequence[Tensor]) -> Tensor:
    """As `shuffle`, for each element of a dataset; `stream` is where its random numbers begin."""

    def compute(values: Any, array: np.ndarray, key: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
        del values
        return [array[host_order(int(key), (int(low), int(high)), len(array))]]

    return trace.hosted("random.shuffle", compute, [tensor, *stream], [(tensor._aval.shape, tensor.dtype)])[0]


def blocks_for_classes(batch: int, samples: int) -> int:
    """The number of blocks that TensorFlow reserves to draw `samples` classes for each row of a batch."""
    return batch * -(-samples // 4) * 4 * 2 * BLOCKS_PER_ELEMENT


def blocks_for_order(count: int) -> int:
    """The number of blocks of four numbers drawn to shuffle `count` rows: a number for each row but the last."""
    return (count + 2) // 4


@dispatched
def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None) -> Any:
    """`x` with elements set to 0 with probability `rate`, the others divided by 1 - `rate`; `x` itself for rate 0.

    Shapes: that of `x`; the mask has shape `noise_shape` (default that of `x`) and broadcasts.
    Dtypes: bfloat16, float16, float32, float64 -> same dtype.
    Raises: ValueError if `rate` isn't in [0, 1) or `x` isn't floating.
    Source: TF 2.21 `tf.nn.dropout`.
    """
    del name

    def stream(dims: tuple[int, ...] | None, dtype: Any) -> Any:
        if dims is None:
            return seeds.next_pair(seed) if here.graph is None else None
        return seeds.stream("RandomUniform", dtype, seed, math.prod(dims))

    return dropped("nn.dropout", x, rate, noise_shape, stream)


register(dropout, RaggedTensor, on_values(dropout))


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = float32, seed: Any = None, name: str | None = None
) -> Any:
    """Gamma numbers with `alpha` and the inverse scale `beta` (1 if None), of `shape` for each element of these.

    Shapes: `shape`, then that of `alpha` and `beta`, which broadcast.
    Dtypes: float16, float32, float64.
    Gradient: for `alpha` and `beta`.
    Raises: InvalidArgumentError if there are no numbers to draw; ValueError for another `dtype`.
    Source: TF 2.21 `tf.random.gamma`.
    """
    del name
    wanted, dims = as_dtype(dtype), dimensions("random.gamma", shape)
    if wanted is bfloat16 or wanted.is_integer:
        raise ValueError(f"tf.random.gamma: dtype must be float16, float32 or float64, got {wanted.name}.")
    shapes, rates = convert_to_tensor(alpha, wanted), convert_to_tensor(1 if beta is None else beta, wanted)
    count = math.prod((*dims, *together("random.gamma", shapes, rates)))
    stream = seeds.stream("RandomGamma", wanted, seed, count)
    return draw_gamma(shapes, rates, stream, dims)


def poisson(shape: Any, lam: Any, dtype: Any = float32, seed: Any = None, name: str | None = None) -> Any:
    """Poisson numbers with the mean `lam`, of `shape` for each element of it.

    Shapes: `shape`, then that of `lam`.
    Dtypes: float16, float32, float64, int32, int64.
    Gradient: LookupError, as in TensorFlow.
    Raises: InvalidArgumentError if `lam` has no elements.
    Source: TF 2.21 `tf.random.poisson`.
    """
    del name
    wanted, dims, means = as_dtype(dtype), dimensions("random.poisson", shape), rate_tensor(lam)
    count = math.prod((*dims, *means._aval.shape))
    stream = seeds.stream("RandomPoissonV2", (means.dtype, wanted), seed, count)
    return draw_poisson(means, stream, dims, wanted)
