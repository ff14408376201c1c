"""Gradients of programs as messages: nodes with custom gradients, and the functions that compute these."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types.dtype import DType, as_dtype, bool_, string
from tfcompat._saved_model.messages.attribute import LAST
from tfcompat._saved_model.messages.message import messages
from tfcompat._saved_model.nodes.node import call_node, node
from tfcompat._saved_model.programs.flat_program import is_inexact, spec_of
from tfcompat._saved_model.programs.program import Program

_REFUSAL = b"A SavedModel of tfcompat lacks this derivative of its function; it has at most second derivatives."


class WrittenGradient(NamedTuple):
    """The function that computes the gradient of another.

    Attributes:
      name, message: as of `Written`.
      op_type: the name under which nodes refer to it.
      captured: the names of the tensors of the other function that it takes after the gradients of the outputs.
      function: the name of the other function.
      inputs: their specs, with those of the outputs before; `outputs`: None or a spec for each tensor.
    """

    name: str
    message: Any
    op_type: str
    captured: list[str]
    function: str
    inputs: list[TensorSpec]
    outputs: list[TensorSpec | None]


class Differentiable(NamedTuple):
    """The functions for the gradients of a program, and the new names of its results, through which gradients flow."""

    gradients: list[WrittenGradient]
    results: list[str]


def differentiable(
    message: Any,
    name: str,
    programs: Sequence[Program],
    sources: Sequence[str],
    results: Sequence[str],
    tensor_name: Callable[[str], str] | None = None,
) -> Differentiable:
    """Passes the `results` of a program in the function `message` through the node `name`, which has a gradient.

    `programs` are that program, the one that computes its gradient, and those that compute further derivatives, each of
    the one before. `sources` are the names of the inputs of the program. `tensor_name` gives the name that a tensor of
    the function has in its graph.
    """
    program, *derivatives = programs
    if not derivatives:
        return _refused(message, name, program, sources, results)
    wanted = [place for place, struct in enumerate(program.inputs) if is_inexact(struct)]
    given = [place for place in range(len(results)) if is_inexact(program.outputs[place])]
    passed = [
        *[(results[k], program.outputs[k]) for k in given],
        *[(sources[k], program.inputs[k]) for k in wanted],
    ]
    op_type = f"CustomGradient-{message.signature.name}-{name}"
    types: list[DType] = [as_dtype(each.dtype) for _, each in passed]
    inputs = [reference for reference, _ in passed]
    attributes: dict[str, tuple[str, Any]] = {"T": ("list_type", types), "_gradient_op_type": ("s", op_type.encode())}
    message.node_def.append(node(name, "IdentityN", inputs, **attributes))
    renamed = list(results)
    for place, k in enumerate(given):
        renamed[k] = f"{name}:output:{place}"
    captured = list(map(tensor_name or name_in_graph, [*sources, *[renamed[k] for k in given]]))
    function = message.signature.name
    gradients = _gradients(function, _name_within(function, name), op_type, programs, captured)
    return Differentiable(gradients, renamed)


def _refused(
    message: Any, name: str, program: Program, sources: Sequence[str], results: Sequence[str]
) -> Differentiable:
    """Passes the `results` of `program` through the node `name`, whose gradient is an error when it is computed.

    TensorFlow builds the functions for further derivatives whether or not they are needed.
    """
    function = message.signature.name
    op_type, moving = f"CustomGradient-{function}-{name}", list(map(is_inexact, program.inputs))
    given = [place for place in range(len(results)) if is_inexact(program.outputs[place])]
    if not given or not any(moving):
        return Differentiable([], list(results))
    inputs = [*[results[place] for place in given], *itertools.compress(sources, moving)]
    outputs = [program.outputs[place] for place in given]
    specs = list(map(spec_of, [*outputs, *itertools.compress(program.inputs, moving)]))
    attributes: dict[str, tuple[str, Any]] = {
        "T": ("list_type", [spec.dtype for spec in specs]),
        "_gradient_op_type": ("s", op_type.encode()),
        LAST: ("b", True),
    }
    message.node_def.append(node(name, "IdentityN", inputs, **attributes))
    gradient = messages()["FunctionDef"]()
    gradient.signature.name, gradient.signature.is_stateful = _name_within(function, name), True
    text = np.array(_REFUSAL, object)
    gradient.node_def.append(node("no", "Const", [], dtype=("type", bool_), value=("tensor", (np.array(False), bool_))))
    gradient.node_def.append(node("text", "Const", [], dtype=("type", string), value=("tensor", (text, string))))
    checked = node("checked", "Assert", ["no:output:0", "text:output:0"], T=("list_type", [string]))
    gradient.node_def.append(checked)
    gradient.signature.control_output.append("checked")
    gradient.control_ret["checked"] = "checked"
    for place, spec in enumerate(specs):
        kind = spec.dtype.as_datatype_enum
        gradient.signature.input_arg.add(name=f"upstream_{place}", type=kind)
        if place < len(given):
            continue
        gradient.signature.output_arg.add(name=f"output_{place}", type=kind)
        inputs = [f"upstream_{place}", "^checked"]
        gradient.node_def.append(node(f"result_{place}", "Identity", inputs, T=("type", spec.dtype)))
        gradient.ret[f"output_{place}"] = f"result_{place}:output:0"
    names = list(results)
    for place, k in enumerate(given):
        names[k] = f"{name}:output:{place}"
    shown: list[TensorSpec | None] = [*[None] * len(given), *specs[len(given) :]]
    written = WrittenGradient(gradient.signature.name, gradient, op_type, [], function, specs, shown)
    return Differentiable([written], names)


def _name_within(function: str, name: str) -> str:
    """The name of a function that belongs to `function`: with a number of its own, by which fingerprints sort them.

    It does not begin with `function`: protobuf's libraries sort such names in two ways.
    """
    number = zlib.crc32(f"{function}_{name}".encode()) >> 1
    return f"{function.rpartition('_')[0]}_{name}_{number}"


def name_in_graph(reference: str) -> str:
    """The name, in a graph, of a tensor of a node whose outputs are one list or one tensor, or of a parameter."""
    head, colon, rest = reference.partition(":")
    return f"{head}:{rest.rpartition(':')[2] if colon else 0}"


def _gradients(
    function: str, name: str, op_type: str, programs: Sequence[Program], captured: list[str]
) -> list[WrittenGradient]:
    """The function `name`, which computes gradients in `function`, and those for its own derivatives.

    It takes the gradients of results of the program, and `captured`: the inputs of the program, and these results.
    """
    program, backward, *_ = programs
    count = len(program.inputs)
    message = messages()["FunctionDef"]()
    message.signature.name, message.signature.is_stateful = name, True
    outputs = [struct for struct in program.outputs if is_inexact(struct)][: len(captured) - count]
    specs = [spec_of(each) for each in (*outputs, *filter(is_inexact, program.inputs))]
    for place, spec in enumerate(specs):
        message.signature.input_arg.add(name=f"upstream_{place}", type=spec.dtype.as_datatype_enum)
    for place, struct in enumerate([*program.inputs, *outputs]):
        message.signature.input_arg.add(name=f"captured_{place}", type=as_dtype(struct.dtype).as_datatype_enum)
    upstream: list[str] = []
    for place, struct in enumerate(outputs):
        # Gradients that do not exist are zeros, whose open sizes TensorFlow gives as 1.
        shown = ("type", as_dtype(struct.dtype))
        message.node_def.append(node(f"shape_{place}", "Shape", [f"captured_{count + place}"], T=shown))
        inputs = [f"upstream_{place}", f"shape_{place}:output:0"]
        message.node_def.append(node(f"full_{place}", "BroadcastTo", inputs, T=shown))
        upstream.append(f"full_{place}:output:0")
    inputs = [*[f"captured_{place}" for place in range(count)], *upstream]
    message.node_def.append(call_node("program", backward, inputs))
    results = [f"program:output:{place}" for place in range(len(backward.outputs))]
    further, results = differentiable(message, "differentiable", programs[1:], inputs, results)
    for place, struct in enumerate(backward.outputs):
        output = f"output_{place}"
        message.signature.output_arg.add(name=output, type=as_dtype(struct.dtype).as_datatype_enum)
        message.ret[output] = results[place]
    found: list[TensorSpec | None] = [*[None] * len(outputs), *map(spec_of, backward.outputs)]
    return [WrittenGradient(name, message, op_type, captured, function, specs, found), *further]
