"""The public modules contain exactly the names that they list."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import types

import pytest

import tfcompat

# Modules of Keras under TensorFlow's names.
OF_KERAS = {f"tfcompat.{name}" for name in ("initializers", "keras", "losses", "metrics", "optimizers")}
NAMESPACES = ["tfcompat"] + [
    found.name
    for found in pkgutil.walk_packages(tfcompat.__path__, "tfcompat.")
    if not any(part.startswith("_") for part in found.name.split(".")) and found.name not in OF_KERAS
]
# An import of Keras, of a refused namespace, or of a facade of a private module sets an attribute of the module above.
IMPORTED = {"compiler", "core", "initializers", "keras", "lite", "losses", "metrics", "optimizers", "python", "tools"}


@pytest.mark.parametrize("name", NAMESPACES)
def test_namespace_lists_what_it_holds(name):
    module = importlib.import_module(name)
    # Modules that load late exist after the first access.
    assert all(hasattr(module, each) for each in module.__all__)
    public = {each for each in dir(module) if not each.startswith("_")} - (IMPORTED - {*module.__all__})
    assert public == {each for each in module.__all__ if not each.startswith("__")}


@pytest.mark.parametrize("name", NAMESPACES)
def test_namespace_only_re_exports(name):
    tree = ast.parse(inspect.getsource(importlib.import_module(name)))
    made_here = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert made_here == []


def test_namespaces_are_attributes_of_those_above():
    for name in NAMESPACES[1:]:
        above, _, last = name.rpartition(".")
        found = getattr(importlib.import_module(above), last)
        assert isinstance(found, types.ModuleType)
