"""Decides when the gradient of a target for a source is None, when it is zeros, and when requesting it is an error.

Tapes, `tf.gradients`, jacobians, forward accumulators, `tape.explain`, branches and loops use this module. It applies
these rules of TensorFlow:

1. Dtype: only floating and complex tensors carry gradients (`differentiable`). A gradient for any other source is None;
   any other target is left out.
2. Step: a gradient passes from an output of a step to an input if the op connects the two (`Connections.links`). Every
   op does, except where its `GradientRule` says otherwise. A derivative that is 0 everywhere connects: it gives zeros.
   A step with a `tf.custom_gradient` connects all outputs with all arguments, and passes on the result of the user's
   function, which may be None.
3. Recording: a gradient passes only through the steps that the tape has recorded (`Following`): those in its context
   that read a watched value, or a value that derives from one.
4. Source: its gradients through different steps are added. If none arrives, its gradient is None (`Walk.run`).
5. Error: an op without a gradient, `GradientRule.no_gradient`, raises LookupError if a gradient arrives at an output.
6. Second derivative: a gradient step is a step, and rule 2 holds. It connects with the inputs that the derivative is
   computed from (`GradientRule.of_pullback`). The derivative of `2 * x` is not computed from `x`, so the second one is
   None. That of `tf.nn.relu` only compares `x` with 0; such second derivatives are zeros if the rule is `flat`.
7. Control flow: in a traced function a branch or a loop is one op. It connects an output with the operands that the
   steps inside connect it with (`Connections.reached`), in a loop after any number of iterations (`after_iterations`).
   Second derivatives of loops are zeros where TensorFlow's gradient loop takes a value of the first loop, otherwise
   None (`Connections.kept_by_loop`).
8. Forward mode: a tangent passes where a gradient does. Through an op whose derivative is the constant 0 (`tf.sign`) it
   does not (`Connections.moves`).
9. Last, zeros replace None (`with_zeros`): for `UnconnectedGradients.ZERO`, in batch jacobians, and in the arguments of
   the user's gradient functions.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from tfcompat._autodiff.gradient import CustomCall, Span, zeros_tensor
from tfcompat._core.operation.op import differentiable
from tfcompat._core.structure.node import Node, Reference
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import Trace
from tfcompat._core.types.aval import Aval

T = TypeVar("T")
Links = frozenset[int]
_NONE: Links = frozenset()


class Connections:
    """The inputs of a trace's steps that the gradients of their outputs reach.

    `customs` are the steps with a custom gradient, by first slot.
    """

    def __init__(self, customs: Mapping[int, CustomCall]) -> None:
        self._customs = customs

    def inputs(self, node: Node) -> Sequence[Reference]:
        """The inputs of a step that receive its gradients."""
        custom = self._customs.get(node.first)
        return node.inputs if custom is None else custom.inputs

    def links(self, node: Node, output: int, position: int) -> bool:
        """Whether a gradient passes from number `output` of the outputs of a step to the input at `position`."""
        if node.op is None or not differentiable(node.avals[output]):
            return False
        return node.first in self._customs or node.op.gradient.links(output, position)

    def derives(self, node: Node, output: int, position: int) -> bool:
        """Whether a tape that follows the input at `position` follows the output.

        Most ops that pass no gradient have outputs that are followed, since a gradient for them may be requested.
        """
        if node.op is None or not differentiable(node.avals[output]):
            return False
        return node.first in self._customs or node.op.gradient.derives(output, position)

    def moves(self, node: Node, position: int) -> bool:
        """Whether the tangent of the input at `position` gives an output a tangent."""
        op = node.op
        floating = tuple(k for k, aval in enumerate(node.avals) if differentiable(aval))
        if op is None or not any(self.links(node, k, position) for k in floating):
            return False
        return not (op.gradient.flat and 0 in op.pullback(node.signature, (position,), floating)[0].zeros)

    def reached(self, path: Iterable[Node], starts: Sequence[int]) -> dict[Reference, Links]:
        """For each slot of `path`, which of the slots `starts`, by number, its gradient reaches."""
        reached: dict[Reference, Links] = {slot: frozenset((k,)) for k, slot in enumerate(starts)}
        given = set(starts)
        for node in path:
            inputs = self.inputs(node)
            for k in range(len(node.avals)):
                if node.op is not None and node.first + k not in given:
                    parts = [reached.get(slot, _NONE) for i, slot in enumerate(inputs) if self.links(node, k, i)]
                    reached[node.first + k] = _NONE.union(*parts)
        return reached

    def kept_by_loop(
        self, path: Sequence[Node], starts: Sequence[int], linked: Iterable[Links], operands: Sequence[Aval]
    ) -> Links:
        """The operands that, for tapes, TensorFlow's gradient of a loop depends on.

        That gradient is a second loop, which takes the values that the gradients of the steps read. If it takes any
        value, tapes regard it as dependent on every operand of the first loop, and the second derivatives of operands
        that nothing else depends on are zeros. If it takes none, they are None. The gradient of `2 * x` reads `x`,
        although it does not depend on it.

        `path` and `starts` are the steps of the body and its leaves. `linked` are the operands that each output of the
        loop is connected with.
        """
        reached = self.reached(path, starts)
        read = [slot for node in path if _gradient_reads(node) for slot in node.inputs if type(slot) is int]
        if not any(reached.get(slot) for slot in read):
            return _NONE
        return frozenset(k for k in _NONE.union(*linked) if differentiable(operands[k]))


def _gradient_reads(node: Node) -> bool:
    """Whether TensorFlow's gradient of a step reads values."""
    if node.op is None:
        return False
    rule = node.op.gradient
    return not rule.is_blocked and bool(rule.keeps or rule.reads)


def after_iterations(links: Sequence[set[int]], first: int = 0) -> list[set[int]]:
    """The connections of each part of a loop's state after any number of iterations, from `links` after one.

    Part k of the state has the number `first` + k in `links`.
    """
    known = list(links)
    while True:
        wider = [found.union(*[known[k - first] for k in found if 0 <= k - first < len(known)]) for found in known]
        if wider == known:
            return known
        known = wider


class Following:
    """The steps that a tape has recorded: those in its span that derive from watched slots.

    A step is recorded if one of its inputs was watched at that time. It then passes gradients to all of its inputs that
    are watched at any time, as in TensorFlow.

    Attributes:
      positions: the steps, by first slot, with the positions of the inputs that gradients go to.
      reached: the slots that are watched or derive from watched ones.
    """

    def __init__(self, path: Iterable[Node], span: Span, connections: Connections) -> None:
        self._connections = connections
        self._reads = frozenset(slot for slot, _ in span.reads)
        # Steps, by first slot, with the slots that they read and follow.
        self._reading: set[tuple[int, object]] = set()
        self.reached: set[int] = set()
        recorded = self._recorded(path, span)
        self.positions = {node.first: self._followed(node) for node in recorded}

    def _recorded(self, path: Iterable[Node], span: Span) -> list[Node]:
        leaves = dict(span.twins)
        events = sorted((*span.watched, *span.reads), key=lambda event: event[1], reverse=True)
        recorded: list[Node] = []
        for node in path:
            while events and events[-1][1] <= node.first:
                self.reached.add(events.pop()[0])
            if node.op is not None and span.covers(node):
                inputs, positions = self._connections.inputs(node), self._followed(node)
                if outputs := self._derived(node, positions):
                    recorded.append(node)
                    self._reading.update((node.first, inputs[i]) for i in positions)
                    self.reached.update(outputs, [leaves.get(slot, slot) for slot in outputs])
        self.reached.update(slot for slot, _ in events)
        return recorded

    def _followed(self, node: Node) -> tuple[int, ...]:
        """The inputs of `node` that are reached so far.

        A gradient step reads a variable as its forward step did: if that read was not followed, this one is not either,
        even if the variable is watched by now.
        """
        inputs = self._connections.inputs(node)
        positions = [i for i, slot in enumerate(inputs) if slot in self.reached]
        if node.origin is None:
            return tuple(positions)
        forward, reads = node.origin.forward.first, node.origin.reads
        return tuple(
            [
                i
                for i in positions
                if i >= reads or inputs[i] not in self._reads or (forward, inputs[i]) in self._reading
            ]
        )

    def _derived(self, node: Node, positions: Sequence[int]) -> list[int]:
        """The outputs of `node` that derive from the inputs at `positions`."""
        outputs = range(len(node.avals))
        return [node.first + k for k in outputs if any(self._connections.derives(node, k, i) for i in positions)]


class UnconnectedGradients(enum.Enum):
    """The gradient of a source that the target is not connected to.

    Source: TF 2.21 `tf.UnconnectedGradients`.
    """

    NONE = "none"
    ZERO = "zero"


def wants_zeros(unconnected_gradients: Any) -> bool:
    """Whether unconnected gradients are zeros. Raises ValueError for a mode that doesn't exist."""
    try:
        return UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {unconnected_gradients!r}") from None


def with_zeros(trace: Trace, gradients: Iterable[T | None], avals: Iterable[Aval]) -> list[T | Tensor]:
    """`gradients` with zeros of `avals` in place of None."""
    return [
        zeros_tensor(trace, aval) if gradient is None else gradient
        for gradient, aval in zip(gradients, avals, strict=True)
    ]
