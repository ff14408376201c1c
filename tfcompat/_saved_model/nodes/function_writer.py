"""Functions as messages: reads of variables, a program, assignments, and a function for the gradient."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from tfcompat._core.types.dtype import as_dtype, resource
from tfcompat._saved_model.messages.message import messages
from tfcompat._saved_model.nodes.gradient_writer import WrittenGradient, differentiable
from tfcompat._saved_model.nodes.node import call_node, draw_nodes, node
from tfcompat._saved_model.programs.flat_program import ORDERS, FlatProgram, flat_program


class Written(NamedTuple):
    """A function as messages.

    Attributes:
      name: its name in the library.
      message: the `FunctionDef`.
      keywords: the names of its tensors.
      inputs: the structured signature; `outputs`: the structured result.
      captured: the variables, tables and files that it takes after its arguments.
      gradients: the functions that compute gradients of its programs.
      functions: the messages of other functions that it calls.
    """

    name: str
    message: Any
    keywords: list[str]
    inputs: Any
    outputs: Any
    captured: Sequence[Any]
    gradients: Sequence[WrittenGradient]
    functions: Sequence[Any] = ()


def written(concrete: Any, number: int, *, has_gradient: bool) -> Written:
    """The function `concrete` as messages; `number` makes its name unique.

    Raises: NotImplementedError if it cannot be expressed as a program.
    """
    source = concrete.traced() if hasattr(concrete, "traced") else concrete
    flat = source.programs.get(has_gradient)
    if flat is None:
        orders = ORDERS if has_gradient else 0
        flat = source.with_pure(lambda pure: flat_program(pure, has_gradient=has_gradient), orders)
        # A program that lacks something is made again, since that logs a warning.
        if len(flat.derivatives) == orders and not flat.pure.has_effects:
            source.programs[has_gradient] = flat
    return _Writer(number, flat, concrete).written()


def new_message(function: str, number: int) -> tuple[Any, str]:
    """The message of a function, still empty, and its name, which `number` makes unique."""
    base = re.sub(r"[^A-Za-z0-9_.]", "_", function)
    message, name = messages()["FunctionDef"](), f"__inference_{base}_{number}"
    message.signature.name, message.signature.is_stateful = name, True
    return message, name


def parameter_names(names: Sequence[str]) -> list[str]:
    """Unique names for parameters, made of `names`."""
    return _unique([re.sub(r"[^A-Za-z0-9_]", "_", each) for each in names])


class _Writer:
    """The messages of a function and of its gradient."""

    def __init__(self, number: int, flat: FlatProgram, concrete: Any) -> None:
        self._message, self._name = new_message(concrete.name, number)
        self._flat = flat
        self._concrete = concrete
        self._variables = flat.pure.variables
        self._keywords = parameter_names(concrete.tensor_names)

    def written(self) -> Written:
        flat, message = self._flat, self._message
        program = flat.program
        count = len(self._variables)
        given = program.inputs[count : count + len(self._keywords)]
        for name, struct in zip(self._keywords, given, strict=True):
            message.signature.input_arg.add(name=parameter_of(name), type=as_dtype(struct.dtype).as_datatype_enum)
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
        gradients: list[WrittenGradient] = []
        if flat.has_gradient:
            programs = [program, *flat.derivatives]
            gradients, results = differentiable(message, "differentiable", programs, sources, results)
        for place, (result, shown) in enumerate(zip(results, program.outputs, strict=False)):
            name = f"output_{place}"
            message.signature.output_arg.add(name=name, type=as_dtype(shown.dtype).as_datatype_enum)
            message.node_def.append(node(f"result_{place}", "Identity", [result], T=("type", as_dtype(shown.dtype))))
            message.ret[name] = f"result_{place}:output:0"
        inputs = self._concrete.structured_input_signature
        return Written(self._name, message, self._keywords, inputs, flat.outputs, self._variables, gradients)

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


def parameter_of(name: str) -> str:
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
