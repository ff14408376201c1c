"""Nodes of graphs as messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.types.dtype import as_dtype, int32, int64
from tfcompat._saved_model.messages.attribute import RECORD, attribute
from tfcompat._saved_model.messages.message import messages
from tfcompat._saved_model.programs.program import PLATFORMS, Program, known_shape

_SHARDY_SINCE = 10
# The integers that a random function takes are below this one.
_LARGEST = (1 << 63) - 1


def node(name: str, op: str, inputs: Sequence[str], /, **attributes: tuple[str, Any]) -> Any:
    """The message of a node. An attribute is given as a pair of its kind and its value."""
    message = messages()["NodeDef"](name=name, op=op, input=list(inputs))
    for key, (kind, value) in attributes.items():
        message.attr[key].CopyFrom(attribute(kind, value))
    return message


def call_node(name: str, program: Program, inputs: Sequence[str]) -> Any:
    """The node that runs `program`."""
    message = node(
        name,
        "XlaCallModule",
        inputs,
        Sout=("list_shape", [known_shape(each) for each in program.outputs]),
        Tin=("list_type", [as_dtype(each.dtype) for each in program.inputs]),
        Tout=("list_type", [as_dtype(each.dtype) for each in program.outputs]),
        dim_args_spec=("list_s", []),
        disabled_checks=("list_s", []),
        function_list=("list_func", []),
        has_token_input_output=("b", False),
        module=("s", program.module),
        platforms=("list_s", [platform.upper().encode() for platform in PLATFORMS]),
        use_shardy_partitioner=("b", program.version >= _SHARDY_SINCE),
        version=("i", program.version),
    )
    message.attr[RECORD].s = program.record()
    return message


def function_node(name: str, function: Any, inputs: Sequence[str]) -> Any:
    """The node that calls the function of the message `function`."""
    found = node(name, "StatefulPartitionedCall", inputs, f=("func", function.signature.name))
    for key, arguments in (("Tin", function.signature.input_arg), ("Tout", function.signature.output_arg)):
        found.attr[key].CopyFrom(attribute("list_type", []))
        found.attr[key].list.type.extend([argument.type for argument in arguments])
    return found


def draw_nodes(name: str, seeds: tuple[int, int] | None) -> list[Any]:
    """The nodes that draw three integers by two seeds, or by chance; the last one is `name`."""
    first, second = seeds or (0, 0)
    limits = {"shape": np.array([3], np.int32), "low": np.array(0), "high": np.array(_LARGEST)}
    constants = [
        node(f"{name}_{key}", "Const", [], dtype=("type", as_dtype(value.dtype)), value=_constant(value))
        for key, value in limits.items()
    ]
    drawn = node(
        name,
        "RandomUniformInt",
        [f"{name}_{key}:output:0" for key in limits],
        T=("type", int32),
        Tout=("type", int64),
        seed=("i", first),
        seed2=("i", second),
    )
    return [*constants, drawn]


def _constant(value: Any) -> tuple[str, Any]:
    return "tensor", (value, as_dtype(value.dtype))
