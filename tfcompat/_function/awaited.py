"""Calls of Python functions in graphs, and their answers whose shapes are told later or never.

A program computes with an answer of known shape. Any other can be printed and returned, and until its shape is told
nothing else can be done with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn
from weakref import WeakKeyDictionary, ref

import numpy as np

from tfcompat._core.aval import Aval, OpenAval, aval_of
from tfcompat._core.dtype import DType, int32, string
from tfcompat._core.host_call import Later, latest
from tfcompat._core.op import GradientRule, Op, ValueCheck
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor, pending
from tfcompat._core.trace import here, record
from tfcompat._function.called import Site, Step
from tfcompat._function.graph import Drawn, Graph
from tfcompat._function.refusal import out_of_scope

# By graphs, the slot that tells whether the last call in them has failed.
_outcomes: WeakKeyDictionary[Graph, int] = WeakKeyDictionary()
_NUMBER = aval_of((), int32)


class Staged:
    """A call of a Python function in what is being recorded.

    Attributes:
      key: the number of the call.
      inputs: what the function is called with.
      outcome: whether the call failed.
    """

    def __init__(self, site: Site, key: Tensor, inputs: Sequence[Tensor], *, has_gradient: bool) -> None:
        self.site = site
        self.key = key
        self.inputs = inputs
        self.has_gradient = has_gradient
        self.trace = here.trace
        self.outcome = Tensor(np.zeros((), np.int32))

    def record(self, outputs: Sequence[tuple[int, Aval]], *, reshapes: bool = False) -> list[Tensor]:
        """Records the call for `outputs`, after what was recorded before, and what tells whether it fails."""
        trace, name = self.trace, self.site.name
        before = self.outcome
        if isinstance(trace, Graph) and trace in _outcomes:
            before = trace.tensor(_outcomes[trace], _NUMBER)
        step = Step(self.site, outputs, has_gradient=self.has_gradient, reshapes=reshapes)
        op = Op(
            name, step, many=True, gradient=GradientRule(blocked=frozenset((0, 1, 2)) if self.has_gradient else True)
        )
        *found, self.outcome = record(op, (self.key, before, latest(), *self.inputs))
        if isinstance(trace, Graph):
            _outcomes[trace] = self.outcome._slot
            check = Op(
                name, _is_well, gradient=GradientRule(blocked=True), check=ValueCheck(_is_bad, self.site.complaint)
            )
            trace.effects.append(record(check, (self.outcome,)))
        return found

    def awaited(self, place: int, shape: TensorShape, dtype: DType) -> Tensor:
        """The answer in `place`, whose `shape` isn't known whole."""
        told = f"{self.site.name}: inside a tf.function XLA has to know the shape of what the Python function answers"
        refusal = (
            f"tf.{told}, unless it is only returned or printed; tell it by set_shape(), tf.ensure_shape or tf.reshape, "
            f"or give Tout=tf.TensorSpec(shape, {dtype!r})."
        )
        if dtype is string:
            refusal = f"tf.{self.site.name}: no program holds the strings that the Python function answers; let it "
            refusal += "answer numbers, or return the strings from the tf.function."
        return pending(Awaited(self, place), -1, OpenAval(shape, dtype, refusal))


class Awaited(Later):
    """What stands in the place of a trace for an answer whose shape isn't known."""

    def __init__(self, call: Staged, place: int) -> None:
        super().__init__(call.site.name, self._answer, [call.key, call.outcome, *call.inputs])
        self._call = call
        self._place = place

    def _answer(self, key: Any, outcome: Any, *arrays: Any) -> np.ndarray:
        answer = None if outcome else self._call.site.answer(np.asarray(key), list(map(np.asarray, arrays)))
        return np.asarray("(the call failed)") if answer is None else answer.values[self._place]

    def settle(self, tensor: Tensor, shape: Any) -> None:
        """Notes that `tensor` has `shape`; once all of it is known, the tensor is an ordinary one."""
        aval: Any = tensor._aval
        aval.tensor_shape = aval.tensor_shape.merge_with(shape)
        if aval.tensor_shape.is_fully_defined() and tensor.dtype is not string:
            found = self._output(tensor, _dims(aval.tensor_shape))
            tensor._aval, tensor._trace, tensor._slot = found._aval, found._trace, found._slot
            tensor._trace.pending.append(ref(tensor))

    def reshaped(self, tensor: Tensor, dims: tuple[int, ...]) -> Tensor:
        """The elements of `tensor` in the shape `dims`."""
        return self._output(tensor, dims, reshapes=True)

    def _output(self, tensor: Tensor, dims: tuple[int, ...], *, reshapes: bool = False) -> Tensor:
        """The answer with known shape, recorded where the call was."""
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
        """Raises NotImplementedError: the shape must be told before."""
        del use
        aval: Any = tensor._aval
        raise NotImplementedError(aval.refusal)

    materialise = refuse

    def made(self, tensor: Tensor, values: Sequence[Tensor]) -> Tensor:
        """The answer of a call that has `values` for what this depends on."""
        key, outcome, *inputs = values
        call = Staged(self._call.site, key, inputs, has_gradient=self._call.has_gradient)
        call.outcome = outcome
        if here.graph is not None:
            return call.awaited(self._place, tensor.shape, tensor.dtype)
        # A failure is told here.
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
    """What programs of the graph that is being recorded get from a call of `site`."""
    call = Staged(site, here.graph.drawn(Drawn(site)), inputs, has_gradient=has_gradient)
    kinds = list(enumerate(zip(shapes, dtypes, strict=True)))
    known = [
        (k, aval_of(_dims(shape), dtype))
        for k, (shape, dtype) in kinds
        if shape.is_fully_defined() and dtype is not string
    ]
    found = dict(zip([k for k, _ in known], call.record(known), strict=True))
    return [found[k] if k in found else call.awaited(k, *kind) for k, kind in kinds]


def _dims(shape: TensorShape) -> tuple[int, ...]:
    """The dimensions, all of which are known."""
    return tuple(size for size in shape if size is not None)


def _is_well(outcome: Any) -> Any:
    return outcome == 0


def _is_bad(outcome: Any) -> Any:
    return outcome != 0
