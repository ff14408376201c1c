"""Calls of Python functions in graphs, whose results may have unknown shapes.

A program can compute with a result of known shape. A result of unknown shape can only be printed and returned until
its shape is set.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, NoReturn
from weakref import WeakKeyDictionary, ref

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.host_call import Later, latest_effect
from tfcompat._core.operation.op import GradientRule, Op, ValueCheck
from tfcompat._core.structure.tensor import Tensor, pending
from tfcompat._core.system.error import UnmetError, UntraceableError
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.aval import Aval, OpenAval, aval_of
from tfcompat._core.types.dtype import DType, int32, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.graphs.called import Site, Step
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.graphs.refusal import out_of_scope
from tfcompat._function.graphs.source import Drawn

# For each graph, the slot of the flag that is nonzero if its last call failed.
_outcomes: WeakKeyDictionary[Graph, int] = WeakKeyDictionary()
_NUMBER = aval_of((), int32)
# A call is not made with inputs that derive from other values than the trace expects.
_UNLESS = Op("unless", lambda outcome, is_fit: jnp.where(is_fit, outcome, 1), gradient=GradientRule(blocked=True))


class Staged:
    """A call of a Python function that is being recorded.

    Attributes:
      key: the number of the call.
      inputs: the inputs of the function.
      outcome: a flag that is nonzero if the call failed.
      recurs: whether the shapes of its results may be those of earlier calls.
    """

    def __init__(self, site: Site, key: Tensor, inputs: Sequence[Tensor], *, has_gradient: bool) -> None:
        self.site = site
        self.key = key
        self.inputs = inputs
        self.has_gradient = has_gradient
        self.trace = here.trace
        self.outcome = Tensor(np.zeros((), np.int32))
        self.recurs = False

    def record(
        self, outputs: Sequence[tuple[int, Aval]], *, reshapes: bool = False, expected: Container[int] = ()
    ) -> list[Tensor]:
        """Records the call for `outputs`, ordered after earlier steps, and records the check that it did not fail.

        For `reshapes` and `expected` see `Step`.
        """
        trace, name = self.trace, self.site.name
        before = self.outcome
        if isinstance(trace, Graph) and trace in _outcomes:
            before = trace.tensor(_outcomes[trace], _NUMBER)
        if isinstance(trace, Graph) and (is_fit := trace.as_expected()) is not None:
            before = record(_UNLESS, (before, is_fit))
        step = Step(self.site, outputs, has_gradient=self.has_gradient, reshapes=reshapes, expected=expected)
        rule = GradientRule(blocked=frozenset((0, 1, 2)) if self.has_gradient else True)
        op = Op(name, step, many=True, gradient=rule, calls_python=True)
        *found, self.outcome = record(op, (self.key, before, latest_effect(), *self.inputs))
        if isinstance(trace, Graph):
            _outcomes[trace] = self.outcome._slot
            check = Op(
                name,
                _has_succeeded,
                gradient=GradientRule(blocked=True),
                check=ValueCheck(_has_failed, self.site.message),
            )
            trace.effects.append(record(check, (self.outcome,)))
        return found

    def awaited(self, place: int, shape: TensorShape, dtype: DType) -> Tensor:
        """The result number `place`, whose `shape` is not fully known."""
        kind = UnmetError if self.recurs else UntraceableError
        refusal = (
            f"tf.{self.site.name}: inside a tf.function XLA needs the shape of the Python function's result, unless it "
            "is only returned or printed; set it by set_shape(), tf.ensure_shape or tf.reshape, or give "
            f"Tout=tf.TensorSpec(shape, {dtype!r})."
        )
        if dtype is string:
            kind = UntraceableError
            refusal = f"tf.{self.site.name}: a program can't hold the strings that the Python function returns; return "
            refusal += "numbers from it, or return the strings from the tf.function."
        return pending(Awaited(self, place), -1, OpenAval(shape, dtype, kind(refusal)))


class Awaited(Later):
    """The `_trace` of a tensor that is a result of unknown shape."""

    def __init__(self, call: Staged, place: int) -> None:
        super().__init__(call.site.name, self._answer, [call.key, call.outcome, *call.inputs])
        self._call = call
        self._place = place

    def _answer(self, key: Any, outcome: Any, *arrays: Any) -> np.ndarray:
        answer = None if outcome else self._call.site.answer(np.asarray(key), list(map(np.asarray, arrays)))
        return np.asarray("(the call failed)") if answer is None else answer.values[self._place]

    def settle(self, tensor: Tensor, shape: Any) -> None:
        """Merges `shape` into the shape of `tensor`. Once the shape is fully known, the tensor is an ordinary one."""
        aval: Any = tensor._aval
        aval.tensor_shape = aval.tensor_shape.merge_with(shape)
        if aval.tensor_shape.is_fully_defined() and tensor.dtype is not string:
            found = self._output(tensor, _dims(aval.tensor_shape))
            tensor._aval, tensor._trace, tensor._slot = found._aval, found._trace, found._slot
            tensor._trace.pending.append(ref(tensor))

    def again(self, tensor: Tensor) -> Tensor:
        """The same result as a tensor of its own, whose shape may be set."""
        return self._call.awaited(self._place, tensor.shape, tensor.dtype)

    def reshaped(self, tensor: Tensor, dims: tuple[int, ...]) -> Tensor:
        """The elements of `tensor` in the shape `dims`."""
        return self._output(tensor, dims, reshapes=True)

    def _output(self, tensor: Tensor, dims: tuple[int, ...], *, reshapes: bool = False) -> Tensor:
        """The result with a known shape, recorded in the trace of the call."""
        trace = self._call.trace
        if isinstance(trace, Graph) and not trace.is_open:
            out_of_scope(tensor)
        inner = here.trace, here.graph
        here.trace = trace
        here.graph = trace if isinstance(trace, Graph) else None
        try:
            return self._call.record([(self._place, aval_of(dims, tensor.dtype))], reshapes=reshapes)[0]
        finally:
            here.trace, here.graph = inner

    def refuse(self, tensor: Tensor, use: str) -> NoReturn:
        """Raises UntraceableError: the shape must be set before the tensor is used."""
        del use
        aval: Any = tensor._aval
        raise aval.refused()

    read = materialise = refuse

    def made(self, tensor: Tensor, values: Sequence[Tensor]) -> Tensor:
        """The result of a call with `values` in place of the tensors that this one depends on."""
        key, outcome, *inputs = values
        call = Staged(self._call.site, key, inputs, has_gradient=self._call.has_gradient)
        call.outcome = outcome
        if here.graph is not None:
            return call.awaited(self._place, tensor.shape, tensor.dtype)
        # Raises the error if the call failed.
        outcome.numpy()
        array = self._answer(key.numpy(), 0, *[value.numpy() for value in inputs])
        if not here.tapes or tensor.dtype is string:
            return Tensor(array)
        return call.record([(self._place, aval_of(array.shape, tensor.dtype))])[0]


def staged(
    site: Site,
    inputs: Sequence[Tensor],
    shapes: Sequence[TensorShape],
    dtypes: Sequence[DType],
    *,
    has_gradient: bool,
) -> list[Tensor]:
    """The results of a call of `site`, recorded in the current graph."""
    call = Staged(site, here.graph.drawn(Drawn(site)), inputs, has_gradient=has_gradient)
    met = here.graph.expected_shapes(site.function, [tensor.shape for tensor in inputs], shapes)
    call.recurs, expected = met is not None and site.function is not None, met or {}
    shapes = [TensorShape(expected.get(k, shape)) for k, shape in enumerate(shapes)]
    kinds = list(enumerate(zip(shapes, dtypes, strict=True)))
    known = [
        (k, aval_of(_dims(shape), dtype))
        for k, (shape, dtype) in kinds
        if shape.is_fully_defined() and dtype is not string
    ]
    found = dict(zip([k for k, _ in known], call.record(known, expected=expected), strict=True))
    return [found[k] if k in found else call.awaited(k, *kind) for k, kind in kinds]


def _dims(shape: TensorShape) -> tuple[int, ...]:
    """The dimensions of a fully known shape."""
    return tuple(size for size in shape if size is not None)


def _has_succeeded(outcome: Any) -> Any:
    return outcome == 0


def _has_failed(outcome: Any) -> Any:
    return outcome != 0
