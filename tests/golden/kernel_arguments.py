"""Writes the inputs and outputs of kernels, as TensorFlow declares them, for those that a SavedModel may use here.

.venv/bin/python -m tests.golden.kernel_arguments names | .venv-tensorflow/bin/python -m tests.golden.kernel_arguments
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

FILE = pathlib.Path(__file__).resolve().parents[2] / "tfcompat" / "_saved_model" / "messages" / "kernels.txt"


def names() -> list[str]:
    """The kernels that compute nodes here."""
    from tfcompat import raw_ops
    from tfcompat._saved_model.kernels import kernel

    return sorted({*kernel._OWN, *(name for name in vars(raw_ops) if name[0] != "_" and kernel.kernel_of(name))})


def declaration(op: Any) -> str:
    """A line for the `OpDef` `op`: `name input=N*T ... -> output=@T ...`, with a `!` if it has side effects."""
    inputs, outputs = [" ".join(map(_argument, args)) for args in (op.input_arg, op.output_arg)]
    return f"{'!' if op.is_stateful else ''}{op.name} {inputs} -> {outputs}".replace("  ", " ").strip()


def _argument(argument: Any) -> str:
    if argument.type_list_attr:
        return f"{argument.name}=@{argument.type_list_attr}"
    kind = argument.type_attr
    return f"{argument.name}={argument.number_attr}*{kind}" if argument.number_attr else f"{argument.name}={kind}"


def declared(listed: list[str]) -> list[str]:
    """The lines for the kernels `listed`. Needs TensorFlow."""
    from tensorflow.python.framework import op_def_registry

    return [declaration(op) for name in listed if (op := op_def_registry.get(name)) is not None]


if __name__ == "__main__":
    if sys.argv[1:] == ["names"]:
        print("\n".join(names()))
    else:
        FILE.write_text("\n".join(declared(sys.stdin.read().split())) + "\n")
