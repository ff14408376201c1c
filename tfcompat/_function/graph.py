"""The graph: the trace of a function's body, whose tensors have no values.

What the body reads from outside becomes a leaf, and the graph notes where a call finds its value: in an argument, in a
variable (as it is then), in a tensor, or in the stream of random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn
from weakref import ref

import numpy as np

from tfcompat._autodiff.gradient import CustomCall
from tfcompat._core.aval import Aval, aval_of
from tfcompat._core.device import to_device
from tfcompat._core.dtype import int64
from tfcompat._core.op import Op
from tfcompat._core.tensor import Tensor, pending
from tfcompat._core.trace import Trace, here, record
from tfcompat._function.refusal import out_of_scope, refuse
from tfcompat._random.seed import CallStream
from tfcompat._state.cell import Cell
from tfcompat._state.position import Position

_unpacked = Op("drawn", lambda vector: tuple(vector), many=True)


class Argument(NamedTuple):
    """The tensor in the `index`-th place among the arguments of a call."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]  # nobody searches in it


class Drawn(NamedTuple):
    """Three integers that each call draws anew."""

    stream: CallStream


class Reading(NamedTuple):
    """Nothing but a place for derivatives: what a part of the graph reads of a variable that it has assigned."""

    cell: Cell


# Where a call finds the value of a leaf.
Source = Argument | Drawn | Reading | Cell | Tensor


class Graph(Trace):
    """A trace without values.

    Attributes:
      sources: where the value of each leaf comes from, in order.
      cells: by the `id` of its tensor, the variable that a leaf is the value of.
      assigned: by its number, each variable that was assigned, and the tensor that it then holds; None for the variable
        if it was made here.
      creates: whether variables may be made in it.
      created: the variables made in it, with the slots of their first values.
      outer: the trace that was recorded into when it began.
      effects: what each call computes though nobody reads it: assertions and printing.
      numbered: how many draws without a seed of their own it has numbered.
      names: by their slots, the parameters whose arguments these are.
      guests: the tapes that came here from other traces.
      is_open: whether its body still runs.
      is_part: whether it is a branch or a loop's body in the function that `outer` is the trace of.
    """

    __slots__ = (
        "assigned",
        "cells",
        "created",
        "creates",
        "effects",
        "guests",
        "is_open",
        "is_part",
        "label",
        "names",
        "numbered",
        "outer",
        "sources",
        "watcher",
    )

    is_symbolic = True
    # Whether its steps run again and again.
    is_iterated = False

    def __init__(self, label: str, *, creates: bool, is_part: bool = False) -> None:
        super().__init__()
        self.creates = creates
        self.limit = math.inf
        self.label = label
        self.outer: Any = here.trace
        self.is_part = is_part and isinstance(self.outer, Graph)
        self.sources: list[Source] = []
        self.cells: dict[int, Cell] = {}
        self.assigned: dict[int, tuple[Cell | None, Tensor]] = {}
        self.created: list[tuple[ref[Cell], int]] = []
        self.effects: list[Tensor] = []
        self.numbered = 0
        self.names: dict[int, str] = {}
        self.guests: list[Any] = []
        self.is_open = True
        self.watcher = GraphWatcher(self)

    def argument(self, aval: Aval, index: int, name: str | None = None) -> Tensor:
        """A tensor for an argument, of the parameter `name` if it has one."""
        self.sources.append(Argument(index))
        tensor = self._open(aval)
        if name is not None:
            self.names[tensor._slot] = name
        return tensor

    def reading(self, cell: Cell) -> Tensor:
        """A tensor that stands for reading `cell` where it is assigned: zeros, for their gradient."""
        self.sources.append(Reading(cell))
        return self._open(cell._tensor._aval)

    def _open(self, aval: Aval) -> Tensor:
        """A leaf that gets its value at the call."""
        tensor = self.reached(self._array_node(aval))
        self.leaves.append(tensor)
        self.leaf_slots[id(tensor)] = tensor._slot
        return tensor

    def enter(self, cell: Cell) -> None:
        """Makes the value that `cell` holds a leaf, unless it was assigned in this graph."""
        tensor = self.held_by(cell)
        if tensor._trace is not self and id(tensor) not in self.leaf_slots and cell._number not in self.assigned:
            self.cells[id(tensor)] = cell
            self._leaf(tensor)

    def standing_for(self, tensor: Tensor) -> Tensor:
        """What stands for `tensor`, which a variable holds: that has a value, which is another one at each call."""
        return self.tensor(self.slot_of(tensor), tensor._aval)

    def create(self, cell: Cell) -> None:
        """Notes that `cell` was made here. Raises ValueError where none may be."""
        if not self.creates:
            raise ValueError(
                "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable "
                "is only created once or created outside tf.function. See "
                "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
            )
        self.created.append((ref(cell), self.slot_of(cell._held)))
        # The graph must not be what keeps it.
        self.assigned[cell._number] = (None, cell._held)

    def held_by(self, cell: Cell) -> Tensor:
        """What `cell` holds for the code that is being traced: what it has assigned here or in a graph around."""
        graph: Any = self
        while isinstance(graph, Graph):
            found = graph.assigned.get(cell._number)
            if found is not None:
                return found[1]
            graph = graph.outer
        return cell._held

    def assign(self, cell: Cell, tensor: Tensor) -> None:
        """Lets `cell` hold `tensor` for what is traced from now on."""
        known = self.assigned.get(cell._number)
        self.assigned[cell._number] = (cell if known is None else known[0], tensor)

    def next_number(self) -> int:
        """The number that takes the place of a seed for a draw that has none: each body counts its own."""
        self.numbered += 1
        return self.numbered - 1

    def draw(self, stream: CallStream) -> list[Tensor]:
        """Three integers that each call draws anew from `stream`."""
        return list(record(_unpacked, (self.drawn(Drawn(stream)),)))

    def drawn(self, source: Drawn) -> Tensor:
        """The vector of what each call draws anew.

        A part of a function that is run as often as values say keeps the place in the stream, if it is seeded; the
        function that is called draws the rest, for all of its parts.
        """
        if not self.is_part:
            return self.drawn_at_call(source)
        place = self.place_of(source)
        return self.outer.drawn(source) if place is None else place.drawn()

    def place_of(self, source: Drawn) -> Position | None:
        """The place in the stream of `source` that this part keeps, if it keeps one."""
        stream = source.stream
        return Position(stream) if type(stream) is CallStream and stream._is_seeded and self.keeps_places else None

    def drawn_at_call(self, source: Drawn) -> Tensor:
        """The vector that whoever records the steps draws."""
        self.sources.append(source)
        return self._open(aval_of((3,), int64))

    @property
    def keeps_places(self) -> bool:
        """Whether its draws, and those of its parts, find out where the one before has ended."""
        return not self.is_part or self.outer.keeps_places

    def _leaf(self, tensor: Tensor) -> int:
        cell = self.cells.get(id(tensor))
        if cell is None:
            owner = tensor._trace
            if isinstance(owner, Graph):
                if not owner.is_open:
                    out_of_scope(tensor)
            elif tensor._array is None:
                tensor._value("function")
            if isinstance(tensor._array, np.ndarray) and tensor._aval.ndim == 0 and tensor._array.dtype.kind in "fib":
                return super()._leaf(tensor)
        self.sources.append(tensor if cell is None else cell)
        return self._array_leaf(tensor)

    def refuse(self, tensor: Tensor, use: str) -> NoReturn:
        """Raises what TensorFlow raises where a symbolic tensor is used so."""
        refuse(tensor, self.name_of(tensor), use)

    def materialise(self, tensor: Tensor, cause: str) -> NoReturn:
        """Refuses to: there are no values."""
        if not self.is_open:
            out_of_scope(tensor)
        self.refuse(tensor, cause)

    def name_of(self, tensor: Tensor) -> str:
        """A name for what is printed: of the op that computes `tensor`, counted."""
        if tensor._slot in self.names:
            return f"{self.names[tensor._slot]}:0"
        names = [node.op.name if node.op is not None else "input" for node in self.node.path()]
        steps = [node.first <= tensor._slot < node.slot for node in self.node.path()]
        place = steps.index(True)
        before = names[:place].count(names[place])
        return f"{names[place]}_{before}:0" if before else f"{names[place]}:0"

    def flush(self, cause: str) -> None:
        """Nothing is computed while a body is traced."""
        del cause

    def receive(self, tape: Any) -> bool:
        """Takes `tape` in until the body ends.

        Of what it recorded in a function around this one the values are read as they were computed there.
        """
        self.guests.append(tape)
        around = tape._trace
        if isinstance(around, Graph) and around.is_open:
            for node in around.node.path():
                if node.op is not None:
                    for k, aval in enumerate(node.avals):
                        self.slot_of(around.tensor(node.first + k, aval))
        return True

    def close(self) -> None:
        """Ends the tracing: from now on its tensors are out of scope."""
        self.is_open = False
        while self.guests:
            self.guests.pop().go_home(self)
        self.leaves.clear()

    @contextmanager
    def recording(self) -> Generator[None]:
        """Within this context ops are recorded here, and tapes outside see nothing."""
        trace, graph, tapes = here.trace, here.graph, here.tapes
        try:
            here.trace, here.graph, here.tapes = self, self, [self.watcher]
            yield
        finally:
            here.trace, here.graph, here.tapes = trace, graph, tapes
            self.close()


class GraphWatcher:
    """What stands first among the tapes while a body is traced.

    Attributes:
      customs: by their first slot, the steps with a gradient of the user's.
      reads: by the number of a variable, itself and the slots that it was read from.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.customs: dict[int, CustomCall] = {}
        self.reads: dict[int, tuple[ref[Cell], list[int]]] = {}

    def touch(self, cell: Cell, tensor: Tensor) -> None:
        """Notes that `cell` is being read, `tensor` before it is entered."""
        del tensor
        self._graph.enter(cell)
        self.touch_at(cell, self._graph.slot_of(self._graph.held_by(cell)))

    def touch_at(self, cell: Cell, slot: int) -> None:
        """Notes that `cell` is being read while its value is in `slot`."""
        _, slots = self.reads.setdefault(cell._number, (ref(cell), []))
        if slot not in slots:
            slots.append(slot)


def is_symbolic(value: Any) -> bool:
    """Whether `value` is a tensor without a value, made in a function that is being traced."""
    return type(value) is Tensor and value._is_symbolic()


def hole(shape: Any, dtype: Any) -> Tensor:
    """A tensor that stands for an argument of `shape` and `dtype` where there is none."""
    return pending(None, -1, aval_of(tuple(shape), dtype))


def fixed(tensor: Tensor) -> Tensor:
    """`tensor`, for good: what is on the host moves to the device."""
    if type(tensor._array) is np.ndarray and tensor._array.dtype != object:
        tensor._array = to_device(tensor._array)
    return tensor
