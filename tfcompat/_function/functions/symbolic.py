"""Traces that are the same for every size of the open dimensions, for which JAX's symbolic dimensions are used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import export

from tfcompat._core.operation.sized import has_symbols
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._function.running.body import Body
from tfcompat._function.sizes.sized_trace import sized
from tfcompat._jaxpr.size import symbols_of


def symbolic(specs: Sequence[Any], *, are_shared: bool) -> list[Any]:
    """A struct with symbols for the open dimensions of each spec among `specs`, None for other values.

    Each open dimension has its own symbol. If they `are_shared`, all open dimensions of the same axis have one symbol.
    """
    scope = export.SymbolicScope()
    count = 0
    structs: list[Any] = []
    for spec in specs:
        if not isinstance(spec, TensorSpec):
            structs.append(None)
            continue
        names: list[str] = []
        for axis, size in enumerate(spec.shape):
            names.append(str(size) if size is not None else f"d{axis if are_shared else count}")
            count += size is None
        dims = export.symbolic_shape(", ".join(names), scope=scope)
        structs.append(jax.ShapeDtypeStruct(dims, spec.dtype.as_numpy_dtype))
    return structs


def fits_one(body: Body) -> bool:
    """Whether the shapes that are inferred with symbols are right for sizes of 1, too."""
    avals = [aval for node in body.stored.node.path() for aval in node.avals]
    names = symbols_of([size for aval in avals for size in aval.shape])
    try:
        return sized(body.stored, dict.fromkeys(names, 1)) is not None
    except InvalidArgumentError:
        return False


def fixes_size(body: Body) -> bool:
    """Whether `body`, traced with symbols, gives an open size one value, and fails for others."""
    return any(step.op is not None and step.op.name == "ensure_shape" for step in body.stored.node.path())


def require_free_of_symbols(name: str, body: Body) -> None:
    """Raises NotImplementedError unless the steps of `body`, traced with symbols, are the same for all sizes."""
    if fixes_size(body):
        raise _depends(name, "the check of tf.ensure_shape")
    for step in body.stored.node.path():
        if step.op is not None and has_symbols(step.op):
            raise _depends(name, f"the step {step.op!r}, recorded at {step.line}")
    if any(type(source) is Sizes for source in body.sources) or has_symbols(tuple(body.stored.numbers[1])):
        raise _depends(name, "a number in it, such as an element of tf.shape(x),")


def require_free_of_sizes(name: str, one: Body, other: Body) -> None:
    """Raises NotImplementedError unless `one` and `other`, traced for different sizes, have the same steps."""
    steps, others = one.stored.node.path(), other.stored.node.path()
    for step, twin in zip(steps, others, strict=False):
        if step.op is not twin.op or step.inputs != twin.inputs:
            raise _depends(name, f"the step {step.op!r}, recorded at {step.line}")
    if len(steps) != len(others):
        raise _depends(name, "the number of its steps")
    numbers = [repr(body.stored.numbers) for body in (one, other)]
    if numbers[0] != numbers[1] or not all(map(_are_same, one.sources, other.sources)):
        raise _depends(name, "a number in it, such as an element of tf.shape(x),")
    constants = [[value for value, aval in body.stored.outputs if aval is None] for body in (one, other)]
    if not all(map(_are_same_constants, *constants)):
        raise _depends(name, "a result, such as tf.shape(x),")


def _are_same(source: Any, other: Any) -> bool:
    """Whether a leaf has the same value in both traces."""
    if type(source) is not Tensor or type(other) is not Tensor:
        return type(source) is type(other)
    return source is other or (
        source._aval is other._aval and np.array_equal(np.asarray(source._array), np.asarray(other._array))
    )


def _are_same_constants(value: Any, other: Any) -> bool:
    """Whether a result that is a constant has the same value in both traces."""
    if type(value) is not Tensor or type(other) is not Tensor:
        return type(value) is type(other)
    # Strings are refused with a message of their own.
    return value._aval.struct is None or np.array_equal(np.asarray(value), np.asarray(other))


def _depends(name: str, what: str) -> NotImplementedError:
    return NotImplementedError(
        f"{name}: {what} depends on the size of an open dimension, but an XLA program is compiled for one size; use "
        "get_concrete_function with the size, or let -1, broadcasting and reductions determine it."
    )
