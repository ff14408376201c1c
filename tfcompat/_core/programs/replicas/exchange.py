"""Ops between devices, each of which computes one replica: in a program that `jax.shard_map` runs on all of them."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp

from tfcompat._core.operation.op import Op
from tfcompat._core.system.device import REPLICAS

_COMPONENT = "replica_component"


def _summed(x: Any) -> Any:
    return jax.lax.psum(x, REPLICAS)


def _own(*values: Any) -> Any:
    return jnp.stack(values)[jax.lax.axis_index(REPLICAS)]


# The sum of a value over the replicas.
SUM = Op("replica_sum", _summed)
# Of one value for each replica, that of the own replica.
OWN = Op("replica_own", _own)
# The same where these values are equal, of the first one.
FIRST = Op("replica_first", lambda x: x)


@functools.cache
def component(replica: int) -> Op:
    """The op that maps a value to that of the replica with number `replica`."""
    return Op(_COMPONENT, lambda x: jax.lax.all_gather(x, REPLICAS)[replica], label=str(replica))


def is_component(op: Op | None) -> bool:
    """Whether `op` is a `component`."""
    return op is not None and op.name == _COMPONENT
