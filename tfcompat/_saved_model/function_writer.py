"""Functions as messages: reads of variables, a program, assignments, and a function for the gradient."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from tfcompat._core.dtype import DType, as_dtype, resource
from tfcompat._core.spec import TensorSpec
from tfcompat._saved_model.flat_program import FlatProgram, flat_program, is_inexact, spec_of
from tfcompat._saved_model.message import messages
from tfcompat._saved_model.node import call_node, draw_nodes, node
from tfcompat._state.variable import Variable


class Written(NamedTuple):
    """A function as messages.

    Attributes:
      name: its name in the library.
      message: the `FunctionDef`.
      keywords: the names of its tensors.
      inputs: the structured signature; `outputs`: the structured result.
      variables: those that it takes after its arguments.
      gradient: the function that computes its gradient; None if it has none.
    """

    name: str
    message: Any
    keywords: list[str]
    inputs: Any
    outputs: Any
    variables: Sequence[Variable]
    gradient: WrittenGradient | None


class WrittenGradient(NamedTuple):
    """The function that computes the gradient of another.

    Attributes:
      name, message: as of `Written`.
      op_type: the name under which nodes refer to it.
      captured: the names of the tensors of the other function that it takes after the gradients of the outputs.
      inputs: their specs, with those of the outputs before; `outputs`: None or a spec for each tensor.
    """

    name: str
    message: Any
    op_type: str
    captured: list[str]
    inputs: list[TensorSpec]
    outputs: list[TensorSpec | None]


def written(concrete: Any, number: int, *, has_gradient: bool) -> Written:
    """The function `concrete` as messages; `number` makes its name unique.

    Raises: NotImplementedError if it cannot be expressed as a program.
    """
    base = re.sub(r"[^A-Za-z0-9_.]", "_", concrete.name)
    source = concrete.traced() if hasattr(concrete, "traced") else concrete
    flat = source.with_pure(lambda pure: flat_program(pure, has_gradient=has_gradient), 1 if has_gradient else 0)
    writer = _Writer(f"__inference_{base}_{number}", flat, concrete)
    return writer.written()


class _Writer:
    """The messages of a function and of its gradient."""

    def __init__(self, name: str, flat: FlatProgram, concrete: Any) -> None:
        self._name = name
        self._flat = flat
        self._concrete = concrete
        self._variables = flat.pure.variables
        self._message = messages()["FunctionDef"]()
        self._message.signature.name = name
        self._message.signature.is_stateful = True
        names = concrete.tensor_names
        self._keywords = _unique([re.sub(r"[^A-Za-z0-9_]", "_", each) for each in names])

    def written(self) -> Written:
        flat, message = self._flat, self._message
        program = flat.program
        count = len(self._variables)
        given = program.inputs[count : count + len(self._keywords)]
        for name, struct in zip(self._keywords, given, strict=True):
            message.signature.input_arg.add(name=_parameter(name), type=as_dtype(struct.dtype).as_datatype_enum)
        arguments = [each.name for each in message.signature.input_arg]
        reads: list[str] = []
        for place, variable in enumerate(self._variables):
            argument = f"captured_{place}"
            message.signature.input_arg.add(name=argument, type=resource.as_datatype_enum)
            reads.append(f"read_{place}:value:0")
            message.node_def.append(node(f"read_{place}", "ReadVariableOp", [argument], dtype=("type", variable.dtype)))
        sources = [*reads, *arguments, *self._draws()]
        message.node_def.append(call_node("program", program, sources))
        self._assign(len(program.outputs) - len(flat.pure.assigned))
        results = [f"program:output:{k}" for k in range(len(program.outputs) - len(flat.pure.assigned))]
        gradient = None
        if flat.backward is not None:
            gradient, results = self._differentiable(sources, results)
        for place, (result, shown) in enumerate(zip(results, program.outputs, strict=False)):
            name = f"output_{place}"
            message.signature.output_arg.add(name=name, type=as_dtype(shown.dtype).as_datatype_enum)
            message.node_def.append(node(f"result_{place}", "Identity", [result], T=("type", as_dtype(shown.dtype))))
            message.ret[name] = f"result_{place}:output:0"
        inputs = self._concrete.structured_input_signature
        return Written(self._name, message, self._keywords, inputs, flat.outputs, self._variables, gradient)

    def _draws(self) -> list[str]:
        """Adds the nodes that draw random integers, and returns the names of these."""
        seeds = self._flat.pure.seeds
        for place, pair in enumerate(seeds):
            self._message.node_def.extend(draw_nodes(f"draw_{place}", pair))
        return [f"draw_{place}:output:0" for place in range(len(seeds))]

    def _assign(self, first: int) -> None:
        """Adds the assignments of the new values of variables, which are outputs of the program from `first` on."""
        message = self._message
        message.signature.control_output.append("program")
        message.control_ret["program"] = "program"
        for place, number in enumerate(self._flat.pure.assigned):
            name = f"assign_{number}"
            inputs = [f"captured_{number}", f"program:output:{first + place}"]
            dtype = self._variables[number].dtype
            message.node_def.append(
                node(name, "AssignVariableOp", inputs, dtype=("type", dtype), validate_shape=("b", False))
            )
            message.signature.control_output.append(name)
            message.control_ret[name] = name

    def _differentiable(self, sources: list[str], results: list[str]) -> tuple[WrittenGradient, list[str]]:
        """Passes the results through a node with a gradient; returns it, and the new names of the results."""
        program = self._flat.program
        wanted = [place for place, struct in enumerate(program.inputs) if is_inexact(struct)]
        given = [place for place in range(len(results)) if is_inexact(program.outputs[place])]
        passed = [
            *[(results[k], program.outputs[k]) for k in given],
            *[(sources[k], program.inputs[k]) for k in wanted],
        ]
        op_type = f"CustomGradient-{self._name}"
        types: list[DType] = [as_dtype(each.dtype) for _, each in passed]
        self._message.node_def.append(
            node(
                "differentiable",
                "IdentityN",
                [name for name, _ in passed],
                T=("list_type", types),
                _gradient_op_type=("s", op_type.encode()),
            )
        )
        renamed = list(results)
        for place, k in enumerate(given):
            renamed[k] = f"differentiable:output:{place}"
        return self._gradient(op_type, sources, results, given, wanted), renamed

    def _gradient(
        self, op_type: str, sources: list[str], results: list[str], given: list[int], wanted: list[int]
    ) -> WrittenGradient:
        program, backward = self._flat.program, self._flat.backward
        assert backward is not None
        name = f"{self._name}_gradient"
        message = messages()["FunctionDef"]()
        message.signature.name, message.signature.is_stateful = name, True
        passed = [*[program.outputs[k] for k in given], *[program.inputs[k] for k in wanted]]
        specs = [spec_of(each) for each in passed]
        for place, spec in enumerate(specs):
            message.signature.input_arg.add(name=f"upstream_{place}", type=spec.dtype.as_datatype_enum)
        captured = [*sources, *[results[k] for k in given]]
        for place, struct in enumerate([*program.inputs, *[program.outputs[k] for k in given]]):
            message.signature.input_arg.add(name=f"captured_{place}", type=as_dtype(struct.dtype).as_datatype_enum)
        upstream: list[str] = []
        for place, k in enumerate(given):
            # Gradients that do not exist are zeros, whose open sizes TensorFlow gives as 1.
            shown = as_dtype(program.outputs[k].dtype)
            shape = node(f"shape_{place}", "Shape", [f"captured_{len(sources) + place}"], T=("type", shown))
            message.node_def.append(shape)
            inputs = [f"upstream_{place}", f"shape_{place}:output:0"]
            message.node_def.append(node(f"full_{place}", "BroadcastTo", inputs, T=("type", shown)))
            upstream.append(f"full_{place}:output:0")
        inputs = [*[f"captured_{place}" for place in range(len(sources))], *upstream]
        message.node_def.append(call_node("program", backward, inputs))
        for place, struct in enumerate(backward.outputs):
            output = f"output_{place}"
            message.signature.output_arg.add(name=output, type=as_dtype(struct.dtype).as_datatype_enum)
            message.ret[output] = f"program:output:{place}"
        outputs: list[TensorSpec | None] = [*[None] * len(given), *map(spec_of, backward.outputs)]
        return WrittenGradient(name, message, op_type, [_tensor_name(each) for each in captured], specs, outputs)


def _tensor_name(reference: str) -> str:
    """The name of a tensor of a graph: a parameter has one output."""
    head, colon, rest = reference.partition(":")
    return f"{head}:{rest.rpartition(':')[2] if colon else 0}"


def _parameter(name: str) -> str:
    """`name` in the form of parameters: small letters, digits and underscores after a letter."""
    return name.lower() if name[:1].isalpha() else f"arg_{name.lower()}"


def _unique(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        wanted, count = name or "args", 1
        while wanted.lower() in [each.lower() for each in found]:
            wanted, count = f"{name}_{count}", count + 1
        found.append(wanted)
    return found
