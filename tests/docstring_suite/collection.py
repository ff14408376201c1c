"""Collects the examples in TensorFlow's docstrings: `python -m tests.docstring_suite.collection FILE`.

It runs under TensorFlow, and imports nothing else of the project.
"""

from __future__ import annotations

import doctest
import inspect
import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tensorflow as tf

# Keras has examples of its own.
_LEFT_OUT = "keras"


def symbols(module: types.ModuleType, name: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """The functions and classes in the public namespaces below `module`, and the methods, by name."""
    if id(module) in seen:
        return
    seen.add(id(module))
    for key in sorted(dir(module)):
        value = getattr(module, key, None)
        label = f"{name}.{key}"
        if key.startswith("_") or _LEFT_OUT in key:
            continue
        if isinstance(value, types.ModuleType):
            path = vars(value).get("__name__", "")
            if "tensorflow" in path and ".python" not in path and not path.startswith("tensorflow.core"):
                yield from symbols(value, label, seen)
        elif inspect.isclass(value):
            if _LEFT_OUT not in value.__module__:
                yield label, value
                yield from ((f"{label}.{method}", getattr(value, method, None)) for method in sorted(dir(value)))
        elif callable(value):
            yield label, value


def examples() -> dict[str, list[str]]:
    """The examples of each docstring, under the shortest name that has it."""
    names: dict[str, str] = {}
    for name, value in symbols(tf, "tf", set()):
        text = inspect.getdoc(value) or ""
        if ">>>" in text and len(name) < len(names.get(text, name + " ")):
            names[text] = name
    parser = doctest.DocTestParser()
    found = {name: [example.source for example in parser.get_examples(text)] for text, name in names.items()}
    return dict(sorted(found.items()))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(examples()))
