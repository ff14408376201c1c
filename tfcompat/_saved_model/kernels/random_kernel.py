"""Kernels of random numbers: of keys and counters, of the state of generators, and of seeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import DataLossError
from tfcompat._core.types.dtype import INDEX, DType, float32, int64, uint64
from tfcompat._ops.array.joining import concat
from tfcompat._ops.elementwise.rounding import bitcast, cast
from tfcompat._ops.random import philox
from tfcompat._ops.random.gamma import draw_gamma
from tfcompat._ops.random.poisson import draw_poisson
from tfcompat._ops.random.stream import (
    REAL_VALUED,
    dimensions,
    draw_all_integers,
    draw_categorical,
    draw_normal,
    draw_order,
    draw_truncated_normal,
    reordered,
    require_logits,
    scaled_from,
    uniform_from,
)
from tfcompat._random.random import blocks_for_classes, blocks_for_order
from tfcompat._random.seed import kernel_stream
from tfcompat._saved_model.kernels.library import Frame, Kernel
from tfcompat._saved_model.kernels.plan import Step
from tfcompat._state.generator import advanced
from tfcompat._state.handle import variable_of

# The number of the generator Philox, the only one on a CPU.
_PHILOX = 1
# Draws numbers of a shape and a dtype from a stream; further inputs of the kernel are given before these.
Draw = Callable[..., Any]


@op("random.key_counter", dtypes={"seed": INDEX}, differentiable=False)
def _key_counter(seed: Array) -> Array:
    """The key and the counter (low and high) of the stream of a stateless op with `seed`."""
    stream = philox.scrambled(seed.astype(np.int64).astype(np.uint64))
    key = stream.key[0].astype(np.uint64) | stream.key[1].astype(np.uint64) << np.uint64(32)
    return jnp.stack((key, stream.low.astype(np.uint64), stream.high.astype(np.uint64)))


def _opened(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`StatelessRandomGetKeyCounter`: the key and the counter of a seed."""
    del frame, step
    found = _key_counter(convert_to_tensor(inputs[0]))
    return [found[:1], found[1:]]


def _key(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    return _opened(frame, step, inputs)[:1]


def _algorithm(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame, step, inputs
    return [Tensor(np.array(_PHILOX, np.int32))]


def _uniform(stream: Sequence[Any], shape: Any, dtype: DType) -> Any:
    return uniform_from("random.uniform", stream, shape, 0, 1, dtype)


def _normal(stream: Sequence[Any], shape: Any, dtype: DType) -> Any:
    return scaled_from("random.normal", draw_normal, stream, shape, 0, 1, dtype)


def _truncated(stream: Sequence[Any], shape: Any, dtype: DType) -> Any:
    return scaled_from("random.truncated_normal", draw_truncated_normal, stream, shape, 0, 1, dtype)


def _all_integers(stream: Sequence[Any], shape: Any, dtype: DType) -> Any:
    return draw_all_integers(stream, dimensions("random.uniform", shape), dtype)


def _stream(key: Any, counter: Any) -> list[Tensor]:
    """The stream of a key and a counter."""
    parts = [convert_to_tensor(counter, uint64), convert_to_tensor(key, uint64)]
    return [bitcast(concat(parts, 0), int64)]


def _of_key(draw: Draw, dtype: DType = float32) -> Kernel:
    """The kernel that draws numbers of a shape, by default of `dtype`, by a key, a counter and an algorithm."""

    def run(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
        del frame
        shape, key, counter, _ = inputs
        return [draw(_stream(key, counter), shape, step.attribute("dtype", dtype))]

    return run


def _integers_of_key(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame, step
    shape, key, counter, _, low, high = inputs
    return [uniform_from("random.uniform", _stream(key, counter), shape, low, high, low.dtype)]


def _order_of_key(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame, step
    value, key, counter, _ = inputs
    return [_reordered(value, _stream(key, counter))]


def _reordered(value: Any, stream: Sequence[Any]) -> Tensor:
    rows = convert_to_tensor(value)
    count = rows._aval.shape[0] if rows.ndim else 0
    return reordered(rows, draw_order(stream, count)) if count > 1 else rows


def _skipped(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`RngReadAndSkip`: the state of a generator before a number of elements are drawn from it."""
    del frame
    variable = variable_of(step.op, inputs[0])
    before = variable.read_value()
    variable.assign(advanced(before, cast(inputs[2], int64)))
    return [before]


def _seeded(frame: Frame, step: Step, blocks: int) -> list[Any]:
    """The stream for a draw of `blocks` blocks by a kernel with seeds as attributes."""
    pair = (step.attribute("seed", 0), step.attribute("seed2", 0))
    return kernel_stream((id(frame.library), frame.plan.name, step.name), pair, blocks)


def _elements(frame: Frame, step: Step, dims: tuple[int, ...]) -> list[Any]:
    return _seeded(frame, step, math.prod(dims) * philox.BLOCKS_PER_ELEMENT)


def _of_seed(draw: Draw) -> Kernel:
    """The kernel that draws numbers of a shape by the seeds among its attributes."""

    def run(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
        dims = dimensions("random.uniform", inputs[0])
        dtype = step.attribute("dtype")
        if dtype not in REAL_VALUED:
            raise DataLossError.of(f"{step.subject} is corrupted: its numbers are {dtype.name}")
        return [draw(_elements(frame, step, dims), dims, dtype)]

    return run


def _integers_of_seed(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    shape, low, high = inputs
    dims = dimensions("random.uniform", shape)
    stream = _elements(frame, step, dims)
    return [uniform_from("random.uniform", stream, dims, low, high, convert_to_tensor(low).dtype)]


def _shuffled(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    rows = convert_to_tensor(inputs[0])
    return [_reordered(rows, _seeded(frame, step, blocks_for_order(rows._aval.shape[0] if rows.ndim else 0)))]


def _classes(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    samples = int(inputs[1])
    logits = require_logits("random.categorical", inputs[0], samples)
    stream = _seeded(frame, step, blocks_for_classes(logits._aval.shape[0], samples))
    return [draw_categorical(logits, stream, samples, step.attribute("output_dtype", int64))]


def _gamma(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    alpha = convert_to_tensor(inputs[1])
    dims = dimensions("random.gamma", inputs[0])
    stream = _elements(frame, step, (*dims, *alpha._aval.shape))
    return [draw_gamma(alpha, convert_to_tensor(1, alpha.dtype), stream, dims)]


def _poisson(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    rate = convert_to_tensor(inputs[1])
    dims = dimensions("random.poisson", inputs[0])
    stream = _elements(frame, step, (*dims, *rate._aval.shape))
    return [draw_poisson(rate, stream, dims, step.attribute("dtype", int64))]


RANDOM_KERNELS: dict[str, Kernel] = {
    "Multinomial": _classes,
    "RandomGamma": _gamma,
    "RandomPoissonV2": _poisson,
    "RandomShuffle": _shuffled,
    "RandomStandardNormal": _of_seed(_normal),
    "RandomUniform": _of_seed(_uniform),
    "RandomUniformInt": _integers_of_seed,
    "RngReadAndSkip": _skipped,
    "StatelessRandomGetAlg": _algorithm,
    "StatelessRandomGetKey": _key,
    "StatelessRandomGetKeyCounter": _opened,
    "StatelessRandomNormalV2": _of_key(_normal),
    "StatelessRandomUniformFullIntV2": _of_key(_all_integers, uint64),
    "StatelessRandomUniformIntV2": _integers_of_key,
    "StatelessRandomUniformV2": _of_key(_uniform),
    "StatelessShuffle": _order_of_key,
    "StatelessTruncatedNormalV2": _of_key(_truncated),
    "TruncatedNormal": _of_seed(_truncated),
}
