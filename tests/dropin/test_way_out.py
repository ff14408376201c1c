"""Error messages name only symbols that exist: each `tf.x.y`, each `jax.x.y`, methods of concrete functions."""

from __future__ import annotations

import ast
import functools
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tfcompat as tf
from tfcompat._dropin.refused import Refused
from tfcompat._dropin.way_out import WAYS_OUT

PACKAGE = Path(tf.__file__).parent
NAME = re.compile(r"(?<![\w.])(tf|jax)((?:\.[A-Za-z]\w*)+)(?![\w.]*\0)")
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

# Names that are not alternatives: the symbol that raises, which `tf` does not have, or quotations of TensorFlow.
NO_WAY_OUT = (
    "tf.DatasetSpec",
    "tf.Graph.as_default",
    "tf.Graph.get_operations",
    "tf.Operation",
    "tf.RaggedTensorValue",
    "tf.RowPartition",
    "tf.Variables",
    "tf.dispatch_for",
    "tf.distribute.ValueContext",
    "tf.functions",
    "tf.types.experimental.ConcreteFunction.add_to_graph",
    "tf.types.experimental.PolymorphicFunction.get_initialization_function",
)


def strings(tree: ast.Module) -> Iterator[str]:
    """The texts in a file except docstrings; inserted values are written as a null."""
    documented = (node for node in ast.walk(tree) if isinstance(node, DOCUMENTED) and ast.get_docstring(node))
    left_out = {id(node.body[0].value) for node in documented}  # pyright: ignore[reportAttributeAccessIssue]
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            left_out.update(map(id, node.values))
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.value


def is_there(name: str) -> bool:
    """Whether `name` is an attribute of its library, and not a refused symbol."""
    first, *rest = name.split(".")
    found = {"tf": tf, "jax": importlib.import_module("jax")}[first]
    for part in rest:
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return not isinstance(found, Refused)


@functools.cache
def named() -> dict[str, str]:
    """The names in messages of the package, each with a file that contains it."""
    found: dict[str, str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for text in strings(ast.parse(path.read_text())):
            for match in NAME.finditer(text):
                found[match[0]] = str(path.relative_to(PACKAGE))
    return found


def test_names_in_messages_are_there():
    expected = [name for name in named() if name not in NO_WAY_OUT]
    assert len(expected) > 300
    absent = {name: named()[name] for name in expected if not is_there(name)}
    assert not absent, "these messages name symbols that do not exist"


@pytest.mark.parametrize("name", NO_WAY_OUT)
def test_list_of_what_is_no_way_out_is_true(name):
    assert name in named()
    assert not is_there(name)


@pytest.mark.parametrize("method", ["stablehlo", "export"])
def test_concrete_function_has_the_methods_that_are_named(method):
    assert any(f"{method}()" in way_out for way_out in WAYS_OUT.values())
    concrete = tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([2]))
    assert callable(getattr(concrete, method))


def test_names_that_a_text_completes_are_left_out():
    tree = ast.parse('"""tf.no.docstring"""\nf"tf.{name} and tf.nn.{other}, tf.nn.relu_{kind} or tf.nn.elu, {tf.nn}"')
    assert [match[0] for text in strings(tree) for match in NAME.finditer(text)] == ["tf.nn.elu"]
