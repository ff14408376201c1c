"""Computes, while a function is traced, the values that depend on constants alone, though their steps were recorded.

Who asks may let a shape depend on it, as XLA does where it compiles a program of TensorFlow's.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.node import Node, Number, Reference
from tfcompat._core.tensor import Tensor


def constant_value(tensor: Tensor, followed: Container[str] | None = None) -> np.ndarray | None:
    """The value of `tensor` on the host if it follows from constants by the steps called `followed`, or by any if None.

    None if it is only known when the function runs that is being traced.
    """
    return constant_at(tensor._trace, tensor._slot, followed) if tensor._is_symbolic() else np.asarray(tensor)


def settled(tensor: Tensor) -> Tensor:
    """A tensor with the value of `tensor` if that follows from constants, else `tensor` itself."""
    if not tensor._is_symbolic():
        return tensor
    value = constant_value(tensor)
    return tensor if value is None else Tensor(value)


def constant_at(trace: Any, reference: Reference, followed: Container[str] | None = None) -> np.ndarray | None:
    """The value of `reference` in `trace`, that of a function's body, as `constant_value` finds it."""
    if isinstance(reference, Number):
        return reference.on_host(trace.floats, trace.ints)
    steps = _steps(trace, reference, followed)
    if steps is None:
        return None
    values: dict[int, np.ndarray] = {}
    for node in steps:
        inputs = [
            part.on_host(trace.floats, trace.ints) if isinstance(part, Number) else values[part] for part in node.inputs
        ]
        outputs = _leaf(trace, node, inputs, followed) if node.op is None else _computed(node, inputs)
        if outputs is None:
            return None
        values.update(zip(range(node.first, node.slot), outputs, strict=True))
    return values[reference]


def step_at(trace: Any, slot: int) -> Node:
    """The step of `trace` that computes `slot`."""
    node: Node = trace.node
    while node.first > slot and node.parent is not None:
        node = node.parent
    return node


def _steps(trace: Any, slot: int, followed: Container[str] | None) -> list[Node] | None:
    """The steps that `slot` derives from, in order; None unless all begin with constants and are `followed`."""
    found: list[Node] = []
    wanted, node = {slot}, step_at(trace, slot)
    while wanted and node.parent is not None:
        slots = range(node.first, node.slot)
        if not wanted.isdisjoint(slots):
            is_known = _is_constant(trace, node) if node.op is None else followed is None or node.op.name in followed
            if not is_known:
                return None
            wanted.difference_update(slots)
            wanted.update(part for part in node.inputs if type(part) is int)
            found.append(node)
        node = node.parent
    return None if wanted else found[::-1]


def _source(trace: Any, node: Node) -> Any:
    """Where a call finds the value of a leaf; a tensor if it is the same at every call."""
    sources = getattr(trace, "sources", ())
    return sources[node.leaves - 1] if node.leaves <= len(sources) else None


def _is_constant(trace: Any, node: Node) -> bool:
    return bool(node.inputs) or type(_source(trace, node)) is Tensor


def _leaf(
    trace: Any, node: Node, inputs: list[np.ndarray], followed: Container[str] | None
) -> tuple[np.ndarray, ...] | None:
    """The value of a leaf: the number among `inputs`, else that of its tensor, perhaps of an enclosing function."""
    value = inputs[0] if inputs else constant_value(_source(trace, node), followed)
    return None if value is None else (value,)


def _computed(node: Node, inputs: list[np.ndarray]) -> tuple[np.ndarray, ...] | None:
    """The outputs of a step for `inputs`; None if its check refuses them."""
    op: Any = node.op
    with jax.enable_x64(True):
        arrays = list(map(jnp.asarray, inputs))
        if op.check is not None and np.any(op.check.flag(*arrays)):
            return None
        return tuple(map(np.asarray, op.outputs(*arrays)))
