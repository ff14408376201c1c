"""The body of a function: a stored trace, and the two ways to run it.

Outside of tapes and other functions a call is one run of the body's own program. Otherwise its steps are recorded again
in the caller's trace, so that tapes record each of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

import jax
import numpy as np

from tfcompat._autodiff.gradient import CustomCall
from tfcompat._core import nest
from tfcompat._core.alarm import raise_alarms
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.device import copied
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.host_call import is_later, with_later, without_later
from tfcompat._core.location import is_raised_here
from tfcompat._core.lock import binding
from tfcompat._core.program import WHOLE
from tfcompat._core.replay import Plan
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import Trace, here
from tfcompat._function.called import Site
from tfcompat._function.graph import Argument, Drawn, Graph, fixed
from tfcompat._function.launch import Launch, Updates, takeable
from tfcompat._function.refusal import refused_while_traced
from tfcompat._function.signature import Call, Known
from tfcompat._function.splice import splice
from tfcompat._ops.debugging.value_assertion import watch
from tfcompat._state.cell import Cell
from tfcompat._state.position import Position
from tfcompat._state.variable import Variable


class Body:
    """A stored trace.

    Attributes:
      graph: the graph that was traced.
      node: the last node of the trace.
      sources: the source of the value of each leaf.
      outputs: for each leaf of the result its slot, or its value if that is the same in every call.
      updates: (variable, slot, aval) for each variable that a call assigns.
      created: the variables that were created while tracing.
      loses_variables: whether a created variable is no longer referenced, so that the next call would create another.
    """

    def __init__(self, graph: Graph, result: Any, flat: list[Any], parameters: dict[int, int]) -> None:
        self.graph = graph
        self.result = result
        self._texts = [(place, value) for place, value in enumerate(flat) if is_later(value)]
        flat = without_later(flat)
        self.outputs = [_output(graph, value) for value in flat]
        self.output_avals = [value._aval if type(value) is Tensor else None for value in flat]
        made = [reference() for reference, _ in graph.created]
        self.created = [cell for cell in made if cell is not None]
        self.loses_variables = len(self.created) < len(made)
        changed = [cell for cell, _ in graph.assigned.values() if cell is not None] + self.created
        self.updates = [(cell, graph.slot_of(cell._tensor), cell._tensor._aval) for cell in changed]
        self.node = graph.node
        self.node.visits = max(self.node.visits, 1)
        self.sources = [fixed(source) if type(source) is Tensor else source for source in graph.sources]
        leaves = [node for node in self.node.path() if node.op is None and not node.inputs]
        self._leaf_slots = [node.first for node in leaves]
        self._leaf_avals = [node.aval for node in leaves]
        self._takeable = takeable(self.sources, self._leaf_avals, self.updates)
        self._launch: Launch | None = None
        self._floats = graph.floats
        self._ints = graph.ints
        self._effects = [(tensor._slot, tensor._aval) for tensor in graph.effects]
        self._parameters = parameters
        self._calls_python = any(type(source) is Drawn and isinstance(source.stream, Site) for source in self.sources)
        self._customs = graph.watcher.customs
        # Reads of variables that the body has assigned before.
        known = {graph.leaf_slots[key] for key in graph.cells}
        reads = [(reference(), slot) for reference, slots in graph.watcher.reads.values() for slot in slots]
        self._reads = [(cell, slot) for cell, slot in reads if cell is not None and slot not in known]

    def __call__(self, flat: Sequence[Any]) -> Any:
        """Runs the body on the leaves of a call's arguments."""
        outputs = self._recorded(flat) if here.tapes or here.trace.is_symbolic else self._run(flat)
        if self._calls_python and not here.trace.is_symbolic:
            # Python calls and their exceptions happen before this returns.
            if here.tapes:
                here.trace.flush("function")
            raise_alarms()
        if self._texts:
            outputs = with_later(outputs, self._texts)
        if type(self.result) is Tensor:
            return outputs[0]
        return nest.pack_sequence_as(self.result, outputs, expand_composites=True)

    def variables(self) -> tuple[Variable, ...]:
        """The variables that it reads or assigns."""
        cells = [source for source in self.sources if isinstance(source, Variable)]
        cells += [cell for cell, _, _ in self.updates if isinstance(cell, Variable)]
        return tuple({cell._number: cell for cell in cells}.values())

    def captured(self) -> list[Any]:
        """The variables and the tensors from outside that it reads."""
        return [source for source in self.sources if isinstance(source, (Variable, Tensor))]

    def initialise(self, flat: Sequence[Any] | None) -> None:
        """Computes the first values of variables that were created while tracing, for a call with the leaves `flat`.

        Raises: ValueError if the values depend on arguments and `flat` is None.
        """
        firsts = [slot for _, slot in self.graph.created]
        needed = {leaf.leaves - 1 for leaf in Plan(self.node.path(), (), firsts).leaves}
        if flat is None and any(type(source) is Argument for k, source in enumerate(self.sources) if k in needed):
            raise ValueError(
                "tf.function: the function creates variables whose first values depend on its arguments; call it "
                "before get_concrete_function."
            )
        trace = Trace()
        trace.node = self.node
        trace.runs_once = True
        nothing = Tensor(np.zeros(0))
        used = [source if k in needed else nothing for k, source in enumerate(self.sources)]
        trace.leaves = [self._leaf(source, flat or ()) for source in used]
        trace.floats, trace.ints = self._floats, self._ints
        for reference, slot in self.graph.created:
            cell = reference()
            if cell is not None:
                cell._held = trace.tensor(slot, cell._held._aval)
        trace.flush("function")
        # The body keeps its constants, so a variable gets a copy: a program may donate the variable's buffer.
        constants = {id(leaf._array) for leaf in trace.leaves}
        for cell in self.created:
            array = cell._held._array
            if id(array) in constants and isinstance(array, jax.Array):
                cell._held._array = copied(array)

    def _cell(self, cell: Cell, flat: Sequence[Any]) -> Cell:
        """The variable that a call uses in place of `cell`."""
        index = self._parameters.get(cell._number)
        return cell if index is None else flat[index]

    def _run(self, flat: Sequence[Any]) -> list[Any]:
        """Runs the body's own program."""
        outputs = self._launch(flat) if self._launch is not None else None
        if outputs is None:
            outputs = self._flushed(flat)
        if self._effects:
            jax.effects_barrier()
        return outputs

    def _flushed(self, flat: Sequence[Any]) -> list[Any]:
        """Runs the body's program as a flush of its trace, which compiles the program if necessary."""
        outputs = self._flush(flat)
        self._launch = self._settled()
        return outputs

    def _flush(self, flat: Sequence[Any]) -> list[Any]:
        trace = Trace()
        trace.node = self.node
        trace.leaves = leaves = [self._leaf(source, flat) for source in self.sources]
        trace.floats, trace.ints = self._floats, self._ints
        # Small buffers are donated too: a launch does that in less time than a flush.
        trace.smallest = 0
        effects = [trace.tensor(slot, aval) for slot, aval in self._effects]
        outputs = [
            trace.tensor(output, aval) if type(output) is int and aval is not None else output
            for output, aval in zip(self.outputs, self.output_avals, strict=True)
        ]
        cells = [(k, self._cell(cell, flat)) for k, cell in enumerate(self.sources) if isinstance(cell, Cell)]
        updates = [(self._cell(cell, flat), slot, aval) for cell, slot, aval in self.updates]
        while not self._take_over(trace, cells, updates):
            for k, cell in cells:
                leaves[k] = _computed(cell._held)
        trace.flush("function")
        del effects
        return outputs

    def _take_over(self, trace: Trace, cells: Sequence[tuple[int, Cell]], updates: Updates) -> bool:
        """Binds variables to the results of `trace`. False if another thread has assigned one that it reads."""
        leaves = trace.leaves
        with binding:
            if any(cell._held is not leaves[k] for k, cell in cells):
                return False
            trace.leaf_slots = {id(leaf): slot for leaf, slot in zip(leaves, self._leaf_slots, strict=True)}
            for cell, slot, aval in updates:
                cell._rebind(trace.tensor(slot, aval), trace)
            return True

    def _settled(self) -> Launch | None:
        """A launch of the program for later calls; None if a call has to go through a flush."""
        program = self.node.programs.get(WHOLE._replace(guards=self._guards))
        if program is None or self._parameters:
            return None
        if self.updates if program.calls_python else program.donated != self._takeable:
            # Other threads may assign the same variables while Python is called. A flush orders the assignments.
            return None
        outputs = [
            (output, aval) if type(output) is int and aval is not None else (output, None)
            for output, aval in zip(self.outputs, self.output_avals, strict=True)
        ]
        return Launch(program, self.sources, (self._floats, self._ints), outputs, self.updates)

    @functools.cached_property
    def _guards(self) -> tuple[tuple[int, int], ...]:
        """The slots of the new and old values of variables that keep the old value if a check fails."""
        if not self.node.checks:
            return ()
        places = {
            source._number: (slot, aval)
            for source, slot, aval in zip(self.sources, self._leaf_slots, self._leaf_avals, strict=True)
            if isinstance(source, Cell)
        }
        found = [(slot, aval, places.get(cell._number)) for cell, slot, aval in self.updates]
        return tuple([(slot, old[0]) for slot, aval, old in found if old is not None and old[1] is aval])

    def _leaf(self, source: Any, flat: Sequence[Any]) -> Tensor:
        """The computed value of a leaf for a call."""
        kind = type(source)
        if kind is Argument:
            return _computed(flat[source.index])
        if kind is Tensor:
            return source
        if kind is Drawn:
            return Tensor(np.array(source.stream(), np.int64))
        return _computed(self._cell(source, flat)._held)

    def _recorded(self, flat: Sequence[Any]) -> list[Any]:
        """Records the body's steps in the caller's trace."""
        trace = here.trace
        places = self._places(trace)
        leaves = tuple([trace.slot_of(self._operand(source, trace, flat, places)) for source in self.sources])
        slots = splice(self.node, trace, leaves, (self._floats, self._ints))
        for first, custom in self._customs.items():
            moved = CustomCall(tuple([slots[slot] for slot in custom.inputs]), _Pulled(self.graph, slots, custom.pull))
            for tape in here.tapes:
                tape.customs[slots[first]] = moved
        for slot, aval in self._effects:
            watch.wait(trace.tensor(slots[slot], aval))
        for cell, slot in self._reads:
            for tape in here.tapes:
                tape.touch_at(self._cell(cell, flat), slots[slot])
        for cell, slot, aval in self.updates:
            places.get(cell._number, self._cell(cell, flat))._rebind(trace.tensor(slots[slot], aval))
        if isinstance(trace, Graph):
            created = {cell._number for cell in self.created}
            trace.created += [(ref(cell), slots[slot]) for cell, slot, _ in self.updates if cell._number in created]
        return [
            trace.tensor(slots[output], aval) if type(output) is int and aval is not None else output
            for output, aval in zip(self.outputs, self.output_avals, strict=True)
        ]

    def _places(self, trace: Trace) -> dict[int, Position]:
        """The stream positions that `trace` keeps in place of those of this body's own calls."""
        if not isinstance(trace, Graph):
            return {}
        return {source._number: source.again() for source in self.sources if isinstance(source, Position)}

    def _operand(self, source: Any, trace: Trace, flat: Sequence[Any], places: dict[int, Position]) -> Tensor:
        """The value of a leaf in `trace`. While a function is traced, draws are deferred to its own calls."""
        if type(source) is Drawn:
            if isinstance(trace, Graph):
                return trace.drawn(Drawn(source.stream.again()))
            return Tensor(np.array(source.stream(), np.int64))
        leaf = flat[source.index] if type(source) is Argument else source
        return leaf if type(leaf) is Tensor else places.get(leaf._number, self._cell(leaf, flat))._read()


class _Pulled:
    """The gradient function of a custom step in a body, for a trace in which the body was recorded again.

    The function reads tensors of the body. While it runs, these refer to their copies in the trace.
    """

    def __init__(self, graph: Graph, slots: dict[int, int], pull: Callable[..., Any]) -> None:
        self._graph = graph
        self._slots = slots
        self._pull = pull

    def __call__(self, trace: Trace, cotangents: Any) -> Any:
        alive = [tensor for reference in self._graph.pending if (tensor := reference()) is not None]
        copies = {id(tensor): self._slots[tensor._slot] for tensor in alive}
        hidden = {key: trace.leaf_slots[key] for key in copies if key in trace.leaf_slots}
        trace.leaf_slots.update(copies)
        try:
            return self._pull(trace, cotangents)
        finally:
            for key in copies:
                del trace.leaf_slots[key]
            trace.leaf_slots.update(hidden)


def traced(function: Callable[..., Any], label: str, call: Call, parameters: Sequence[str], *, creates: bool) -> Body:
    """The body of `function` for the arguments of `call`, which belong to `parameters`.

    `creates` is whether it may create variables.

    Raises: TypeError if it returns a value that can't be converted to a tensor; ValueError if shapes don't fit, or if
      it creates variables although it may not.
    """
    graph = Graph(label, creates=creates)
    flat = call.flat
    names = _names(call, parameters)
    variables = {value._number: index for index, value in enumerate(flat) if isinstance(value, Variable)}
    try:
        with graph.recording():
            given = [graph.argument(v._aval, i, names[i]) if is_numeric(v) else v for i, v in enumerate(flat)]
            given = [v.tensor if type(v) is Known else v for v in given]
            args, kwargs = nest.pack_sequence_as((call.args, call.kwargs), given, expand_composites=True)
            result = function(*args, **kwargs)
            structure = nest.map_structure(lambda value: _returned(function, value), result, expand_composites=True)
            body = Body(graph, structure, nest.flatten(structure, expand_composites=True), variables)
    except InvalidArgumentError as error:
        refused = refused_while_traced(error) if is_raised_here(error) else None
        if refused is None:
            raise
        raise refused from error
    return body


def _names(call: Call, parameters: Sequence[str]) -> list[str]:
    """The parameter that each leaf of the arguments belongs to."""
    arguments = [*zip(parameters, call.args, strict=False), *call.kwargs.items()]
    names = [name for name, value in arguments for _ in nest.flatten(value, expand_composites=True)]
    return names + ["args"] * (len(call.flat) - len(names))


def _computed(tensor: Tensor) -> Tensor:
    """`tensor`, with a value."""
    if tensor._array is None:
        tensor._value("function")
    return tensor


def is_numeric(value: Any) -> bool:
    """Whether `value` is a tensor that a program can take, not a string."""
    return type(value) is Tensor and value._aval.struct is not None


def _returned(function: Callable[..., Any], value: Any) -> Any:
    if value is None:
        return None
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or "
            f"None values; in compilation of {function}, found return value of type {type(value).__name__}, which is "
            "not a Tensor or ExtensionType."
        ) from None


def _output(graph: Graph, value: Any) -> Any:
    """The output for `value`: its slot, or the value itself if it is the same in every call."""
    return graph.slot_of(value) if type(value) is Tensor and value._array is None else value
