"""A block: a branch, or the condition or body of a loop, traced separately and evaluated as a JAX function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._autodiff.connection import Connections, Links
from tfcompat._autodiff.gradient import CustomCall
from tfcompat._core.calls.host_call import is_later
from tfcompat._core.calls.text import is_text
from tfcompat._core.operation.op import GradientRule, Op, ValueCheck
from tfcompat._core.programs.bounded_computation import planned
from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.node import Node, Number
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UntraceableError
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types import nest
from tfcompat._core.types.aval import Aval
from tfcompat._function.block.found_run import Room
from tfcompat._function.block.gradient import Readings, faithful, stand_in, touch, traced_custom_gradients
from tfcompat._function.block.procedure import Procedure, procedure
from tfcompat._function.block.rooms import require_padded, rooms_of
from tfcompat._function.graphs.graph import Graph, fixed
from tfcompat._function.graphs.refusal import refuse_strings, returned
from tfcompat._function.graphs.source import Argument, Drawn, Reading
from tfcompat._function.tensor_array.unshaped import Unshaped
from tfcompat._state.cell import Cell

_NONE: Links = frozenset()

# The ops whose calls of Python belong to the start of a program.
_PYTHON = frozenset(("numpy_function", "py_function"))


class Block:
    """A Python function, traced.

    Attributes:
      graph: the trace.
      result: the function's result, with leaves that are tensors or None.
      leaves: the leaves of the result.
      text_inputs: the inputs of the strings among the leaves, if a string is computed in a call.
      updates: by number, the variables that it assigns, each with its final value.
      effects: the slots that are computed for their side effects.
      checks: the steps that check values and can fail.
    """

    def __init__(self, graph: Graph, function: Callable[[], Any]) -> None:
        self.graph = graph
        with graph.recording():
            answered = _answer(graph, function)
            graph.conclude()
            self.result = nest.map_structure(lambda x: _returned(function, x), answered, expand_composites=True)
            self.leaves = nest.flatten(self.result, expand_composites=True)
            self.updates = {n: (cell, tensor) for n, (cell, tensor) in graph.assigned.items() if cell is not None}
            held = [tensor for _, tensor in self.updates.values()]
            self.text_inputs = [x for leaf in self.leaves if is_later(leaf) for x in leaf._trace.inputs]
            self._slots = {id(x): graph.slot_of(x) for x in (*self.outputs, *held, *self.text_inputs)}
            self.effects = {graph.slot_of(tensor) for tensor in graph.effects}
            self._end = graph.node.slot
            self._customs = traced_custom_gradients(graph)
            self._readings = Readings(graph, [graph.slot_of(x) for x in self.outputs])
        self._rooms = rooms_of(graph, [x._aval for x in (*self.outputs, *held, *self.text_inputs)])
        if self._rooms:
            self._require_padded([*self.outputs, *held])

    def _require_padded(self, tensors: Sequence[Tensor]) -> None:
        """Raises UntraceableError unless padded arrays hold the steps that compute `tensors`, and their derivatives."""
        slots = self.slots(tensors)
        procedure = self._procedure((), slots, (), slots, self._numbers, self._rooms[-1:])
        avals = [self._avals[slot] for slot in self.starts]
        require_padded(procedure, avals, [tensor._aval for tensor in tensors])

    @functools.cached_property
    def _avals(self) -> dict[int, Aval]:
        return {node.first + k: aval for node in self.path for k, aval in enumerate(node.avals)}

    @property
    def outputs(self) -> list[Tensor]:
        """The tensors of the result, without strings."""
        return [leaf for leaf in self.leaves if has_value(leaf)]

    @functools.cached_property
    def sources(self) -> list[Any]:
        """The source of the value of each leaf of the trace."""
        return [self._sources[k] for k in self._kept]

    @functools.cached_property
    def _sources(self) -> list[Any]:
        return [fixed(source) if type(source) is Tensor else source for source in self.graph.sources]

    @functools.cached_property
    def _kept(self) -> list[int]:
        """The leaves of the trace, by number, that are not cotangents of a custom gradient."""
        return [k for k, source in enumerate(self._sources) if type(source) is not Argument or source.index >= 0]

    @functools.cached_property
    def path(self) -> list[Node]:
        """The steps, whose JAX derivatives are those of tapes."""
        steps = [self._customs.get(node.first) or faithful(node) for node in self.graph.node.path()]
        return self._readings.path(steps)

    @functools.cached_property
    def starts(self) -> list[int]:
        """The slots of the leaves of the trace."""
        slots = [node.first for node in self.graph.node.path() if node.op is None and not node.inputs]
        return [slots[k] for k in self._kept]

    @functools.cached_property
    def checks(self) -> list[Node]:
        """The steps that check values and can fail."""
        return [
            node for node in self.path if node.op is not None and node.op.check is not None and node.first < self._end
        ]

    @property
    def has_effects(self) -> bool:
        """Whether it has checks or side effects."""
        return bool(self.checks or self.effects)

    def slots(self, tensors: Iterable[Tensor]) -> list[int]:
        """The slots of `tensors`, which are outputs or final values of variables."""
        return [self._readings.slot(self._slots[id(tensor)]) for tensor in tensors]

    def require_numbers(self) -> None:
        """Raises UntraceableError if the function returned strings."""
        if any(map(is_text, self.leaves)):
            refuse_strings(f"tf.{self.graph.label}: fn returns strings")

    def require_program(self) -> None:
        """Raises UntraceableError if the function returned strings or calls Python; the host runs it for elements."""
        self.require_numbers()
        if any(node.op is not None and node.op.name in _PYTHON for node in self.graph.node.path()):
            raise UntraceableError(f"tf.{self.graph.label}: a program for several elements cannot call Python")

    def settle(self, leaf: int, dims: tuple[int, ...]) -> None:
        """Gives number `leaf` of `leaves`, an array that was not written into, rows of shape `dims`."""
        tensor = self.leaves[leaf].resolve(dims, self.graph)
        self._slots[id(tensor)] = self.graph.slot_of(tensor)
        self.leaves[leaf] = tensor

    def read(self, slots: Sequence[int]) -> list[int]:
        """The leaves, by number, that `slots` are computed from."""
        numbers = {slot: number for number, slot in enumerate(self.starts)}
        return [numbers[node.first] for node in Plan(self.path, (), slots).leaves]

    def function(self, slots: Sequence[int]) -> Procedure:
        """The function that computes `slots` from the values of the leaves, without side effects and checks."""
        return self._procedure((), slots, (), slots, self._numbers)

    def _procedure(
        self,
        given: Sequence[int],
        slots: Sequence[int],
        checks: Sequence[Node],
        wanted: Sequence[int],
        numbers: tuple[Sequence[float], Sequence[int]],
        rooms: Sequence[Room] | None = None,
    ) -> Procedure:
        """The procedure whose steps compute `wanted`, by default in all rooms; for other arguments see `procedure`."""
        plan, bounds = planned(self.path, given, wanted, self.graph.node.bounds, checked=checks)
        sizes = [(bound.name, bound.slot) for bound in bounds]
        return procedure(plan, (*self.starts, *given), slots, checks, numbers, sizes, rooms or self._rooms)

    def procedure(
        self,
        slots: Sequence[int],
        given: Sequence[int] = (),
        checks: Sequence[Node] | None = None,
        *,
        takes_numbers: bool = False,
    ) -> Procedure:
        """The function that computes `slots` and performs side effects. It also returns which of `checks` fail.

        It takes the values of the leaves, and those of the slots `given`, which are then not computed; if it
        `takes_numbers`, also the Python numbers of the trace.
        """
        checks = self.checks if checks is None else checks
        reads = [slot for node in checks for slot in node.inputs if type(slot) is int]
        wanted = (*slots, *sorted(self.effects), *reads)
        return self._procedure(given, slots, checks, wanted, ((), ()) if takes_numbers else self._numbers)

    @property
    def _numbers(self) -> tuple[Sequence[float], Sequence[int]]:
        return self.graph.floats, self.graph.ints

    def value(self, number: Number) -> np.ndarray:
        """The value of a Python number of the trace."""
        return number.on_host(self.graph.floats, self.graph.ints)

    def links(self, slots: Sequence[int], given: Sequence[int] = ()) -> list[Links]:
        """For each of `slots`, the leaves, by number, that its derivative depends on.

        The slots `given` count as leaves too; their numbers follow those of the leaves.
        """
        reached = self._connections.reached(self.path, (*self.starts, *given))
        return [reached.get(slot, _NONE) for slot in slots]

    def loop_rule(self, linked: Sequence[Links], operands: Iterable[Tensor], given: Sequence[int] = ()) -> GradientRule:
        """How TensorFlow differentiates a loop with this body.

        `linked` are the operands that each output is connected with; `given` is as in `links`.
        """
        avals = [tensor._aval for tensor in operands]
        keeps = self._connections.kept_by_loop(self.path, (*self.starts, *given), linked, avals)
        return GradientRule(linked=tuple(linked), keeps=keeps, reads=False)

    @functools.cached_property
    def _connections(self) -> Connections:
        customs = self.graph.watcher.customs.items()
        return Connections(
            {
                first: CustomCall(tuple(map(self._readings.slot, custom.inputs)), custom.pull)
                for first, custom in customs
            }
        )


class Operands:
    """The operands of an op that consists of blocks: a place for each tensor or variable that they read.

    Attributes:
      tensors: the values in the enclosing graph. Their places start at `first`.
    """

    def __init__(self, tensors: Sequence[Tensor] = (), first: int = 0) -> None:
        self.tensors = list(tensors)
        self._first = first
        self._places: dict[Any, int] = {}

    def place(self, source: Tensor | Cell | Drawn | Reading) -> int:
        """The place of `source`. A variable is read when its place is first requested."""
        key = _key(source)
        if key not in self._places:
            self._places[key] = self._first + len(self.tensors)
            self.tensors.append(_value(source))
        return self._places[key]

    def hold(self, cell: Cell, place: int) -> None:
        """Assigns `place` to `cell`."""
        self._places[_key(cell)] = place

    def places(self, block: Block, arguments: Sequence[int] = ()) -> list[int]:
        """The places of the leaves of `block`, whose arguments have the places `arguments`."""
        return [
            arguments[source.index] if type(source) is Argument else self.place(source)  # pyright: ignore[reportArgumentType]
            for source in block.sources
        ]


def _answer(graph: Graph, function: Callable[[], Any]) -> Any:
    try:
        return function()
    except Exception as error:  # code that needs to know a size may raise any error
        refused = graph.refused(error)
        if refused is error:
            raise
        raise refused from None


def _key(source: Tensor | Cell | Drawn | Reading) -> Any:
    if isinstance(source, Reading):
        return Reading, source.cell._number
    return (Cell, source._number) if isinstance(source, Cell) else id(source)


def _value(source: Tensor | Cell | Drawn | Reading) -> Tensor:
    """The tensor for `source` in the graph around a block. Tapes record the read."""
    if isinstance(source, Reading):
        zeros = stand_in(source.cell)
        touch(source.cell, zeros)
        return zeros
    if isinstance(source, Drawn):
        return Tensor(np.array(source.stream(), np.int64))
    return source._read() if isinstance(source, Cell) else source


def has_value(leaf: Any) -> bool:
    """Whether `leaf` is a tensor that a program can hold, not a string."""
    return type(leaf) is Tensor and not is_text(leaf)


def _returned(function: Any, value: Any) -> Any:
    if type(value) is Unshaped:
        return value.tensor or value
    return None if value is None else returned(function, value)


def clear_flags(count: int) -> list[Any]:
    """`count` cleared flags, as scalars: a loop carries them at less cost than a vector."""
    return [jnp.zeros((), bool) for _ in range(count)]


def stacked(flags: Sequence[Any]) -> Any:
    """`flags` as a vector, the last output of an op, with one more flag that is never set."""
    return jnp.stack([*flags, jnp.zeros((), bool)])


def record_checks(flags: Tensor, checks: Sequence[Node]) -> None:
    """Records the `checks` of a block that became one op. The op's last output is `flags`, one for each check."""
    if not checks:
        here.graph.effects.append(flags)
    for k, check in enumerate(checks):
        assert check.op is not None
        assert check.op.check is not None
        here.graph.effects.append(record(_check(check.op.name, check.op.check.message, k), (flags,)))
        here.trace.node.line = check.line


@functools.cache
def _check(name: str, message: str, k: int) -> Op:
    return Op(
        name,
        lambda flags: jnp.logical_not(flags[k]),
        gradient=GradientRule(blocked=True),
        check=ValueCheck(lambda flags: flags[k], message),
    )
