"""Staging: while a function is traced, control flow on a tensor runs on the device and not in Python."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.container import container_of, is_composite
from tfcompat._core.types.dtype import bool_
from tfcompat._function.autograph.library import Undefined, UndefinedReturnValue
from tfcompat._function.graphs.graph import Graph
from tfcompat._ops.array.layout import reshape


def is_tracing() -> bool:
    """Whether a function is being traced."""
    return here.trace.is_symbolic


def is_in_function() -> bool:
    """Whether a decorated function runs: traced, or untraced."""
    return here.trace.is_symbolic or here.untraced is not None


def is_dense(value: Any) -> bool:
    """Whether `value` is a tensor or a variable, and not made of several tensors."""
    return type(value) is Tensor or _stands_for_tensor(value)


def _stands_for_tensor(value: Any) -> bool:
    """Whether `value` is a variable, or another value that one tensor represents."""
    return hasattr(type(value), "_as_tensor") and not is_composite(type(value))


def is_staged(value: Any) -> bool:
    """Whether control flow on `value` becomes part of the function that is being traced."""
    return is_dense(value) and is_tracing()


def is_undefined(value: Any) -> bool:
    """Whether `value` represents an undefined name or return value."""
    return isinstance(value, (Undefined, UndefinedReturnValue))


def condition(value: Any, statement: str) -> Tensor:
    """`value` as the condition of `statement`: a boolean scalar. Raises ValueError for any other value."""
    tensor = convert_to_tensor(value)
    is_boolean = tensor.dtype is bool_
    if is_boolean and tensor._aval.size == 1:
        return tensor if tensor.ndim == 0 else reshape(tensor, ())
    remedy = "" if is_boolean else "to use as boolean Tensor, use `tf.cast`; "
    raise ValueError(
        f"condition of {statement} expected to be `tf.bool` scalar, got {tensor}; {remedy}to check for None, use "
        "`is not None`"
    )


def with_values_read(structure: Any) -> Any:
    """`structure` with variables replaced by their values."""
    return nest.map_structure(lambda leaf: leaf._as_tensor() if _stands_for_tensor(leaf) else leaf, structure)


def require_same_structure(one: Any, other: Any, message: str) -> None:
    """Raises TypeError with `message` if the structures differ. A variable matches a tensor."""
    try:
        nest.assert_same_structure(with_values_read(one), with_values_read(other))
    except (TypeError, ValueError) as unlike:
        raise TypeError(f"{message}\n\n{unlike}") from unlike


def tensor_like(value: Any) -> Tensor | None:
    """`value` as a tensor if it is a tensor, number, string or array, which become tensors if staged; else None."""
    tensor = None if is_composite(type(value)) or container_of(type(value)) is not None else as_tensor(value)
    if tensor is None and isinstance(value, (bool, int, float, complex, str, bytes)):
        return convert_to_tensor(value)
    return tensor


@contextmanager
def scratch() -> Generator[None]:
    """A context in which ops are recorded into a graph that is discarded."""
    trace = element_trace()
    graph = Graph("scratch", creates=False, is_part=True) if trace is None else trace.scratch()
    with graph.recording():
        yield
