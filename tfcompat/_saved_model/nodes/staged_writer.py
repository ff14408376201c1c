"""Functions that take turns with the host, as messages: programs, and TensorFlow's kernels between them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.operation.reversal import reversible
from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._core.types.dtype import as_dtype, int8, int32, int64, resource, string
from tfcompat._data.function.graph import HostSource, HostStep
from tfcompat._data.function.loop import Iterated
from tfcompat._data.function.stage import leaves_of, stages_of
from tfcompat._data.function.trace import Computed, Constant, Passed
from tfcompat._function.graphs.source import Argument, Drawn, Hosted, Part
from tfcompat._jaxpr.size import is_open, symbols_of
from tfcompat._saved_model.messages.refusal import Unsaved
from tfcompat._saved_model.nodes.function_writer import Written, new_message, parameter_names, parameter_of
from tfcompat._saved_model.nodes.gradient_writer import WrittenGradient, differentiable
from tfcompat._saved_model.nodes.host_node import host_values
from tfcompat._saved_model.nodes.map_writer import MapWriter
from tfcompat._saved_model.nodes.node import call_node, draw_nodes, node
from tfcompat._saved_model.nodes.node_writer import NodeWriter, Value
from tfcompat._saved_model.programs.flat_program import ORDERS, derived
from tfcompat._saved_model.programs.program import exported
from tfcompat._saved_model.programs.staged_function import StagedBlock, StagedFunction
from tfcompat._state.cell import Cell

_logger = logging.getLogger("tensorflow")


def staged(function: StagedFunction, number: int, assets: Mapping[bytes, Any], *, has_gradient: bool) -> Written:
    """`function` as messages; `number` makes its name unique.

    The names of files that are among `assets` become the names that these have where the model is loaded.

    Raises: NotImplementedError if it has no such form.
    """
    with jax.enable_x64(True):
        return _StagedWriter(function, number, assets, has_gradient=has_gradient).written()


class _StagedWriter:
    """The message of a function.

    Values are kept by source: arguments, variables, drawn integers and results of the host.
    """

    def __init__(
        self, function: StagedFunction, number: int, assets: Mapping[bytes, Any], *, has_gradient: bool
    ) -> None:
        self._function = function
        self._assets = assets
        self.files: dict[int, tuple[Any, Value]] = {}
        self._trace = function.trace
        self._stored = function.stored
        self._number = number
        self._message, self._name = new_message(function.name, number)
        self._nodes = NodeWriter(self._message)
        self._keywords = parameter_names(function.tensor_names)
        self._values: dict[Any, Value] = {}
        self._leaves = leaves_of(self._stored)
        self._avals = dict(zip(self._stored.leaf_slots, self._stored.leaf_avals, strict=True))
        self._slots: dict[int, Value] = {}
        self._carriers: dict[str, Value] = {}
        self._programs = 0
        self._has_gradient = has_gradient
        self._gradients: list[WrittenGradient] = []
        self._functions: list[Any] = []

    def written(self) -> Written:
        function, message = self._function, self._message
        self._take_arguments()
        self._read_variables()
        for stage in stages_of(self._trace):
            self._compute(stage.slots)
            for number in stage.steps:
                self._step(number, self._trace.steps[number])
        wanted = [slot for slot, aval in self._stored.outputs if aval is not None]
        self._compute([*wanted, *[slot for _, slot, _ in self._stored.updates]])
        if self._stored.effects:
            _logger.warning("%s is saved without its printing, its summaries and its assertions.", function.name)
        for place, value in enumerate(map(self._result, function.results())):
            name = f"output_{place}"
            message.signature.output_arg.add(name=name, type=value.dtype.as_datatype_enum)
            message.ret[name] = self._nodes.one("Identity", [value], value.dtype).name
        self._assign()
        return Written(
            self._name,
            message,
            self._keywords,
            function.structured_input_signature,
            function.structured_outputs,
            [*function.variables, *function.tables, *[asset for asset, _ in self.files.values()]],
            self._gradients,
            self._functions,
        )

    def _take_arguments(self) -> None:
        """Adds the parameters for the tensors of the arguments."""
        numeric = {place: index for index, place in enumerate(self._function.numeric)}
        sources = [
            (Argument(numeric[place]) if place in numeric else Part(place, part), dims, dtype)
            for place, component in enumerate(self._function.components)
            for part, (dims, dtype) in enumerate(component.spec._tensor_kinds())
        ]
        shapes = {
            source: self._avals[slot].shape
            for slot, source in self._leaves.items()
            if slot in self._avals and type(source) is Argument
        }
        for keyword, (source, _, dtype) in zip(self._keywords, sources, strict=True):
            name = parameter_of(keyword)
            self._message.signature.input_arg.add(name=name, type=dtype.as_datatype_enum)
            shape = self._trace.shapes.get(source) if isinstance(source, Part) else shapes.get(source)
            self._values[source] = Value(name, dtype, shape)

    def _read_variables(self) -> None:
        """Adds the parameters for variables and tables, and the nodes that read variables or draw random integers."""
        for place, variable in enumerate(self._function.variables):
            name = f"captured_{place}"
            self._message.signature.input_arg.add(name=name, type=resource.as_datatype_enum)
            dtype = ("type", variable.dtype)
            read = self._nodes.message(node(f"read_{place}", "ReadVariableOp", [name], dtype=dtype))
            self._values[variable._number] = Value(f"{read}:value:0", variable.dtype, None)
        first = len(self._function.variables)
        for place, table in enumerate(self._function.tables, first):
            name = f"captured_{place}"
            self._message.signature.input_arg.add(name=name, type=resource.as_datatype_enum)
            self._nodes.handles[id(table)] = Value(name, resource, ())
        draws = [slot for slot, source in self._leaves.items() if type(source) is Drawn]
        for place, slot in enumerate(draws):
            for each in draw_nodes(f"draw_{place}", self._leaves[slot].stream.seeds):  # pyright: ignore
                self._nodes.message(each)
            self._slots[slot] = Value(f"draw_{place}:output:0", int64, (3,))

    def _leaf(self, slot: int) -> Value | None:
        """The value of a leaf of the trace; None for a constant and for sizes, which are parts of programs."""
        source = self._leaves[slot]
        if isinstance(source, Cell):
            return self._values[source._number]
        if isinstance(source, (Argument, Part, Hosted)):
            return self._values[source]
        return self._slots.get(slot)

    def _compute(self, slots: Sequence[int]) -> None:
        """Adds a program for `slots` of the trace."""
        wanted = [slot for slot in dict.fromkeys(slots) if slot not in self._slots and slot not in self._leaves]
        for slot in slots:
            if slot in self._leaves and slot not in self._slots:
                value = self._leaf(slot)
                if value is not None:
                    self._slots[slot] = value
                else:
                    wanted.append(slot)
        if not wanted:
            return
        plan = Plan(self._stored.node.path(), (), wanted)
        starts = [leaf.first for leaf in plan.leaves]
        given = {slot: value for slot in starts if (value := self._leaf(slot)) is not None}
        fixed = {slot: self._leaves[slot] for slot in starts if slot not in given}
        structs = [self._avals[slot].struct for slot in given]
        carried = self._carried(plan, fixed, structs)
        floats, ints = self._stored.numbers

        def run(*arrays: Any) -> list[Any]:
            known = dict(zip(given, arrays, strict=False))
            known |= {slot: _constant(source) for slot, source in fixed.items()}
            found = plan.evaluate(known, lambda number: number.traced(floats, ints))
            return [jnp.asarray((known | found)[slot]) for slot in wanted]

        try:
            program, _ = exported(run, [*structs, *[struct for _, struct in carried]])
        except jax.errors.InconclusiveDimensionOperation as refused:
            raise NotImplementedError(
                f"JAX cannot compute it for every size: {str(refused).splitlines()[0]}."
            ) from refused
        self._programs += 1
        name = f"program_{self._programs}"
        inputs = [*[value.name for value in given.values()], *[value.name for value, _ in carried]]
        self._nodes.message(call_node(name, program, inputs))
        results = [f"{name}:output:{place}" for place in range(len(wanted))]
        with reversible(ORDERS):
            derivatives = derived(self._function.name, [run], program, len(wanted)) if self._has_gradient else []
        if self._has_gradient:
            further, results = differentiable(
                self._message,
                f"differentiable_{self._programs}",
                [program, *derivatives],
                inputs,
                results,
                self._nodes.name_in_graph,
            )
            self._gradients += further
        for slot, result, struct in zip(wanted, results, program.outputs, strict=True):
            self._slots[slot] = Value(result, as_dtype(struct.dtype), struct.shape)

    def _carried(self, plan: Plan, fixed: dict[int, Any], structs: Sequence[Any]) -> list[tuple[Value, Any]]:
        """Arrays with the sizes that a program reads and that none of its inputs `structs` has."""
        sizes = [size for step in plan.steps for aval in step.avals for size in aval.shape]
        sizes += [size for source in fixed.values() if type(source) is Sizes for size in source.array.ravel()]
        sizes += self._stored.numbers[1]
        known = set(symbols_of([size for struct in structs for size in struct.shape]))
        found: list[tuple[Value, Any]] = []
        scope = next((size.scope for size in sizes if is_open(size)), None)
        for symbol in symbols_of(sizes):
            if symbol in known:
                continue
            value = self._carrier(symbol)
            shape = jax.export.symbolic_shape(",".join(map(str, value.shape or ())), scope=scope)
            known.update(symbols_of(shape))
            found.append((value, jax.ShapeDtypeStruct(shape, value.dtype.as_numpy_dtype)))
        return found

    def _carrier(self, symbol: str) -> Value:
        """An array, one of whose sizes is `symbol`."""
        if symbol in self._carriers:
            return self._carriers[symbol]
        for value in self._values.values():
            if value.shape is not None and any(is_open(size) and str(size) == symbol for size in value.shape):
                shape = self._nodes.one("Shape", [value], int32, {"out_type": ("type", int32)})
                zeros = [shape, self._nodes.constant(0, int8)]
                self._carriers[symbol] = self._nodes.one("Fill", zeros, int8, shape=value.shape)
                return self._carriers[symbol]
        raise Unsaved("the size of a value")

    def _step(self, number: int, step: HostStep) -> None:
        """Adds the nodes of a step of the host."""
        inputs = [self._input(part) for part in step.inputs]
        if step.symbols:
            # The elements are sizes: an array of these sizes gives them to programs.
            flat = self._nodes.one("Reshape", [inputs[0], self._nodes.constant([-1], int32)], inputs[0].dtype)
            whole = self._nodes.cast(flat, int32)
            zeros = self._nodes.one("Fill", [whole, self._nodes.constant(0, int8)], int8, shape=step.symbols)
            self._carriers |= dict.fromkeys(step.symbols, zeros)
            return
        if step.has_effects:
            if step.outputs:
                raise Unsaved(step.name)
            _logger.warning("%s is saved without its printing and its summaries.", self._function.name)
            return
        iterated = step.arguments.get("iterated")
        if isinstance(iterated, Iterated):
            outputs = self._mapped(number, step, iterated, inputs)
        else:
            outputs = host_values(self._nodes, step, inputs)
        for place, value in enumerate(outputs):
            source = Hosted(number, place)
            self._values[source] = value._replace(shape=self._trace.shapes.get(source))

    def _mapped(self, number: int, step: HostStep, iterated: Iterated, inputs: list[Value]) -> list[Value]:
        """The results of a step that maps a function over rows."""
        inner = StagedBlock(f"{self._function.name}_{number}", iterated)
        mapped = _StagedWriter(inner, self._number, self._assets, has_gradient=False)
        writer = MapWriter(iterated, mapped.written(), self._number)
        places = {variable._number: place for place, variable in enumerate(self._function.variables)}
        handles = [Value(f"captured_{places[each._number]}", resource, ()) for each in inner.variables]
        handles += [self._nodes.handles[id(table)] for table in inner.tables]
        handles += [self._file(asset) for asset, _ in mapped.files.values()]
        found = writer.outputs(self._nodes, step, inputs, handles)
        self._functions += writer.functions
        return found

    def _input(self, part: Any) -> Value:
        if isinstance(part, np.ndarray):
            return self._constant(part)
        if isinstance(part, int):
            self._compute([part])
            return self._slots[part]
        return self._host_value(part)

    def _constant(self, array: np.ndarray) -> Value:
        """The value `array`, or an argument if it is the name of a file of the model."""
        asset = self._assets.get(array.item()) if array.dtype == object and not array.ndim else None
        return (
            self._nodes.constant(array, string if array.dtype == object else None)
            if asset is None
            else self._file(asset)
        )

    def _file(self, asset: Any) -> Value:
        """The parameter for the name of the file of `asset`, after those for variables and tables."""
        if id(asset) not in self.files:
            place = len(self._function.variables) + len(self._function.tables) + len(self.files)
            self._message.signature.input_arg.add(name=f"captured_{place}", type=string.as_datatype_enum)
            self.files[id(asset)] = asset, Value(f"captured_{place}", string, ())
        return self.files[id(asset)][1]

    def _host_value(self, source: HostSource | Any) -> Value:
        value = self._values.get(source)
        if value is None:
            raise Unsaved("a value of an enclosing function")
        return value

    def _result(self, result: Any) -> Value:
        """The value of a tensor of the result."""
        if isinstance(result, Computed):
            slot, aval = self._stored.outputs[result.place]
            return self._slots[slot] if aval is not None else self._nodes.constant(np.asarray(slot))
        if isinstance(result, Constant):
            if not isinstance(result.value, np.ndarray):
                raise Unsaved("a result that is None or a composite constant")
            return self._constant(result.value)
        if isinstance(result, Passed):
            return self._host_value(Part(result.place, 0))
        return self._host_value(result.source)

    def _assign(self) -> None:
        """Adds the assignments of variables."""
        numbers = {variable._number: place for place, variable in enumerate(self._function.variables)}
        for cell, slot, _ in self._stored.updates:
            place = numbers[cell._number]
            name = f"assign_{place}"
            dtype, inputs = self._slots[slot].dtype, [f"captured_{place}", self._slots[slot].name]
            self._nodes.message(
                node(name, "AssignVariableOp", inputs, dtype=("type", dtype), validate_shape=("b", False))
            )
            self._message.signature.control_output.append(name)
            self._message.control_ret[name] = name


def _constant(source: Any) -> Any:
    """The value of a leaf that is the same in all calls, or that consists of sizes."""
    if type(source) is Sizes:
        sizes = [jnp.asarray(size, source.dtype.as_numpy_dtype) for size in source.array.ravel()]
        return jnp.stack(sizes).reshape(source.array.shape) if source.array.ndim else sizes[0]
    assert type(source) is Tensor
    return jnp.asarray(source._array)
