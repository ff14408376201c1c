"""The graph: the trace of a function's body, whose tensors have no values."""

from __future__ import annotations

import math
from collections.abc import Generator, Hashable, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any, NoReturn
from weakref import ref

import numpy as np

from tfcompat._autodiff.gradient import CustomCall
from tfcompat._core.operation.op import Op
from tfcompat._core.structure.tensor import Tensor, pending
from tfcompat._core.system.device import to_device
from tfcompat._core.system.error import CreationError, FindsSizeError, UntraceableError
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._core.tracing.trace import Trace, here, record
from tfcompat._core.types.aval import Aval, aval_of, fits
from tfcompat._core.types.dtype import int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.arguments.element import Elements, ElementSource
from tfcompat._function.graphs.operation import Operation, TracedGraph
from tfcompat._function.graphs.outer_value import outer_value
from tfcompat._function.graphs.refusal import (
    is_by_op,
    out_of_scope,
    refuse,
    refuse_creation,
    refuse_reading,
    undecided,
)
from tfcompat._function.graphs.source import Argument, Drawn, Reading, Source
from tfcompat._jaxpr.postponement import postponed
from tfcompat._ops.identity import ensure_shape
from tfcompat._random.seed import CallStream
from tfcompat._state.cell import Cell
from tfcompat._state.position import Position
from tfcompat._state.scope import outermost_scope

_UNPACKED = Op("drawn", lambda vector: tuple(vector), many=True)


class Graph(Trace):
    """A trace without values.

    It differs from the trace of an eager program in these points:

    - Each value that it reads from outside becomes a leaf, and `sources` says from where a call gets the value.
    - Assignments to variables are kept in `assigned`: a call makes them.
    - Draws of random numbers are left to the calls.
    - Code that needs the value of a tensor is refused.

    Attributes:
      outer: the trace that was current when this one began.
      is_part: whether it is a branch or a loop's body in the function whose trace is `outer`.
      is_jit_compiled: whether it is that of a function with `jit_compile=True`.
      is_open: whether the body is still being traced.
      sources: the source of the value of each leaf, in order.
      cells: by the `id` of a leaf's tensor, the variable whose value the leaf is.
      argument_names: by slot, the parameters of the arguments.
      assigned: by number, each assigned variable and its new value; None for the variable if it was created here.
      creates: whether variables may be created in it.
      created: the variables created in it, with the slots of their first values.
      firsts: the tensors that they held at first, by their numbers.
      draws: how many draws without a seed of their own have been numbered.
      effects: tensors that each call computes for their side effects: assertions and printing.
      embedded: by `id`, the tensors that became numbers of it or of its parts.
      elements: the elements that iterators among the arguments give to the code; None if it can take no elements.
      watcher: the first tape while the body is traced.
      outer_tapes: the tapes of other traces that record here until the body ends.
      scopes: how often each name scope was entered.
      size_leaves: the tensors that are sizes with symbols, by their text.
    """

    __slots__ = (
        "_conclusion",
        "argument_names",
        "assigned",
        "cells",
        "created",
        "creates",
        "draws",
        "effects",
        "elements",
        "embedded",
        "firsts",
        "is_jit_compiled",
        "is_open",
        "is_part",
        "label",
        "outer",
        "outer_tapes",
        "scopes",
        "size_leaves",
        "sources",
        "watcher",
    )

    is_symbolic = True
    # Whether its steps run repeatedly, and whether its sizes may not be those of all calls.
    is_iterated = is_unsure = False

    def __init__(self, label: str, *, creates: bool, is_part: bool = False) -> None:
        super().__init__()
        self.limit = math.inf
        self.label = label
        self.outer: Any = here.trace
        self.is_part = is_part and isinstance(self.outer, Graph)
        self.is_jit_compiled = False
        self.is_open = True
        self.sources: list[Source] = []
        self.cells: dict[int, Cell] = {}
        self.argument_names: dict[int, str] = {}
        self.assigned: dict[int, tuple[Cell | None, Tensor]] = {}
        self.creates = creates
        self.created: list[tuple[ref[Cell], int]] = []
        self.firsts: dict[int, Tensor] = {}
        self.draws = 0
        self.effects: list[Tensor] = []
        self.embedded: dict[int, Tensor] = {}
        self.elements: Elements | None = None
        self.watcher = GraphWatcher(self)
        self.outer_tapes: list[Any] = []
        self.scopes: dict[str, int] = {}
        self.size_leaves: dict[Any, Tensor] = {}
        self._conclusion = ExitStack()

    @contextmanager
    def recording(self) -> Generator[None]:
        """A context in which ops are recorded here, and outer tapes record nothing.

        A function has name scopes of its own; its parts are in those around them.
        """
        trace, graph, tapes = here.trace, here.graph, here.tapes
        try:
            here.trace, here.graph, here.tapes = self, self, [self.watcher]
            with nullcontext() if self.is_part else outermost_scope():
                yield
        finally:
            here.trace, here.graph, here.tapes = trace, graph, tapes
            self._close()
            self._conclusion.close()

    @property
    def has_empty_element(self) -> bool:
        """Whether its code, or that around it, takes an element of an iterator without rows."""
        if self.elements is not None and self.elements.is_without_rows:
            return True
        return isinstance(self.outer, Graph) and self.outer.has_empty_element

    def conclude(self) -> None:
        """Postpones signal handlers to the end of `recording`: the trace is read meanwhile, so it must not grow."""
        self._conclusion.enter_context(postponed())

    def _close(self) -> None:
        """Ends the tracing. Its tensors are out of scope afterwards."""
        self.is_open = False
        self.elements = None
        while self.outer_tapes:
            self.outer_tapes.pop().leave(self)
        self.leaves.clear()

    def narrow(self, tensor: Tensor, shape: Any) -> None:
        """Gives `tensor`, whose sizes are open, those of `shape`; a call with another size is an error."""
        if here.graph is not self or fits(tensor._aval, shape):
            return
        found = ensure_shape(tensor, shape)
        tensor._aval, tensor._trace, tensor._slot = found._aval, found._trace, found._slot

    def receive(self, tape: Any) -> bool:
        """Makes `tape` record here until the body ends.

        Values that it recorded in an enclosing function are captured from there.
        """
        self.outer_tapes.append(tape)
        around = tape._trace
        if isinstance(around, Graph) and around.is_open:
            for node in around.node.path():
                if node.op is not None:
                    for k, aval in enumerate(node.avals):
                        self.slot_of(around.tensor(node.first + k, aval))
        return True

    def argument(self, aval: Aval, index: int, name: str | None = None) -> Tensor:
        """A tensor for an argument, of the parameter `name` if it has one."""
        tensor = self._new_leaf(Argument(index), aval)
        if name is not None:
            self.argument_names[tensor._slot] = name
        return tensor

    def reading(self, cell: Cell) -> Tensor:
        """Zeros that represent a read of `cell`, which the graph assigns. They receive its gradient."""
        return self._new_leaf(Reading(cell), cell._tensor._aval)

    def _new_leaf(self, source: Source, aval: Aval) -> Tensor:
        """A leaf for a value that exists only in a call."""
        tensor = pending(self, -1, aval)
        tensor._slot = self._sourced_leaf(source, tensor)
        self.pending.append(ref(tensor))
        return tensor

    def _sourced_leaf(self, source: Source, tensor: Tensor) -> int:
        """Makes `tensor` a leaf that is an array and that a call gets from `source`."""
        aval, key = tensor._aval, id(tensor)
        while True:
            before = self.node
            node = self._array_node(aval)
            if self.node is before:  # else a signal handler has recorded steps meanwhile
                self.leaves[before.leaves :] = (tensor,)
                self.sources[before.leaves :] = (source,)
                self.node = node
                slot = self.leaf_slots[key] = node.first
                return slot

    def source_of(self, tensor: Tensor) -> Source | None:
        """The source of `tensor`, if it is a leaf of this graph."""
        if tensor._trace is self:
            for leaf, source in zip(self.leaves, self.sources, strict=True):
                if leaf._slot == tensor._slot:
                    return source
        return None

    def _leaf(self, tensor: Tensor) -> int:
        """Makes a tensor from outside a leaf: the value of a variable, or another tensor."""
        cell = self.cells.get(id(tensor))
        if cell is None:
            owner = tensor._trace
            if isinstance(owner, Graph):
                if not owner.is_open:
                    out_of_scope(tensor)
            elif tensor._array is None:
                tensor._value("function")
            if _is_number(tensor):
                # A number of the trace, not a leaf that is an array.
                self._embed(tensor)
                return super()._leaf(tensor)
        return self._sourced_leaf(tensor if cell is None else cell, tensor)

    def _embed(self, tensor: Tensor) -> None:
        whole = self
        while whole.is_part:
            whole = whole.outer
        whole.embedded[id(tensor)] = tensor

    def enter(self, cell: Cell) -> None:
        """Makes the value of `cell` a leaf, unless `cell` was assigned in this graph."""
        tensor = self.held_by(cell)
        if tensor._trace is not self and id(tensor) not in self.leaf_slots and cell._number not in self.assigned:
            self.cells[id(tensor)] = cell
            self._leaf(tensor)

    def held_by(self, cell: Cell) -> Tensor:
        """The value of `cell` for the code that is being traced: the last one assigned here or in an outer graph."""
        graph: Any = self
        while isinstance(graph, Graph):
            found = graph.assigned.get(cell._number)
            if found is not None:
                return found[1]
            graph = graph.outer
        return cell._held

    def placeholder_for(self, tensor: Tensor) -> Tensor:
        """The symbolic tensor for `tensor`, the current value of a variable. Its value differs between calls."""
        return self.tensor(self.slot_of(tensor), tensor._aval)

    def assign(self, cell: Cell, tensor: Tensor) -> None:
        """Makes `tensor` the value of `cell` for the rest of the trace."""
        known = self.assigned.get(cell._number)
        self.assigned[cell._number] = (cell if known is None else known[0], tensor)

    def create(self, cell: Cell) -> None:
        """Registers `cell` as created here.

        Raises: ValueError if variables may not be created; CreationError in a part of a function that may create them.
        """
        if not self.creates:
            whole = self
            while whole.is_part:
                whole = whole.outer
            if whole.creates:
                raise CreationError(f"tf.{self.label} creates a variable")
            refuse_creation()
        self.created.append((ref(cell), self.slot_of(cell._held)))
        self.firsts[cell._number] = cell._held
        # No strong reference: the graph must not keep the variable alive.
        self.assigned[cell._number] = (None, cell._held)

    def next_number(self) -> int:
        """The number that replaces the seed of a draw without one. Each body counts its own draws."""
        self.draws += 1
        return self.draws - 1

    def draw(self, stream: CallStream) -> list[Tensor]:
        """Three integers that each call draws from `stream`."""
        return list(record(_UNPACKED, (self.drawn(Drawn(stream)),)))

    def drawn(self, source: Drawn) -> Tensor:
        """The vector that each call draws.

        A part of a function, which may run any number of times, keeps the position in the stream in a hidden variable
        if the stream is seeded. From other streams the function that is called draws for all of its parts.
        """
        if not self.is_part:
            return self.drawn_at_call(source)
        position = self.position_of(source)
        return self.outer.drawn(source) if position is None else position.drawn()

    def drawn_at_call(self, source: Drawn) -> Tensor:
        """The vector that is drawn when the steps are recorded or run."""
        return self._new_leaf(source, aval_of((3,), int64))

    def element_of(self, source: ElementSource) -> Any:
        """The next element of `source`, which each call reads before its program runs.

        Raises: HostLoopError in a branch or a loop, where only the program knows whether it is needed.
        """
        if self.is_part or self.elements is None:
            refuse_reading("the next element of an iterator in a loop or a branch")
        is_late = bool(self.assigned or self.effects) or any(type(each) is Drawn for each in self.sources)
        return self.elements.next(source, is_late)

    def sizes(self, sizes: Sizes) -> Tensor:
        """`sizes` as a leaf, whose value a call knows from the sizes of its arguments."""
        if self.is_part:
            return self.outer.sizes(sizes)
        key = (*map(str, sizes.array.ravel()), sizes.array.ndim, sizes.dtype)
        found = self.size_leaves.get(key)
        if found is None:
            found = self.size_leaves[key] = self._new_leaf(sizes, aval_of(sizes.array.shape, sizes.dtype))
        return found

    def is_found(self, size: Any) -> bool:
        """Whether the program finds `size`, of which the largest value is known. It may be 0 or 1."""
        return self.is_part and self.outer.is_found(size)

    def finds_part_of(self, size: Any) -> bool:
        """Whether `size` depends on one that only this part of a function finds: it is not known around it."""
        del size
        return False

    def first_rows(self, arrays: Sequence[Tensor], count: Tensor, what: str, least: int = 0) -> list[Tensor]:
        """The first `count` rows of each of `arrays`, at least `least` and at most all.

        Error messages say `what` the count is.

        Raises: UntraceableError in a trace without symbols for such numbers: FindsSizeError if it could have them.
        """
        del arrays, count, least
        refused = UntraceableError if self.is_part else FindsSizeError
        raise refused(f"{what} depends on data")

    def refused(self, error: Exception) -> Exception:
        """The error for `error`, which was raised while the body was traced."""
        return error

    def expected_lengths(self, count: int) -> list[int] | None:
        """The sizes that calls are expected to give the `count` arrays which the next loop enlarges, or None."""
        del count

    def expected_shapes(
        self, function: Hashable, inputs: Sequence[Any], shapes: Sequence[TensorShape]
    ) -> Mapping[int, tuple[int, ...]] | None:
        """By number, the shapes that results of a Python function are expected to have and that `shapes` leaves open.

        None if they vary. `function` is its name in `answers.py`; its inputs have the shapes `inputs`.
        """
        return self.outer.expected_shapes(function, inputs, shapes) if self.is_part else {}

    def as_expected(self) -> Tensor | None:
        """Whether all values that were expected so far, in this trace or around it, are so; None without any."""
        return self.outer.as_expected() if isinstance(self.outer, Graph) else None

    def position_of(self, source: Drawn) -> Position | None:
        """The variable with the position in the stream of `source`; None if this part has none."""
        stream = source.stream
        return Position(stream) if type(stream) is CallStream and stream._is_seeded and self.keeps_positions else None

    @property
    def keeps_positions(self) -> bool:
        """Whether draws in it and its parts continue where the previous draw from the stream ended."""
        return not self.is_part or self.outer.keeps_positions

    def flush(self, cause: str) -> None:
        """Does nothing: no values are computed while a body is traced."""
        del cause

    def materialise(self, tensor: Tensor, cause: str) -> NoReturn:
        """Raises an error: symbolic tensors have no values."""
        if not self.is_open:
            out_of_scope(tensor)
        self.refuse(tensor, cause)

    def read(self, tensor: Tensor, use: str) -> Any:
        """The value of `tensor` for `use` by an op, if calls are expected to have it, else TensorFlow's error."""
        if not self.is_open:
            out_of_scope(tensor)
        if not is_by_op(use):
            self.refuse(tensor, use)
        return self.deciding(tensor)

    def deciding(self, tensor: Tensor) -> Any:
        """The value of `tensor`, which decides a shape or an attribute. Raises FindsSizeError unless it is expected."""
        outer = outer_value(self, tensor) if self.is_part else None
        if outer is None or not outer._is_symbolic():
            undecided(tensor)
        return outer._trace.read(outer, "shape")

    def may_assume(self, tensor: Tensor) -> bool:
        """Whether calls can be expected to have a value of `tensor` which this call may not have."""
        del tensor
        return False

    def assume(self, tensor: Tensor, value: int) -> None:
        """Makes calls expect that `tensor` has `value`: no program can hold the code for others."""
        raise NotImplementedError

    def refuse(self, tensor: Tensor, use: str) -> NoReturn:
        """Raises TensorFlow's error for `use`, a use of a symbolic tensor that needs its value."""
        refuse(tensor, self.name_of(tensor), use)

    def operation_of(self, tensor: Tensor) -> Operation:
        """The op that computes `tensor`."""
        found = next(node for node in self.node.path() if node.first <= tensor._slot < node.slot)
        return Operation(self, found, self.name_of(tensor))

    def view(self) -> Any:
        """The graph that programs see; `tf.compat.v1` replaces this method by its own."""
        return TracedGraph(self.label)

    def name_of(self, tensor: Tensor) -> str:
        """A name of `tensor` for printing: that of its op, with a number if it is not the first such op."""
        if tensor._slot in self.argument_names:
            return f"{self.argument_names[tensor._slot]}:0"
        names = [node.op.name if node.op is not None else "input" for node in self.node.path()]
        steps = [node.first <= tensor._slot < node.slot for node in self.node.path()]
        place = steps.index(True)
        before = names[:place].count(names[place])
        return f"{names[place]}_{before}:0" if before else f"{names[place]}:0"


class GraphWatcher:
    """Registers custom gradients and reads of variables while a body is traced. It is first among the tapes.

    Attributes:
      customs: by first slot, the steps with a custom gradient.
      reads: by the number of a variable, the variable and the slots that it was read from.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.customs: dict[int, CustomCall] = {}
        self.reads: dict[int, tuple[ref[Cell], list[int]]] = {}

    def touch(self, cell: Cell, tensor: Tensor) -> None:
        """Registers a read of `cell`, whose value `tensor` may not be a leaf yet."""
        del tensor
        self._graph.enter(cell)
        self.touch_at(cell, self._graph.slot_of(self._graph.held_by(cell)))

    def touch_at(self, cell: Cell, slot: int) -> None:
        """Registers a read of `cell` whose value is in `slot`."""
        _, slots = self.reads.setdefault(cell._number, (ref(cell), []))
        if slot not in slots:
            slots.append(slot)


def is_symbolic(value: Any) -> bool:
    """Whether `value` is a tensor without a value, made in a function that is being traced."""
    return type(value) is Tensor and value._is_symbolic()


def _is_number(tensor: Tensor) -> bool:
    """Whether the value of `tensor` is a Python number, with respect to which no tape differentiates."""
    array = tensor._array
    return isinstance(array, np.ndarray) and array.ndim == 0 and array.dtype.kind in "fib" and not tensor._is_watched


def fixed(tensor: Tensor) -> Tensor:
    """`tensor`, moved from the host to the device for permanent use."""
    if type(tensor._array) is np.ndarray and tensor._array.dtype != object:
        tensor._array = to_device(tensor._array)
    return tensor
