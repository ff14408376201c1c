"""Lookup of values by integer keys, as a recorded op."""

from __future__ import annotations

import jax.numpy as jnp

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.types.dtype import DENSE, INDEX


@op(
    "lookup.StaticHashTable.lookup",
    dtypes={"keys": INDEX, "known_keys": INDEX, "values": DENSE, "default_value": DENSE},
    same=("values", "default_value"),
    differentiable=False,
)
def value_of_key(keys: Array, known_keys: Array, values: Array, default_value: Array) -> Array:
    """For each of `keys`, the entry of `values` at its index in the sorted `known_keys`, or `default_value` if absent.

    Shapes: [*dims], [n], [n], [] -> dims; n at least 1.
    Dtypes: int32, int64 for both keys; any for values and default_value -> that of values.
    Gradient: None.
    Source: TF 2.21 `tf.lookup.StaticHashTable.lookup`.
    """
    place = jnp.clip(jnp.searchsorted(known_keys, keys), 0, known_keys.shape[0] - 1)
    return jnp.where(known_keys[place] == keys, values[place], default_value)
