"""Loops that Python runs in a function and that have no iteration: TensorFlow traces their body all the same.

TensorFlow knows the shapes of elements that the body would write into tensor arrays, so an empty `stack()` has them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.system.error import UntraceableError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._function.block.refused_block import REFUSALS
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.tensor_array.array import TensorArray


def with_element_shapes(state: Any, recorded: Callable[[], Any]) -> Any:
    """`state`, with the shapes of elements that a loop without iterations gives its tensor arrays.

    `recorded` records the loop in the current trace, and returns the state after it. A body that cannot be traced for
    the sizes at hand leaves the shapes unknown.
    """
    if here.untraced is None or not any(map(_is_unshaped, nest.flatten(state))):
        return state
    try:
        with Graph("unentered_loop", creates=False).recording():
            shapes = [_shape_of(value) for value in nest.flatten(recorded())]
    except (*REFUSALS, UntraceableError):
        return state
    found = iter(shapes)

    def shaped(value: Any) -> Any:
        shape = next(found)
        return value.with_element_shape(shape) if _is_unshaped(value) else value

    return nest.map_structure(shaped, state)


def _is_unshaped(value: Any) -> bool:
    return isinstance(value, TensorArray) and not value.element_shape.is_fully_defined()


def _shape_of(value: Any) -> Any:
    return value.element_shape if isinstance(value, TensorArray) else None
