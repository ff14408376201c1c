"""Folds the steps of all replicas in a recording into the steps of one replica.

The steps of the replicas have to be equal except for their values. Then a step of the body stands for one step of each
replica. A step that was recorded once for all replicas stays one step. It reads a component of a value that has one for
each replica, or sums the components.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from tfcompat._core.operation.op import Op
from tfcompat._core.programs.replicas.exchange import OWN, SUM, component
from tfcompat._core.structure.node import Node, Number, Origin, Reference
from tfcompat._core.types.aval import Aval, aval_of

# The name of the op that sums over replicas if its inputs are the components of one value.
_TOTAL = "add_n"


class NotFolded(Exception):
    """The replicas cannot be folded; the message is the reason."""


class Part(NamedTuple):
    """A value that one replica has computed: the slot of the body that stands for it, and the number of the replica."""

    slot: int
    replica: int


class Folded:
    """The steps of the body, and their counterparts in the recording.

    Attributes:
      devices: a device of JAX for each replica.
      path: the steps of the body.
      leaves: by slot of the body, the leaves of the recording that it stands for: one, or one for each replica.
      choices: by slot of the body, the numbers or the slots of which a replica uses its own.
      values: by slot of the recording: the slot of the body if the value is the same in all replicas, or a `Part`.
      checks: by first slot of a checked step: its first slot in the body, and the replica.
    """

    def __init__(self, recorded: Sequence[Node], read: Collection[int]) -> None:
        """Folds the path `recorded`, of whose leaves the program reads `read`. Raises NotFolded if that is impossible.

        If only some replicas read their leaf, the others take its value, too: the program drops their results.
        """
        self.path: list[Node] = []
        self.leaves: dict[int, tuple[int, ...]] = {}
        self.choices: dict[int, tuple[Reference, ...]] = {}
        self.values: dict[int, int | Part] = {}
        self.checks: dict[int, Part] = {}
        self._end = Node(None, None, (), (), (), "")
        self._made: dict[Any, int] = {}
        self._copies: dict[int, Node] = {}
        self._given: dict[int, Node] = {}
        self._read = read
        # The slots of the body that some replicas compute from leaves of others.
        self._replaced: set[int] = set()
        self.devices, own, order = _sorted(recorded, self._given)
        self._sequences = own
        self._places: dict[int, int] = {}
        for node, replica, place in order:
            if replica is None:
                self._add_common(node)
            elif replica == 0:
                self._add([steps[place] for steps in own])

    def _extend(self, op: Op | None, inputs: tuple[Reference, ...], like: Node | None, avals: tuple[Aval, ...]) -> Node:
        signature = tuple([self._aval(reference) for reference in inputs])
        line = "" if like is None else like.line
        self._end = Node(self._end, op, inputs, signature, avals, line)
        self.path.append(self._end)
        self._places.update(dict.fromkeys(range(self._end.first, self._end.slot), len(self.path) - 1))
        return self._end

    def _aval(self, reference: Reference) -> Aval:
        if isinstance(reference, Number):
            return aval_of((), reference.dtype)
        node = self.path[self._places[reference]]
        return node.avals[reference - node.first]

    def _add_common(self, node: Node) -> None:
        """Adds a step that was recorded once for all replicas."""
        assert node.op is not None
        if node.op.name == _TOTAL and (slot := self._components(node.inputs)) is not None:
            made = self._extend(SUM, (slot,), node, node.avals)
        else:
            inputs = tuple([self._common(reference) for reference in node.inputs])
            made = self._extend(node.op, inputs, node, node.avals)
            made.origin = self._origin([node])
            self._copies[node.first] = made
        if node.op.check is not None:
            self.checks[node.first] = Part(made.first, 0)
        self.values.update(zip(range(node.first, node.slot), range(made.first, made.slot), strict=True))

    def _add(self, nodes: Sequence[Node]) -> None:
        """Adds a step that stands for `nodes`, one for each replica."""
        first = nodes[0]
        for node in nodes[1:]:
            if node.avals != first.avals or len(node.inputs) != len(first.inputs) or not _compute_alike(node, first):
                raise NotFolded(f"replicas compute different steps: {_described(first)} and {_described(node)}")
        read = list(zip(*[node.inputs for node in nodes], strict=True))
        needed = list(map(self._needed, read))
        inputs = tuple(map(self._own, needed))
        made = self._extend(first.op, inputs, first, first.avals)
        if needed != read or not self._replaced.isdisjoint(inputs):
            if first.op is not None and first.op.check is not None:
                raise NotFolded("a replica checks a value that the others do not need")
            self._replaced.update(range(made.first, made.slot))
        made.origin = self._origin(nodes)
        self._copies[first.first] = made
        for replica, node in enumerate(nodes):
            if node.op is not None and node.op.check is not None:
                self.checks[node.first] = Part(made.first, replica)
            for slot, copy in zip(range(node.first, node.slot), range(made.first, made.slot), strict=True):
                self.values[slot] = Part(copy, replica)

    def _origin(self, nodes: Sequence[Node]) -> Origin | None:
        """The origin of a copy of the gradient steps `nodes`, if its forward step is a copy of theirs."""
        origin = nodes[0].origin
        forward = None if origin is None else self._copies.get(origin.forward.first)
        if origin is None or forward is None:
            return None
        for replica, node in enumerate(nodes):
            found = None if node.origin is None else self.values.get(node.origin.forward.first)
            expected = forward.first if len(nodes) == 1 else Part(forward.first, replica)
            if found not in (forward.first, expected):
                return None
        return origin.with_forward(forward)

    def _components(self, references: Sequence[Reference]) -> int | None:
        """The slot of the body whose components for all replicas, in order, are `references`; None without one."""
        parts = [self.values.get(slot) if type(slot) is int else None for slot in references]
        first = parts[0] if parts else None
        if not isinstance(first, Part) or len(parts) != len(self.devices):
            return None
        return first.slot if parts == [Part(first.slot, k) for k in range(len(parts))] else None

    def _own(self, references: tuple[Reference, ...]) -> Reference:
        """The input of a step of the body that stands for steps that read `references`."""
        if all(reference == references[0] for reference in references):
            return self._common(references[0])
        if (slot := self._components(references)) is not None:
            return slot
        found = self._made.get(references)
        if found is None:
            found = self._made[references] = self._choice(references)
        return found

    def _needed(self, references: tuple[Reference, ...]) -> tuple[Reference, ...]:
        """`references` with one that the program reads in place of leaves that it does not read."""
        given = [self._given.get(slot) if type(slot) is int else None for slot in references]
        unread = [node is not None and not node.inputs and node.first not in self._read for node in given]
        if not any(unread) or all(unread):
            return references
        one = references[unread.index(False)]
        return tuple([one if is_unread else each for each, is_unread in zip(references, unread, strict=True)])

    def _choice(self, references: tuple[Reference, ...]) -> int:
        """A new slot in which each replica has its own one of the values `references`."""
        given = [self._given.get(slot) if type(slot) is int else None for slot in references]
        if all(node is not None and not node.inputs and node.aval.shape for node in given):
            leaf = self._extend(None, (), given[0], (self._leaf_aval(given),))
            self.leaves[leaf.first] = tuple([slot for slot in references if type(slot) is int])
            return leaf.first
        own = [
            self._common(node.inputs[0] if node is not None and node.inputs else reference)
            for node, reference in zip(given, references, strict=True)
        ]
        avals = {self._aval(each) for each in own}
        if len(avals) > 1:
            raise NotFolded(f"replicas read values of different shapes or dtypes: {', '.join(map(repr, avals))}")
        made = self._extend(OWN, tuple(own), None, tuple(avals))
        self.choices[made.first] = tuple(own)
        return made.first

    def _leaf_aval(self, nodes: Sequence[Node | None]) -> Aval:
        avals = [node.aval for node in nodes if node is not None]
        if any(aval != avals[0] for aval in avals):
            raise NotFolded(f"replicas read values of different shapes or dtypes: {', '.join(map(repr, avals))}")
        return avals[0]

    def _common(self, reference: Reference) -> Reference:
        """The number, or the slot of the body for the value `reference`, that all replicas read."""
        if isinstance(reference, Number):
            return reference
        node = self._given.get(reference)
        if node is not None:
            found = self._made.get(reference)
            if found is None:
                leaf = self._extend(None, node.inputs, node, node.avals)
                if not node.inputs:
                    self.leaves[leaf.first] = (reference,)
                found = self._made[reference] = leaf.first
            return found
        value = self.values.get(reference)
        if value is None:
            raise NotFolded("a replica reads a value of another one that is computed later")
        if not isinstance(value, Part):
            return value
        found = self._made.get(value)
        if found is None:
            found = self._made[value] = self._extend(
                component(value.replica), (value.slot,), None, (self._aval(value.slot),)
            ).first
        return found

    def result(self, slot: int) -> int | Part:
        """The value of `slot` of the recording: a slot of the body, or a `Part`."""
        found = self.values.get(slot)
        if found is None:
            common = self._common(slot)
            assert type(common) is int
            return common
        return found


def _sorted(
    recorded: Sequence[Node], given: dict[int, Node]
) -> tuple[tuple[Any, ...], list[list[Node]], list[tuple[Node, int | None, int]]]:
    """The devices of the replicas; the steps of each replica; all steps in order, with their replica and place.

    The leaves are added to `given`, by slot.
    """
    devices: tuple[Any, ...] | None = None
    own: list[list[Node]] = []
    order: list[tuple[Node, int | None, int]] = []
    replica: int | None = None
    for node in recorded:
        if node.op is None:
            given[node.first] = node
        elif node.op.mark is not None:
            known, (devices, replica) = devices, node.op.mark
            if known not in (None, devices):
                raise NotFolded("two strategies have recorded the steps")
            own = own or [[] for _ in node.op.mark.devices]
        elif node.op.calls_python:
            raise NotFolded(f"{node.op!r}, recorded at {node.line}, calls Python")
        else:
            order.append((node, replica, -1 if replica is None else len(own[replica])))
            if replica is not None:
                own[replica].append(node)
    assert devices is not None
    lengths = list(map(len, own))
    if len(set(lengths)) > 1:
        raise NotFolded(f"replicas compute different numbers of steps: {lengths}")
    if not lengths[0]:
        raise NotFolded("replicas compute nothing")
    return devices, own, order


def _described(node: Node) -> str:
    return f"{node.op!r} {list(node.avals)} at {node.line}"


def _compute_alike(one: Node, other: Node) -> bool:
    """Whether two steps apply the same op. Each trace of a branch or a loop makes another op."""
    if one.op is other.op:
        return True
    if one.origin is None or other.origin is None:
        return _are_alike(one.op, other.op)
    pairs = ((origin.wanted, origin.given, origin.reads) for origin in (one.origin, other.origin))
    return len(set(pairs)) == 1 and _compute_alike(one.origin.forward, other.origin.forward)


def _are_alike(one: Any, other: Any) -> bool:
    """Whether two ops, or the parts of which they are made, are the same or made alike."""
    if one is other:
        return True
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_are_alike, one, other))
    if not isinstance(one, Op) or not isinstance(other, Op):
        return type(one) is type(other) and one == other
    first, second = one.recipe, other.recipe
    if first is None or second is None or first.maker is not second.maker:
        return False
    return one.calls_python == other.calls_python and _are_alike(tuple(first), tuple(second))
