"""Values that the host computes from tensors: immediately, or at each call of a function that is being traced.

A program holds only numbers. A tensor of strings made from numbers that a program computes stores the function that
makes the strings. Code that needs them at run time (`tf.print`) has the program call that function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import jax
import numpy as np

from tfcompat._core.calls.by_row import NO_ARGUMENTS, element_trace, elementwise
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.tensor import Tensor, pending
from tfcompat._core.system.callback import call_python
from tfcompat._core.system.error import UntraceableError, found_by_kernel
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dtype import DType, string

Compute = Callable[..., np.ndarray]
# Of rank 1: a scalar would be one of the numbers of a trace.
_NO_EFFECT = Tensor(np.zeros(1, np.int32))
_AFTER = Op("after", lambda effect: effect.astype(np.int32).reshape(-1)[:1], gradient=GradientRule(blocked=True))


class Later:
    """In place of a trace: a value that the host computes at each call, by `compute` of the values of `inputs`."""

    is_symbolic = True

    def __init__(self, name: str, compute: Compute, inputs: Sequence[Tensor]) -> None:
        self.name = name
        self.compute = compute
        self.inputs = inputs

    def refuse(self, tensor: Tensor, use: str) -> NoReturn:
        """Raises UntraceableError: the tensor has no value while a function is traced."""
        del tensor, use
        raise UntraceableError(
            f"tf.{self.name}: in a trace, a string that the function computes can be printed, returned and passed to "
            "tf.strings, but not read or stored; make it outside of the function, or in a tf.py_function."
        )

    read = materialise = refuse

    def made(self, tensor: Tensor, values: Sequence[Tensor]) -> Tensor:
        """The value of `tensor` for the `values` that the inputs have in a call."""
        return computed(self.name, self.compute, values, tensor._aval.shape, string)

    def name_of(self, tensor: Tensor) -> str:
        """A name for printing."""
        del tensor
        return f"{self.name}:0"


def computed(
    name: str,
    compute: Compute,
    tensors: Sequence[Tensor],
    shape: Any,
    dtype: DType,
    *,
    is_elementwise: bool = False,
    arguments: Mapping[str, Any] = NO_ARGUMENTS,
) -> Tensor:
    """A tensor of `shape` and `dtype` whose value is `compute` of the values of `tensors`.

    The sizes in `shape` may be symbols, and in functions of elements it is None for an unknown rank. `compute` returns
    an array of the shape that fits its arguments; if it `is_elementwise`, each of its items depends on one of each.
    `arguments` are those of the op beside the tensors.
    """
    trace = element_trace()
    if trace is not None and any(map(is_open, tensors)):
        block = elementwise(lambda *arrays: [compute(*arrays)]) if is_elementwise else None
        outputs = [(shape, dtype)]
        return trace.hosted(
            name, lambda _, *arrays: [compute(*arrays)], tensors, outputs, block=block, arguments=arguments
        )[0]
    inputs, values = sources(tensors)
    if not inputs:
        with found_by_kernel():
            return Tensor(compute(*values()))

    def at_call(*arrays: Any) -> np.ndarray:
        return compute(*values(*arrays))

    aval = aval_of(shape, dtype)
    if dtype is not string:
        return record(Op(name, _calling(at_call, aval.struct), gradient=GradientRule(blocked=True)), tuple(inputs))
    return pending(Later(name, at_call, inputs), -1, aval)


def sources(tensors: Sequence[Tensor]) -> tuple[list[Tensor], Callable[..., list[np.ndarray]]]:
    """The unknown tensors from which `tensors` are computed, and the function of their values that does so."""
    inputs: list[Tensor] = []
    makers: list[tuple[Compute, int, int]] = []
    for tensor in tensors:
        first = len(inputs)
        if not is_open(tensor):
            makers.append((tensor.__array__, first, first))
            continue
        later = tensor._trace if isinstance(tensor._trace, Later) else None
        inputs += [tensor] if later is None else later.inputs
        makers.append((np.asarray if later is None else later.compute, first, len(inputs)))

    def values(*arrays: Any) -> list[np.ndarray]:
        return [make(*arrays[first:last]) for make, first, last in makers]

    return inputs, values


def is_later(value: Any) -> bool:
    """Whether the host computes the value of `value` at each call."""
    return type(value) is Tensor and isinstance(value._trace, Later)


def without_later(flat: Sequence[Any]) -> list[Any]:
    """`flat` with None in place of strings made in a call, followed by the tensors from which they are made."""
    inputs = [one for value in flat if is_later(value) for one in value._trace.inputs]
    return [None if is_later(value) else value for value in flat] + inputs


def with_later(flat: Sequence[Any], texts: Sequence[tuple[int, Tensor]]) -> list[Any]:
    """The inverse of `without_later` for the values of a call: `texts` are the strings and their places."""
    first = len(flat) - sum(len(text._trace.inputs) for _, text in texts)
    found = list(flat[:first])
    for place, text in texts:
        last = first + len(text._trace.inputs)
        found[place] = text._trace.made(text, flat[first:last])
        first = last
    return found


def is_open(tensor: Tensor) -> bool:
    """Whether the value differs between calls: it depends on an argument or on a variable."""
    return tensor._is_symbolic() or (here.graph is not None and id(tensor) in here.graph.cells)


def latest_effect() -> Tensor:
    """The latest side effect in the function that is being traced or in those around it; 0 if there was no effect.

    The next call of the host takes it as an input, so that effects keep their order.
    """
    graph = here.graph
    while getattr(graph, "is_open", False):
        if graph.effects:
            return graph.effects[-1]
        graph = graph.outer
    return _NO_EFFECT


def before(source: Any) -> Tensor | None:
    """The effect before a call, if the leaf `source` of the called function stands for it; else None."""
    if source is not _NO_EFFECT:
        return None
    effect = latest_effect()
    return effect if effect is _NO_EFFECT else record(_AFTER, (effect,))


def _calling(function: Compute, struct: jax.ShapeDtypeStruct) -> Callable[..., Any]:
    def call(*arrays: Any) -> Any:
        return call_python(lambda *values: [function(*values)], [struct], *arrays)[0]

    return call
