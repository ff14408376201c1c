"""Values that Python may know: all of them where a program runs eagerly, constants while a function is traced."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from tfcompat._core.convert import is_tensor
from tfcompat._core.node import Node, Number, Reference
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here
from tfcompat._function.graph import Graph

# The steps that TensorFlow follows back to constants, too. What else is made of small integers is known at once.
_FOLLOWED = frozenset(
    (
        *("cast", "concat", "equal", "fill", "identity", "not_equal", "ones", "ones_like", "split", "stack"),
        *("stop_gradient", "unstack", "zeros", "zeros_like"),
    )
)


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of `tensor` as NumPy has it if it is known, else None; what is no tensor as it is.

    While a function is traced, constants are known, shapes, and what is made of them by integer arithmetic or by moving
    and converting their elements. Variables and composites never are. With `partial` a list packed of scalars, some of
    which are known, is an array of objects with None for the others.

    Source: TF 2.21 `tf.get_static_value`.
    """
    if type(tensor) is not Tensor:
        return None if is_tensor(tensor) else tensor
    if here.graph is None and not tensor._is_symbolic():
        return tensor.numpy()
    return _value(tensor, partial)


def _value(tensor: Tensor, partial: bool = False) -> Any:
    if not tensor._is_symbolic():
        return np.array(tensor)
    return _known(tensor._trace, tensor._slot, partial) if isinstance(tensor._trace, Graph) else None


def _known(graph: Graph, reference: Reference, partial: bool) -> Any:
    """The value of `reference` in `graph`; None if it is only known when the function runs."""
    if isinstance(reference, Number):
        number = (graph.floats if reference.kind == "f" else graph.ints)[reference.index]
        return np.array(number, reference.dtype.as_numpy_dtype)
    node = _step(graph, reference)
    if node.op is None:
        return _leaf(graph, node)
    if node.op.name not in _FOLLOWED:
        return None
    values = [_known(graph, operand, partial) for operand in node.inputs]
    if any(value is None or value.dtype == object for value in values):
        # A label names attributes: without one, the new axis is the first.
        is_packed = partial and node.op.name == "stack" and not node.op.label
        return np.array(values, object) if is_packed else None
    with jax.enable_x64(True):
        return np.array(node.op.outputs(*values)[reference - node.first])


def _step(graph: Graph, slot: int) -> Node:
    """The step that computes `slot`."""
    node = graph.node
    while node.first > slot and node.parent is not None:
        node = node.parent
    return node


def _leaf(graph: Graph, node: Node) -> Any:
    if node.inputs:
        return _known(graph, node.inputs[0], False)
    source = graph.sources[node.leaves - 1]
    return _value(source) if type(source) is Tensor else None
