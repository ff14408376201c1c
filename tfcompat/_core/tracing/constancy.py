"""Computes values that depend on constants and sizes alone while a function is traced.

Their steps are recorded all the same. Shapes may depend on such values, as they may where XLA compiles a program for
TensorFlow.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.operation.size_quotient import divided, has_quotients, rounded_down, rounded_up, truncated, whole
from tfcompat._core.programs.hosting import hosted
from tfcompat._core.structure.node import Node, Number, Reference
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._core.types.dtype import INDEX, as_dtype, float64
from tfcompat._jaxpr.comparison import Unwatched, note_order
from tfcompat._jaxpr.postponement import postponed

# Ops that move elements of their first input.
_MOVES = frozenset(("gather", "slice", "split", "strided_slice", "unstack"))
# Their results are not sizes, and with symbols they would be answered before the sizes are known.
# The ops that ask for the greater of two numbers.
ORDERS = frozenset(("greater", "greater_equal", "less", "less_equal", "maximum", "minimum", "reduce_max", "reduce_min"))
_NONE: Mapping[int, Any] = MappingProxyType({})
# Ops on floating-point numbers that are computed from sizes.
_QUOTIENTS = {"truediv": divided, "floor": rounded_down, "math.ceil": rounded_up}
_COMPARES = frozenset(("equal", "greater", "greater_equal", "less", "less_equal", "not_equal"))


def constant_value(tensor: Tensor, followed: Container[str] | None = None) -> np.ndarray | None:
    """The value of `tensor` if it is computed from constants by the ops named in `followed` (None: by any ops).

    None if it is only known when the function that is being traced runs.
    """
    if not tensor._is_symbolic():
        return np.asarray(tensor)
    return _without_symbols(_value_of(tensor, followed))


def size_value(tensor: Tensor) -> np.ndarray | None:
    """The value of `tensor` if it is computed from constants and sizes: with symbols, an array of objects.

    That may be the value of a tensor of float64, such as `tf.math.ceil(size / 2)`.
    """
    return _value_of(tensor) if tensor._is_symbolic() else np.asarray(tensor)


def _value_of(tensor: Tensor, followed: Container[str] | None = None) -> np.ndarray | None:
    """As `constant_at`, for `tensor`; None if no step computes it: a result of a Python function of unknown shape."""
    return None if tensor._slot < 0 else constant_at(tensor._trace, tensor._slot, followed)


def _without_symbols(value: np.ndarray | None) -> np.ndarray | None:
    """`value`, but None if it contains sizes with symbols."""
    return None if value is None or value.dtype == object else value


def known_sizes(sizes: Tensor) -> list[int | None] | None:
    """The elements of a vector of sizes, with None for those without a value; None if all may be without."""
    if not sizes._is_symbolic():
        return np.asarray(sizes).tolist()
    step = step_at(sizes._trace, sizes._slot) if sizes._slot >= 0 else None
    if step is None or step.op is None or step.op.name != "stack" or step.op.label:
        return None
    known = [_without_symbols(constant_at(sizes._trace, part)) for part in step.inputs]
    return [None if value is None else int(value) for value in known]


def settled(tensor: Tensor) -> Tensor:
    """A tensor with the value of `tensor` if it is computed from constants, else `tensor` itself."""
    if not tensor._is_symbolic():
        return tensor
    value = constant_value(tensor)
    return tensor if value is None else Tensor(value)


def constant_at(trace: Any, reference: Reference, followed: Container[str] | None = None) -> np.ndarray | None:
    """The value of `reference` in `trace`, the trace of a function's body, as in `size_value`."""
    found = _value_at(trace, reference, followed)
    return None if found is None or has_quotients(found) else found


def _value_at(trace: Any, reference: Reference, followed: Container[str] | None) -> np.ndarray | None:
    """As `constant_at`, but with quotients of sizes."""
    if isinstance(reference, Number):
        return reference.on_host(trace.floats, trace.ints)
    steps = _steps(trace, reference, followed)
    if steps is None:
        return None
    values: dict[int, np.ndarray] = {}
    for node in steps:
        inputs = [
            part.on_host(trace.floats, trace.ints) if isinstance(part, Number) else values.get(part)
            for part in node.inputs
        ]
        outputs = _outputs(trace, node, inputs, followed)
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
            is_size = node.first in _found_sizes(trace)
            is_known = _is_constant(trace, node) if node.op is None else followed is None or node.op.name in followed
            if not (is_size or is_known):
                return None
            wanted.difference_update(slots)
            wanted.update(part for part in node.inputs if type(part) is int and not is_size)
            found.append(node)
        node = node.parent
    return None if wanted else found[::-1]


def _found_sizes(trace: Any) -> Mapping[int, np.ndarray]:
    """By slot, the sizes in `trace` that a program finds, with symbols."""
    return getattr(trace, "found_sizes", _NONE)


def _outputs(trace: Any, node: Node, inputs: list[Any], followed: Container[str] | None) -> Sequence[np.ndarray] | None:
    """The outputs of a step for `inputs`, which are None for those of a size that a program finds."""
    found = _found_sizes(trace)
    if node.first in found:
        return (found[node.first],)
    if found and node.op is not None and node.op.name in ORDERS and any(array.dtype == object for array in inputs):
        return None  # such a size may be less than 2
    return _leaf(trace, node, inputs, followed) if node.op is None else _computed(node, inputs)


def _source(trace: Any, node: Node) -> Any:
    """The source from which calls get the value of a leaf; a tensor if every call gets the same value."""
    sources = getattr(trace, "sources", ())
    return sources[node.leaves - 1] if node.leaves <= len(sources) else None


def _is_constant(trace: Any, node: Node) -> bool:
    return bool(node.inputs) or type(_source(trace, node)) in (Tensor, Sizes)


def _leaf(
    trace: Any, node: Node, inputs: list[np.ndarray], followed: Container[str] | None
) -> tuple[np.ndarray, ...] | None:
    """The value of a leaf: the number among `inputs`, else that of its tensor, perhaps of an enclosing function."""
    if inputs:
        return (inputs[0],)
    source = _source(trace, node)
    if type(source) is Sizes:
        return (source.array,)
    value = _value_of(source, followed) if source._is_symbolic() else np.asarray(source)
    return None if value is None else (value,)


def _computed(node: Node, inputs: list[np.ndarray]) -> tuple[np.ndarray, ...] | None:
    """The outputs of a step for `inputs`; None if its check refuses them, or if they can't be computed with symbols."""
    op: Any = node.op
    if not any(array.dtype == object for array in inputs):
        return _evaluated(op, inputs)
    outputs = _with_symbols(node, inputs)
    return outputs and tuple([_plain(*pair) for pair in zip(outputs, node.avals, strict=True)])


def _plain(array: np.ndarray, aval: Aval) -> np.ndarray:
    """`array`, with the dtype of `aval` if no symbol is left in it: floats can be computed from it then."""
    is_known = array.dtype == object and all(type(size) is int for size in array.flat)
    return array.astype(aval.dtype.as_numpy_dtype) if is_known else array


def _evaluated(op: Any, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
    """The outputs of `op` for `inputs`, on the host if possible; None if its check refuses them."""
    if op.check is not None and np.any(_evaluated(op.checker(), inputs)):
        return None
    signature = tuple([aval_of(array.shape, as_dtype(array.dtype)) for array in inputs])
    with Unwatched(), postponed(), jax.enable_x64(True):
        found = hosted(op, signature, inputs)
        outputs = found(inputs) if found is not None else None
        return tuple(map(np.asarray, op.outputs(*map(jnp.asarray, inputs)) if outputs is None else outputs))


def _with_symbols(node: Node, inputs: list[np.ndarray]) -> tuple[np.ndarray, ...] | None:
    """The outputs of a step on numbers, some of which are sizes with symbols; None if they follow no rule."""
    op: Any = node.op
    dtype = node.aval.dtype
    if op.name in _MOVES:
        return _moved(op, inputs)
    if dtype is not float64 and dtype not in INDEX:
        return None
    fold: Any = _QUOTIENTS.get(op.name, op.fold)
    if op.name == "cast":
        fold = truncated if dtype in INDEX else np.asarray
    if fold is None or op.name in _COMPARES:
        return None
    if op.name in ORDERS:
        note_order(*inputs)
    try:
        return (np.asarray(fold(*map(whole, inputs)), object),)
    except (jax.errors.InconclusiveDimensionOperation, TypeError):
        return None


def _moved(op: Any, inputs: list[np.ndarray]) -> tuple[np.ndarray, ...] | None:
    """The outputs of an op that moves elements of its first input, found by moving their numbers."""
    moved, *places = inputs
    if any(array.dtype == object for array in places):
        return None
    outputs = _evaluated(op, [np.arange(moved.size).reshape(moved.shape), *places])
    return outputs and tuple([np.asarray(moved.ravel()[numbers], object) for numbers in outputs])
