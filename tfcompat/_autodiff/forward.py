"""`tf.autodiff.ForwardAccumulator`: Jacobian-vector products, by a walk forward over the trace."""

from __future__ import annotations

from typing import Any

from tfcompat._autodiff.backward import zeros
from tfcompat._autodiff.tape import UnconnectedGradients
from tfcompat._core import nest
from tfcompat._core.aval import Aval
from tfcompat._core.convert import as_tensor, convert_to_tensor
from tfcompat._core.node import Node
from tfcompat._core.op import differentiable
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import Trace, here, start_step
from tfcompat._state.variable import Variable


class ForwardAccumulator:
    """Computes Jacobian-vector products of what is computed in its context.

    Args:
      primals: tensors or variables, or a nested structure of them.
      tangents: the direction, in the structure of `primals`, of the same shapes and dtypes.

    Raises: ValueError if the same primal comes twice, or shapes or dtypes differ.
    Source: TF 2.21 `tf.autodiff.ForwardAccumulator`.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        nest.assert_same_structure(primals, tangents)
        self._primals = [self._checked(p) for p in nest.flatten(primals)]
        if len({id(p) for p in self._primals}) != len(self._primals):
            raise ValueError("Primals must be unique; a tensor or variable was given twice.")
        self._directions = [
            convert_to_tensor(t, dtype=p.dtype) for p, t in zip(self._primals, nest.flatten(tangents), strict=True)
        ]
        for primal, direction in zip(self._primals, self._directions, strict=True):
            if tuple(primal.shape) != tuple(direction.shape):
                raise ValueError(f"The tangent's shape {direction.shape} is not the primal's, {primal.shape}.")
        self._trace: Trace | None = None
        self._is_recording = False
        self._intervals: list[tuple[int, int]] = []
        self._tangents: dict[int, tuple[int, Aval]] = {}
        self._done = 0

    @staticmethod
    def _checked(primal: Any) -> Any:
        if isinstance(primal, Variable):
            return primal
        tensor = as_tensor(primal)
        return convert_to_tensor(primal) if tensor is None else tensor

    def __enter__(self) -> ForwardAccumulator:
        if self._is_recording:
            raise ValueError("Accumulator is already recording.")
        if not here.tapes and self._trace is None:
            start_step()
        self._trace = here.trace
        self._trace.hold(self)
        self._start = self._trace.node.slot
        self._is_recording = True
        here.tapes.append(self)
        for primal, direction in zip(self._primals, self._directions, strict=True):
            tensor = primal._tensor if isinstance(primal, Variable) else primal
            if differentiable(tensor._aval):
                self._tangents[self._trace.slot_of(tensor)] = (self._trace.slot_of(direction), tensor._aval)
        self._start = self._trace.node.slot
        self._done = self._start
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        assert self._trace is not None
        here.tapes.remove(self)
        self._is_recording = False
        self._intervals.append((self._start, self._trace.node.slot))

    def holds(self, trace: Trace) -> bool:
        """Whether this accumulator may still replay `trace`."""
        return trace is self._trace

    def touch(self, variable: Variable) -> None:
        """A variable's tangent is that of the value it had on entry; reading changes nothing."""

    @property
    def customs(self) -> dict[int, Any]:
        """Gradients written by the user do not say how tangents move."""
        raise NotImplementedError(
            "tf.autodiff.ForwardAccumulator: not supported through tf.custom_gradient; use tf.GradientTape."
        )

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The Jacobian-vector product of each of `primals`, in their structure; None (or zeros) where there is none.

        Shapes: those of `primals`.
        Dtypes: those of `primals`.
        Raises: ValueError for an unknown `unconnected_gradients`.
        """
        mode = UnconnectedGradients(unconnected_gradients)
        if self._trace is None:
            raise ValueError("Called jvp() before the accumulator was entered.")
        self._push()
        return nest.map_structure(lambda primal: self._jvp(primal, mode), primals)

    def _jvp(self, primal: Any, mode: UnconnectedGradients) -> Tensor | None:
        trace = self._trace
        assert trace is not None
        tensor = primal._tensor if isinstance(primal, Variable) else primal
        slot = trace.find(tensor)
        found = None if slot is None else self._tangents.get(slot)
        if found is not None:
            return trace.tensor(*found)
        if mode is UnconnectedGradients.NONE:
            return None
        return here.trace.tensor(here.trace.step(zeros(tensor._aval), (), ()).first, tensor._aval)

    def _push(self) -> None:
        """Records the tangents of everything in the context that has none yet."""
        trace = self._trace
        assert trace is not None
        path = trace.node.path()
        end = trace.node.slot
        intervals = [*self._intervals, (self._start, end)] if self._is_recording else self._intervals
        for node in path:
            if node.op is None or node.first < self._done or not any(a <= node.first < b for a, b in intervals):
                continue
            self._move(trace, node)
        self._done = end

    def _move(self, trace: Trace, node: Node) -> None:
        op = node.op
        assert op is not None
        floating = [k for k, aval in enumerate(node.avals) if differentiable(aval)]
        moving = {
            i: self._tangents[slot]
            for i, slot in enumerate(node.inputs)
            if type(slot) is int and slot in self._tangents
        }
        moved = tuple(i for i in moving if any(op.links(k, i) for k in floating))
        if not moved:
            return
        tangents = [moving[i] for i in moved]
        push = op.pushforward(node.signature, moved)
        inputs = (*node.inputs, *(slot for slot, _ in tangents))
        step = trace.step(push, inputs, (*node.signature, *(aval for _, aval in tangents)))
        for k, output in enumerate(floating):
            self._tangents[node.first + output] = (step.first + k, step.avals[k])
