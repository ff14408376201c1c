"""The steps that a backward walk appends to a trace, noted without sizes.

A walk decides by the ops, dtypes and ranks of a trace, not by its sizes. So the steps that it has appended to one trace
are those of every trace with the same skeleton. There they are appended again, and no walk is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from tfcompat._autodiff.gradient import Dense, Gradient, Rows, Target
from tfcompat._core.operation.op import Op
from tfcompat._core.structure.node import Node, Number, Origin, Reference
from tfcompat._core.structure.recording import Recording
from tfcompat._core.structure.skeleton import Skeleton
from tfcompat._core.system.location import user_line
from tfcompat._core.types.aval import Aval


class Step(Protocol):
    """A step to append."""

    def appended(self, writer: Writer) -> Node:
        """Appends the step; returns its node."""
        ...


class Pull(NamedTuple):
    """A step that applies the pullback of another one.

    Attributes:
      number: the number of the step in the path.
      wanted, given: see `Origin`.
      cotangents: the slots of the cotangents of the outputs `given`.
    """

    number: int
    wanted: tuple[int, ...]
    given: tuple[int, ...]
    cotangents: tuple[int, ...]

    def appended(self, writer: Writer) -> Node:
        """Appends the step; returns its node."""
        forward = writer.path[self.number]
        op, signature, inputs = forward.op, forward.signature, forward.inputs
        assert op is not None
        pullback, read = op.pullback(signature, self.wanted, self.given, forward.avals)
        return writer.trace.step(
            pullback,
            (*[writer.source_of(inputs[i]) for i in read], *self.cotangents),
            (*[signature[i] for i in read], *[forward.avals[k] for k in self.given]),
            Origin(forward, self.wanted, self.given, len(read)),
            writer.line,
        )


class Made(NamedTuple):
    """A step whose op follows from the shapes of slots.

    Attributes:
      make: makes the op from the avals of the slots `like`.
      inputs: the slots that it reads.
    """

    make: Callable[..., Op]
    like: tuple[int, ...]
    inputs: tuple[int, ...]

    def appended(self, writer: Writer) -> Node:
        """Appends the step; returns its node."""
        avals = writer.avals
        op = self.make(*[avals[slot] for slot in self.like])
        return writer.trace.step(op, self.inputs, tuple([avals[slot] for slot in self.inputs]), None, writer.line)


class RowsIn(NamedTuple):
    """A gradient of rows, by the slots of its values and indices, and one that has the shape of the whole."""

    values: int
    indices: int
    like: int


class Script(NamedTuple):
    """The steps of a walk.

    Attributes:
      answers: slots of dense gradients, rows, or None.
      appended: for each step, the skeleton of the trace up to it, and the part of its op's recipe without sizes.
    """

    steps: Sequence[Step]
    appended: Sequence[tuple[Skeleton, Any]]
    answers: Sequence[int | RowsIn | None]

    @classmethod
    def of(
        cls,
        writer: Writer,
        answers: Sequence[Gradient | None],
        sources: Sequence[tuple[int, ...]],
    ) -> Script:
        """The script of a walk, all of whose steps `writer` has appended. `answers` are the gradients of `sources`."""
        pairs = zip(answers, sources, strict=True)
        places = [None if answer is None else _place(answer, slots[0]) for answer, slots in pairs]
        appended = [(node.skeleton(), _fixed(node)) for node in writer.nodes]
        return cls(writer.steps, appended, places)

    def append(self, writer: Writer) -> None:
        """Appends the steps to another trace, and notes their skeletons, which need not be found again."""
        is_alike = True
        for step, (skeleton, fixed) in zip(self.steps, self.appended, strict=True):
            node = writer.append(step)
            # An op may have a derivative of another form for some sizes among its attributes.
            is_alike = is_alike and _fixed(node) == fixed
            if is_alike:
                node.note_skeleton(skeleton)

    def answers_in(self, avals: Mapping[int, Aval]) -> list[Gradient | None]:
        """The answers for the `avals` of a trace with these steps."""
        return [answer if answer is None else _gradient(answer, avals) for answer in self.answers]


def _fixed(node: Node) -> Any:
    recipe = None if node.op is None else node.op.recipe
    return None if recipe is None else recipe.fixed


def _place(gradient: Gradient, source: int) -> int | RowsIn:
    """The place of the gradient of the slot `source`."""
    return gradient.slot if isinstance(gradient, Dense) else RowsIn(gradient.values.slot, gradient.indices.slot, source)


def _gradient(answer: int | RowsIn, avals: Mapping[int, Aval]) -> Gradient:
    if type(answer) is int:
        return Dense(answer, avals[answer])
    values, indices, like = answer  # pyright: ignore[reportGeneralTypeIssues]  # not an int
    return Rows(Dense(values, avals[values]), Dense(indices, avals[indices]), avals[like])


class Writer:
    """Appends steps to a trace, and notes them.

    Attributes:
      path: the steps of the trace before; `avals`: the avals of its slots, and of those appended.
      leaves: for slots that are copies from another trace, the leaf that is the same tensor.
      line: the user's line that asks for the gradient.
      steps: the appended steps; `nodes`: their nodes.
    """

    def __init__(self, trace: Recording, leaves: Mapping[int, int]) -> None:
        self.trace = trace
        self.path = trace.node.path()
        self.avals = {slot: aval for node in self.path for slot, aval in enumerate(node.avals, node.first)}
        self.leaves = leaves
        self.line = user_line()
        self.steps: list[Step] = []
        self.nodes: list[Node] = []

    def give(self, targets: Sequence[Target]) -> None:
        """Takes the shapes of `targets` for those of their cotangents."""
        for target, cotangent in targets:
            if cotangent is not None:
                self.avals[cotangent] = self.avals[target]

    def append(self, step: Step) -> Node:
        """Appends `step`; returns its node."""
        node = step.appended(self)
        self.avals.update(enumerate(node.avals, node.first))
        self.steps.append(step)
        self.nodes.append(node)
        return node

    def made(self, make: Callable[..., Op], like: tuple[int, ...], *inputs: int) -> Dense:
        """The only output of the step `Made` with these arguments."""
        node = self.append(Made(make, like, inputs))
        return Dense(node.first, node.avals[0])

    def source_of(self, reference: Reference) -> Any:
        """The slot from which to read a value: tapes entered later follow the leaf."""
        return reference if isinstance(reference, Number) else self.leaves.get(reference, reference)
