"""Computes values that depend on constants alone while a function is traced, although their steps were recorded.

Shapes may depend on such values, as they may where XLA compiles a program for TensorFlow.
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
    """The value of `tensor` if it is computed from constants by the ops named in `followed` (None: by any ops).

    None if it is only known when the function that is being traced runs.
    """
    return constant_at(tensor._trace, tensor._slot, followed) if tensor._is_symbolic() else np.asarray(tensor)


def settled(tensor: Tensor) -> Tensor:
    """A tensor with the value of `tensor` if it is computed from constants, else `tensor` itself."""
    if not tensor._is_symbolic():
        return tensor
    value = constant_value(tensor)
    return tensor if value is None else Tensor(value)


def constant_at(trace: Any, reference: Reference, followed: Container[str] | None = None) -> np.ndarray | None:
    """The value of `reference` in `trace`, the trace of a function's body, as in `constant_value`."""
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
    """The steps that `slot` derives from, in order; None unless all start at constants and are named in `followed`."""
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
    """The source from which calls get the value of a leaf; a tensor if every call gets the same value."""
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
