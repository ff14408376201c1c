"""`tf.autodiff.ForwardAccumulator`: Jacobian-vector products, by a forward walk over the trace."""

from __future__ import annotations

from typing import Any, Self

from tfcompat._autodiff import relocation
from tfcompat._autodiff.argument import aval_of
from tfcompat._autodiff.connection import Connections, UnconnectedGradients, with_zeros
from tfcompat._autodiff.context import RecordingContext
from tfcompat._autodiff.custom import CUSTOM
from tfcompat._autodiff.gradient import Dense
from tfcompat._autodiff.transposition import tangents_of_custom
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.operation.op import differentiable
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.structure.watched import note_watched
from tfcompat._core.tracing.trace import Trace, here
from tfcompat._core.types import nest
from tfcompat._ops.array.layout import broadcast_to
from tfcompat._state.variable import Variable

# No custom gradients: the function itself is differentiated.
_CONNECTIONS = Connections({})


class ForwardAccumulator(RecordingContext):
    """Computes Jacobian-vector products of the ops in its context.

    For a function with a custom gradient it differentiates the function itself, as TensorFlow does. Only results that
    the ops of the function do not derive from its arguments get their tangents from the custom gradient.

    Args:
      primals: tensors or variables, or a nested structure of them.
      tangents: the direction, with the structure, shapes and dtypes of `primals`.

    Raises: ValueError if a primal comes twice, or structures, shapes or dtypes differ.
    Source: TF 2.21 `tf.autodiff.ForwardAccumulator`.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        nest.assert_same_structure(primals, tangents)
        self._primals = [_primal(primal) for primal in nest.flatten(primals)]
        if len(set(map(_identity, self._primals))) != len(self._primals):
            raise ValueError(
                "ForwardAccumulator: a tensor was specified as a primal multiple times. If that was intended, sum the "
                "corresponding tangents."
            )
        self._directions = [_direction(p, t) for p, t in zip(self._primals, nest.flatten(tangents), strict=True)]
        pairs = list(zip(self._primals, self._directions, strict=True))
        # The directions of variables, by number; the tangents of slots. The steps before `_end` have tangents.
        self._of_variables = {primal._number: direction for primal, direction in pairs if isinstance(primal, Variable)}
        self._tangents: dict[int, Dense] = {}
        self._end = 0
        super().__init__()

    def __enter__(self) -> Self:
        if self._is_recording:
            raise ValueError("Accumulator is already recording.")
        is_new = self._trace is None
        self._resume()
        if is_new:
            for primal, direction in zip(self._primals, self._directions, strict=True):
                tensor = primal._entered() if isinstance(primal, Variable) else primal
                note_watched(tensor)
                self._set_tangent(self._slot_of(tensor), direction)
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if kind is None and len(here.tapes) > 1:
            self._propagate()
        super().__exit__(kind, value, traceback)

    def _relocate(self, copy: relocation.Copy) -> None:
        super()._relocate(copy)
        self._end = copy.position(self._end)
        self._tangents = {
            copy.slots[slot]: Dense(copy.slots[tangent.slot], tangent.aval) for slot, tangent in self._tangents.items()
        }

    def _needed(self, trace: Trace) -> int:
        return trace.node.slot

    def touch(self, variable: Variable, tensor: Tensor) -> None:
        """Gives `tensor`, as which `variable` is being read, the tangent of the variable, also after an assignment."""
        direction = self._of_variables.get(variable._number)
        if direction is not None:
            self._set_tangent(self._slot_of(tensor), direction)

    def observe(self, variable: Variable) -> None:
        """Does nothing: the value of `variable` is read outside of ops."""

    def touch_at(self, variable: Variable, slot: int) -> None:
        """Gives `slot`, the value of `variable` in a called function, the variable's tangent."""
        direction = self._of_variables.get(variable._number)
        if direction is not None:
            self._set_tangent(slot, direction)

    def _set_tangent(self, slot: int, direction: Tensor) -> None:
        if slot not in self._tangents and differentiable(direction._aval):
            self._tangents[slot] = Dense(self._slot_of(direction), direction._aval)

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The Jacobian-vector product of each of `primals`, in their structure; None (or zeros) if not connected.

        Shapes: those of `primals`.
        Dtypes: those of `primals`.
        Raises: ValueError for an unknown `unconnected_gradients`.
        Source: TF 2.21 `tf.autodiff.ForwardAccumulator.jvp`.
        """
        has_zeros = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        if self._trace is None:
            self.__enter__()
            super().__exit__(None, None, None)
        if self._trace is not here.trace:
            assert self._trace is not None
            self._switch_to(self._trace)
        self._propagate()
        return nest.map_structure(lambda primal: self._jvp(primal, has_zeros), primals)

    def _jvp(self, primal: Any, has_zeros: bool) -> Tensor | None:
        tensor = primal._tensor if isinstance(primal, Variable) else primal
        slot = self._find(tensor)
        found = None if slot is None else self._tangents.get(slot)
        tangent = None if found is None else here.trace.tensor(*found)
        return with_zeros(here.trace, [tangent], [tensor._aval])[0] if has_zeros else tangent

    def _propagate(self) -> None:
        """Records the tangents of all steps in the context that have no tangent yet."""
        trace = self._trace
        assert trace is not None
        end = trace.node.slot
        intervals = [*self._intervals, (self._start, end)] if self._is_recording else self._intervals
        for node in trace.node.path():
            if node.first >= self._end and any(start <= node.first < stop for start, stop in intervals):
                self._propagate_through(trace, node)
        self._end = end

    def _propagate_through(self, trace: Trace, node: Node) -> None:
        op = node.op
        if op is None:
            return
        moving = {
            i: self._tangents[slot]
            for i, slot in enumerate(node.inputs)
            if type(slot) is int and slot in self._tangents
        }
        if op is CUSTOM:
            self._tangents.update({node.first + i: tangent for i, tangent in moving.items()})
            self._propagate_through_custom(trace, node)
            return
        moved = tuple(i for i in moving if _CONNECTIONS.moves(node, i))
        if not moved:
            return
        inputs = (*node.inputs, *(moving[i].slot for i in moved))
        signature = (*node.signature, *(moving[i].aval for i in moved))
        step = trace.step(op.pushforward(node.signature, moved), inputs, signature)
        floating = [k for k, aval in enumerate(node.avals) if differentiable(aval)]
        for k, output in enumerate(floating):
            if any(_CONNECTIONS.links(node, output, i) for i in moved):
                self._tangents[node.first + output] = Dense(step.first + k, step.avals[k])

    def _propagate_through_custom(self, trace: Trace, node: Node) -> None:
        """Sets the tangents of the outputs of `node` that the ops of the function do not derive from its arguments."""
        custom = self.customs.get(node.first)
        lacking = [k for k, aval in enumerate(node.avals) if differentiable(aval)]
        lacking = [node.first + k for k in lacking if node.first + k not in self._tangents]
        directions = [] if custom is None else [self._tangents.get(slot) for slot in custom.inputs]
        if lacking and any(directions):
            found = tangents_of_custom(trace, node, directions, self.customs)
            tangents = zip(lacking, [found[slot - node.first] for slot in lacking], strict=True)
            self._tangents.update({slot: tangent for slot, tangent in tangents if tangent is not None})


def _primal(primal: Any) -> Tensor | Variable:
    if isinstance(primal, Variable):
        return primal
    tensor = as_tensor(primal)
    if tensor is None:
        raise AttributeError(
            f"{type(primal).__name__!r} object has no attribute 'dtype': tf.autodiff.ForwardAccumulator: a primal must "
            "be a tensor or a variable."
        )
    return tensor


def _identity(primal: Tensor | Variable) -> Any:
    return primal._number if isinstance(primal, Variable) else primal.ref()


def _direction(primal: Tensor | Variable, tangent: Any) -> Tensor:
    aval = aval_of(primal)
    direction = convert_to_tensor(tangent, aval.dtype)
    if direction._aval == aval:
        return direction
    if direction._aval.ndim == 0:
        return broadcast_to(direction, aval.shape)
    raise ValueError(
        f"tf.autodiff.ForwardAccumulator: a tangent must have the shape of its primal, {aval.shape}, got "
        f"{direction._aval.shape}."
    )
