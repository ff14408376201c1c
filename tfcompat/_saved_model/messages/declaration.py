"""The inputs and outputs of kernels, in the order of TensorFlow's graphs."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from tfcompat._saved_model.messages.message import messages


@functools.cache
def declarations() -> dict[str, Any]:
    """The `OpDef` of each kernel that may be a node here.

    A line of the file is `name input=N*T ... -> output=@T ...`: a list of N tensors of type T, a list of types, or, for
    one tensor, the attribute with its type. Kernels with side effects begin with an exclamation mark.
    """
    found: dict[str, Any] = {}
    for line in Path(__file__).with_name("kernels.txt").read_text().splitlines():
        head, *words = line.split()
        name = head.lstrip("!")
        op = found[name] = messages()["OpDef"](name=name, is_stateful=head.startswith("!"))
        arrow = words.index("->")
        for word in words[:arrow]:
            _add(op.input_arg, word)
        for word in words[arrow + 1 :]:
            _add(op.output_arg, word)
    return found


def _add(arguments: Any, word: str) -> None:
    name, _, kind = word.partition("=")
    if kind.startswith("@"):
        arguments.add(name=name, type_list_attr=kind[1:])
    else:
        number, star, of = kind.partition("*")
        arguments.add(name=name, number_attr=number if star else "", type_attr=of if star else number)
