"""Explains in one sentence why a gradient is None, from the recorded steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfcompat._autodiff.connection import Connections, Following
from tfcompat._autodiff.gradient import CustomCall, Span
from tfcompat._autodiff.watching import WatchingContext
from tfcompat._core.operation.op import differentiable
from tfcompat._core.structure.node import Node
from tfcompat._core.tracing.trace import Trace
from tfcompat._core.types.dtype import TRAINABLE, as_dtype
from tfcompat._state.variable import Variable

_SAME = "There is a gradient: target and source are the same."
_FINISHED = (
    "The target is a finished value to this tape: it was computed before or outside of its context, or made again from "
    "a NumPy or Python value (.numpy(), float(), np.*), which cuts the gradient."
)
_ELSEWHERE = (
    "No recorded step leads from the source to the target: the target does not depend on it, or the path goes through "
    "a NumPy or Python value (.numpy(), float(), np.*), which cuts the gradient."
)


def explanation(tape: WatchingContext, target: Any, source: Any) -> str:
    """Why the gradient of `target` for `source` is None, or a statement that it exists."""
    trace = tape._trace
    if trace is None:
        return (
            "The tape holds nothing any more: it is used up, or was never entered. Make it persistent, or call explain "
            "before gradient."
        )
    for role, value in (("source", source), ("target", target)):
        dtype = as_dtype(value.dtype)
        if dtype not in TRAINABLE:
            return (
                f"The {role} is {dtype.name}: only floating and complex tensors carry gradients; convert with tf.cast "
                "before the tape."
            )
    if target is source:
        return _SAME
    sources = tape._slots(source)
    if not sources or (isinstance(source, Variable) and source._number not in tape._variables):
        return _unused(tape, source)
    slots = tape._slots(target)
    if not slots:
        return _FINISHED
    return _Search(trace, tape._span(trace), tape.customs, slots[-1], sources).sentence()


def _unused(tape: WatchingContext, source: Any) -> str:
    if not isinstance(source, Variable):
        return "The source was not used while the tape was recording."
    if source._number in tape._variables:
        return _ELSEWHERE
    if not source.trainable:
        return (
            "The variable is not watched: it is not trainable, so tape.watch(variable) has to be called before it is "
            "read."
        )
    if not tape._watches_accessed:
        return (
            "The variable is not watched: the tape was made with watch_accessed_variables=False, so "
            "tape.watch(variable) has to be called before it is read."
        )
    return "The variable was not read while the tape was recording."


# Whether a gradient passes from number `output` of the outputs of a step to the input at `position`.
Rule = Callable[[Node, int, int], bool]


class _Search:
    """Searches for paths from some slots to another one in a trace, under one rule after another."""

    def __init__(
        self, trace: Trace, span: Span, customs: Mapping[int, CustomCall], target: int, sources: Sequence[int]
    ) -> None:
        self.path = trace.node.path()
        self.connections = Connections(customs)
        self.following = Following(self.path, span, self.connections)
        self.span = span
        self.target = target
        self.sources = sources

    def sentence(self) -> str:
        """Names the step that cuts the last path, or says that a path exists."""
        if self.target in self.sources:
            return _SAME
        if self.target not in self._reached(lambda *_: True):
            is_leaf = any(node.first == self.target and node.op is None for node in self.path)
            return _FINISHED if is_leaf else _ELSEWHERE
        cut = self._cut(self.connections.links)
        if cut is not None:
            return _blocked(cut)
        cut = self._cut(self._is_inside)
        if cut is not None:
            return f"The step {cut.op!r}, recorded at {cut.line}, is outside of the tape's context; move it inside."
        cut = self._cut(self._is_recorded)
        if cut is None:
            return "There is a gradient: the target was computed from the source while the tape was recording."
        if any(slot in self.sources for slot, _ in (*self.span.watched, *self.span.reads)):
            return (
                f"The source was watched only after the step {cut.op!r}, recorded at {cut.line}, had used it; call "
                "tape.watch earlier."
            )
        return (
            "The source is not watched, and derives from nothing that is: call tape.watch(source) before it is used "
            "(trainable variables are watched when they are read)."
        )

    def _is_inside(self, node: Node, output: int, position: int) -> bool:
        return self.span.covers(node) and self.connections.links(node, output, position)

    def _is_recorded(self, node: Node, output: int, position: int) -> bool:
        followed = self.following.positions.get(node.first, ())
        return position in followed and self._is_inside(node, output, position)

    def _reached(self, rule: Rule) -> set[object]:
        reached: set[object] = set(self.sources)
        for node in self.path:
            if node.op is None:
                continue
            positions = [i for i, slot in enumerate(self.connections.inputs(node)) if slot in reached]
            for k in range(len(node.avals)):
                if any(rule(node, k, i) for i in positions):
                    reached.add(node.first + k)
        return reached

    def _cut(self, rule: Rule) -> Node | None:
        """The first step on the paths to the target that ends one of them under `rule`; None if a path is complete."""
        reached = self._reached(rule)
        if self.target in reached:
            return None
        needed: set[object] = {self.target}
        cuts: list[Node] = []
        for node in reversed(self.path):
            slots = range(node.first, node.slot)
            if node.op is None or needed.isdisjoint(slots):
                continue
            inputs = self.connections.inputs(node)
            needed.update(inputs)
            if reached.isdisjoint(slots) and not reached.isdisjoint(inputs):
                cuts.append(node)
        return cuts[-1]


def _blocked(node: Node) -> str:
    op = node.op
    assert op is not None
    if op.name.startswith("assign"):
        return (
            f"The value went through a variable's {op.name} at {node.line}: an assignment ends the path of the "
            "value that was assigned."
        )
    if not any(map(differentiable, node.avals)):
        return (
            f"tf.{op.name}, recorded at {node.line}, returns {node.avals[0].dtype.name}: only floating and complex "
            "tensors carry gradients."
        )
    return f"tf.{op.name}, recorded at {node.line}, has no gradient."
