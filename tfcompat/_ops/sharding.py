"""Placing tensors on devices."""

from __future__ import annotations

import functools
from typing import Any

import jax

from tfcompat._core.operation.op import Op
from tfcompat._core.structure.sharding import PLACING, moved, placed
from tfcompat._core.structure.tensor import Tensor, finished
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.dtype import string
from tfcompat._jaxpr.size import has_symbols

try:
    from jax.experimental.shard_alike import shard_alike
except ImportError:  # JAX has none from 0.12 on
    shard_alike = None


def shard_tensor(tensor: Tensor, sharding: Any) -> Tensor:
    """A tensor with the value of `tensor`, placed on devices by `sharding`. Gradients flow through it.

    Raises: ValueError if the shape does not fit; NotImplementedError for strings.
    """
    placed.is_used = True
    _require_fit(tensor, sharding)
    is_finished = tensor._array is not None and not here.tapes and here.graph is None
    if is_finished or (len(sharding.device_set) == 1 and not tensor._is_symbolic()):
        return placed_tensor(tensor, sharding)
    return record(_sharding(sharding), (tensor,))


def placed_tensor(tensor: Tensor, sharding: Any) -> Tensor:
    """A tensor with the value of `tensor`, now on the devices of `sharding`. No gradient flows through it."""
    placed.is_used = True
    _require_fit(tensor, sharding)
    return finished(moved(tensor._value("shard"), sharding), tensor._aval)


def _require_fit(tensor: Tensor, sharding: Any) -> None:
    if tensor.dtype is string:
        raise NotImplementedError("tfcompat.shard: strings stay on the host, which holds them whole; leave them there.")
    shape = tensor._aval.shape
    if has_symbols(shape):
        return
    try:
        sharding.shard_shape(shape)
    except (ValueError, IndexError) as failed:
        raise ValueError(f"tfcompat.shard: the shape does not fit: {failed}") from failed


def shard_like(tensor: Tensor, other: Tensor) -> Tensor:
    """A tensor with the value of `tensor`, placed by XLA like `other`.

    Raises: NotImplementedError from JAX 0.12 on.
    """
    if shard_alike is None:
        raise NotImplementedError(
            f"tf.experimental.dtensor.relayout_like in a function: JAX {jax.__version__} cannot place a value like "
            "another one; use tf.experimental.dtensor.relayout with a layout."
        )
    placed.is_used = True
    return record(_ALIKE, (tensor, other))


def _constrained(array: Any, *, sharding: Any) -> Any:
    return jax.lax.with_sharding_constraint(array, sharding)


@functools.cache
def _sharding(sharding: Any) -> Op:
    return Op(PLACING, functools.partial(_constrained, sharding=sharding), label=f"sharding={sharding}")


def _alike(array: Any, other: Any) -> Any:
    assert shard_alike is not None
    return shard_alike(array, other)[0]


_ALIKE = Op(PLACING, _alike, label="alike")
