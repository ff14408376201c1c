"""The structure of traces: a tree in which every recorded step is a node and every trace is a path from the root.

Recording a step follows an edge, so the structural key of a trace is its last node. Equal structures are the same node,
which stores everything known about the structure: shapes, programs, the steps of its gradients. Values are not part of
it.

The inputs of a step are slots, numbered through the trace in the order in which values are computed, or numbers of the
trace.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, final

import jax
import numpy as np

from tfcompat._core.operation.bound import Bound, bound_of
from tfcompat._core.operation.op import Op
from tfcompat._core.structure.skeleton import EMPTY, Skeleton, kind_of
from tfcompat._core.system.config import settings
from tfcompat._core.types.aval import Aval
from tfcompat._core.types.dtype import DType


@final
class Number(NamedTuple):
    """The `index`-th Python float (`kind` "f") or integer ("i") of a trace, cast to `dtype` where it is used."""

    kind: str
    index: int  # pyright: ignore[reportIncompatibleMethodOverride]  # tuple.index is not used
    dtype: DType

    def of(self, floats: Sequence[Any], ints: Sequence[Any]) -> Any:
        """The number, from the floats and the integers of its trace."""
        return (floats if self.kind == "f" else ints)[self.index]

    def on_host(self, floats: Sequence[Any], ints: Sequence[Any]) -> np.ndarray:
        """The number as an array on the host; an integer that is too large wraps around, as in a program."""
        return np.asarray(self.of(floats, ints)).astype(self.dtype.as_numpy_dtype)

    def traced(self, floats: Any, ints: Any) -> Any:
        """The number in a program, whose arguments `floats` and `ints` are vectors."""
        return jax.lax.convert_element_type(self.of(floats, ints), self.dtype.as_numpy_dtype)


Reference = int | Number
# The node whose path was asked for most recently, and that path: it is asked for several times in a row, and by a
# recording that continues.
_latest: tuple[Any, Sequence[Node]] = (None, ())


class Origin:
    """The origin of a gradient step.

    Attributes:
      forward: the forward step.
      wanted: the input positions of `forward` that the gradient step differentiates for.
      given: the outputs of `forward` that have a cotangent.
      reads: the number of inputs of the gradient step before the cotangents.
    """

    __slots__ = ("forward", "given", "reads", "wanted")

    def __init__(self, forward: Node, wanted: tuple[int, ...], given: tuple[int, ...], reads: int) -> None:
        self.forward = forward
        self.wanted = wanted
        self.given = given
        self.reads = reads

    def with_forward(self, forward: Node) -> Origin:
        """The origin of a copy of the gradient step, whose forward step is `forward`."""
        return Origin(forward, self.wanted, self.given, self.reads)


class Node:
    """One step: a leaf if `op` is None, else an op on earlier slots.

    Attributes:
      parent: the step before, None at the root.
      inputs: slots and numbers that the op reads; a leaf that is a number refers to it here, a leaf that is an array
        has no inputs.
      signature: the inputs' avals.
      avals, aval, first: the outputs' avals, the first of them (without outputs: that of the step before), its slot.
      slot, floats, ints, leaves, checks: the counts of slots, numbers, leaf arrays and value checks up to it.
      load: how much of its limits the trace has used, in slots; bytes are converted to slots by the two limits.
      next: the steps seen after this one, by op and inputs.
      memos: for sequences of steps that are recorded together (gradients), by their arguments: the last node and the
        result.
      programs: compiled replays that end here.
      visits: how often a trace that ended here was run.
      line: the user's line that recorded the step for the first time.
      origin: the forward step, for gradient steps.
      is_marked: whether it, or a step before it, is a mark among the steps of replicas.
      bounds: the sizes that the steps up to it find.
    """

    __slots__ = (
        *(
            "_skeleton",
            "aval",
            "avals",
            "bounds",
            "checks",
            "first",
            "floats",
            "inputs",
            "ints",
            "is_marked",
            "leaves",
            "line",
            "load",
            "memos",
        ),
        *("next", "op", "origin", "parent", "programs", "signature", "slot", "visits"),
    )

    def __init__(
        self,
        parent: Node | None,
        op: Op | None,
        inputs: tuple[Reference, ...],
        signature: tuple[Aval, ...],
        avals: tuple[Aval, ...],
        line: str,
    ) -> None:
        self.parent = parent
        self.op = op
        self.inputs = inputs
        self.signature = signature
        self.avals = avals
        before: Any = None if parent is None else parent.aval  # None at the root
        self.aval: Aval = avals[0] if avals else before
        self.line = line
        self.origin: Origin | None = None
        self.next: dict[Any, Node] = {}
        self.memos: dict[Any, tuple[Node, Any]] = {}
        self.programs: dict[Any, Any] = {}
        self.visits = 0
        self._skeleton: Skeleton | None = None if parent else EMPTY
        self.first = parent.slot if parent else 0
        self.slot = self.first + len(avals)
        self.leaves = parent.leaves if parent else 0
        self.checks = parent.checks if parent else 0
        self.is_marked = parent is not None and parent.is_marked
        self.bounds: tuple[Bound, ...] = parent.bounds if parent else ()
        self.load = (parent.load if parent else 0.0) + len(avals)
        self.floats = parent.floats if parent else 0
        self.ints = parent.ints if parent else 0
        if op is not None:
            self._count(op, inputs, signature, avals)
        elif parent is not None and not inputs:
            self.leaves += 1
        for reference in inputs:
            if type(reference) is Number:
                if reference.kind == "f":
                    self.floats = max(self.floats, reference.index + 1)
                else:
                    self.ints = max(self.ints, reference.index + 1)

    def _count(
        self, op: Op, inputs: tuple[Reference, ...], signature: tuple[Aval, ...], avals: tuple[Aval, ...]
    ) -> None:
        """Counts what its `op` does."""
        self.checks += op.check is not None
        self.is_marked = self.is_marked or op.mark is not None
        if op.is_bound and (bound := bound_of(inputs, signature, avals, self.bounds)) not in self.bounds:
            self.bounds = (*self.bounds, bound)
        for aval in avals:
            self.load += aval.nbytes / settings.max_bytes * settings.max_ops

    def extended(
        self,
        key: Any,
        op: Op | None,
        inputs: tuple[Reference, ...],
        signature: tuple[Aval, ...],
        avals: tuple[Aval, ...],
        line: str,
    ) -> Node:
        """A new node after this one, under `key`."""
        node = self.next[key] = Node(self, op, inputs, signature, avals, line)
        tree.size += 1
        return node

    def skeleton(self) -> Skeleton:
        """The skeleton of the steps up to this one."""
        missing: list[Node] = []
        last: Any = self
        while last._skeleton is None:
            missing.append(last)
            last = last.parent
        found: Skeleton = last._skeleton
        for node in reversed(missing):
            found = node._skeleton = found.after(node._without_sizes())
        return found

    def note_skeleton(self, skeleton: Skeleton) -> None:
        """Notes that `skeleton` is that of the steps up to this one."""
        self._skeleton = skeleton

    def _without_sizes(self) -> Hashable:
        """A key of this step, equal for steps that differ in sizes only."""
        kinds = [aval.kind for aval in self.avals]
        if self.op is None:
            return (self.inputs, *kinds)
        origin = self.origin
        if origin is None:
            return (kind_of(self.op), self.inputs, *kinds)
        of_origin = (origin.forward.first, origin.wanted, origin.given, origin.reads)
        return (kind_of(self.op), self.inputs, of_origin, *kinds)

    def path(self) -> Sequence[Node]:
        """The steps from the first to this one."""
        global _latest
        latest, steps = _latest
        if latest is self:
            return steps
        found: list[Node] = []
        node = self
        while node.parent is not None and node is not latest:
            found.append(node)
            node = node.parent
        found.reverse()
        if node is latest:
            found = [*steps, *found]
        _latest = self, found
        return found


class Tree:
    """The root of all structures, with a bound on their number.

    Attributes:
      size: the number of steps.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets every structure."""
        self.root = Node(None, None, (), (), (), "")
        self.size = 0
        self._ends: OrderedDict[Node, None] = OrderedDict()

    def remember(self, node: Node) -> None:
        """Notes that a trace ended at `node` and was run without a program: it gets one when it runs again."""
        self._ends[node] = None
        self._ends.move_to_end(node)

    def remembers(self, node: Node) -> bool:
        """Whether a trace that ended at `node` is noted to have run without a program."""
        return node in self._ends

    def forget(self, node: Node) -> None:
        """Removes the steps that lead to `node` only and have no programs.

        They no longer refer to each other in circles, so Python frees them without its garbage collector.
        """
        gone: set[int] = set()
        while node.parent is not None and not node.next and not node.programs:
            gone.add(id(node))
            node.memos = {}
            parent = node.parent
            # `list` copies in one call, since other threads may record at the same time.
            for key, after in list(parent.next.items()):
                if after is node:
                    del parent.next[key]
                    self.size -= 1
            self._ends.pop(node, None)
            node = parent
        if gone and node.memos:
            node.memos = {key: memo for key, memo in list(node.memos.items()) if id(memo[0]) not in gone}

    def prune(self) -> None:
        """Removes the steps that lead to no compiled program, except for the latest traces that may get one.

        These may use a quarter of the steps that are kept, so at least a quarter is free afterwards.
        """
        left = settings.max_steps // 4
        kept: set[int] = set()
        for node in list(reversed(self._ends)):
            left -= node.slot
            if left < 0 or node.programs:
                del self._ends[node]
            else:
                kept.add(id(node))
        order = [self.root]
        for node in order:
            order.extend(node.next.values())
        for node in reversed(order):
            # `list` copies in one call, since other threads may record at the same time.
            node.next = {key: after for key, after in list(node.next.items()) if id(after) in kept}
            if node.programs or node.next:
                kept.add(id(node))
        for node in order:
            node.memos = {key: memo for key, memo in list(node.memos.items()) if id(memo[0]) in kept}
        self.size = len(kept)


tree = Tree()
