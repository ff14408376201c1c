"""`tfcompat.shard`: variables and tensors on the devices of a JAX sharding."""

from __future__ import annotations

from typing import Any

import jax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.sharding import automatic
from tfcompat._core.tracing.trace import here
from tfcompat._ops.sharding import shard_tensor
from tfcompat._state.cell import Cell


def shard(value: Any, sharding: Any) -> Any:
    """`value` on the devices of `sharding`, a `jax.sharding.Sharding`: a variable in place, else a new tensor.

    Programs that use it run on these devices: XLA divides their work, and exchanges values where it is necessary. A
    variable keeps `sharding` when it is assigned. `numpy()` returns the whole value. TensorFlow has no such function;
    `tf.experimental.dtensor` is similar.

    Shapes: [*dims] -> same; `sharding` must divide the sizes that it divides evenly.
    Dtypes: any except string -> same.
    Gradient: that of the identity.
    Raises: TypeError for other values than shardings; ValueError if the shape does not fit it; NotImplementedError for
      strings, for variables with a component for each replica, and for variables while a function is traced.
    """
    if not isinstance(sharding, jax.sharding.Sharding):
        raise TypeError(f"tfcompat.shard: sharding must be a jax.sharding.Sharding, got {sharding!r}.")
    sharding = automatic(sharding)
    if not isinstance(value, Cell):
        return shard_tensor(convert_to_tensor(value), sharding)
    if getattr(value, "_is_replicated", False):
        raise NotImplementedError("tfcompat.shard: the variable has a component for each replica of its strategy.")
    if here.graph is not None:
        raise NotImplementedError("tfcompat.shard: place variables outside of decorated functions.")
    value._put(sharding)
    return value
