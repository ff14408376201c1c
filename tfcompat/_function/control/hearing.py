"""What blocks complain of, told by the op that they are part of: its last output is a vector of flags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from tfcompat._core.node import Node
from tfcompat._core.op import Op
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here, record


def quiet_flags(checks: Sequence[Node]) -> list[Any]:
    """A flag for each of `checks`, none set: scalars, which a loop carries at less cost than a vector."""
    return [jnp.zeros((), bool) for _ in checks]


def stacked(flags: Sequence[Any]) -> Any:
    """The vector of `flags` that is the last output of an op."""
    return jnp.stack([*flags, jnp.zeros((), bool)])


def hear(flags: Tensor, checks: Sequence[Node]) -> None:
    """Lets each call look at `flags`, one for each of `checks`, and one more."""
    if not checks:
        here.graph.effects.append(flags)
    for k, check in enumerate(checks):
        assert check.op is not None
        here.graph.effects.append(record(_check(check.op, k), (flags,)))
        here.trace.node.line = check.line


def _check(op: Op, k: int) -> Op:
    return Op(
        op.name,
        lambda flags: jnp.logical_not(flags[k]),
        blocked=True,
        flag=lambda flags: flags[k],
        complaint=op.complaint,
    )
