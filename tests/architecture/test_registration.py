"""CONTRIBUTING.md lists the modules whose import changes another module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
SECTION = PAGE.partition("\n## Imports with effects\n")[2].partition("\n## ")[0]
# The modules are in the last column.
LISTED = sorted(set(re.findall(r"`(tfcompat/[\w/]+\.py)`(?=[^|]*\|$)", SECTION, re.MULTILINE)))
# The layers below TensorFlow's namespaces: these only publish their own names.
FILES = sorted(path for folder in (ROOT / "tfcompat").glob("_*/") for path in folder.rglob("*.py"))
# Methods that complete an object of the module itself: tables, and JAX's functions with a derivative.
OF_OWN = {"update", "defjvp", "defvjp"}
OWN = """
import jax
table = {}
table.update(a=1)
table["b"] = 2
read = jax.custom_jvp(abs)
read.defjvp(max)
class Kind:
    sizes = []
    sizes.append(1)
def later():
    jax.config.update("jax_enable_x64", True)
if __name__ == "__main__":
    later()
"""


def imported(tree: ast.Module) -> set[str]:
    """The names that a module imports."""
    found = [alias for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]
    return {(alias.asname or alias.name).partition(".")[0] for alias in found}


def executed(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that an import executes, without the bodies of functions and classes."""
    for statement in statements:
        is_main = isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)
        if is_main or isinstance(statement, ast.FunctionDef | ast.ClassDef):
            continue
        yield statement
        for field in ("body", "orelse", "finalbody"):
            yield from executed(getattr(statement, field, []))


def root(node: ast.expr) -> str:
    """The name at the beginning of `a.b[c].d`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def registrations(tree: ast.Module) -> Iterator[str]:
    """The statements of a module by which its import changes another module.

    They assign to an attribute or an element of an imported object, or call a function and ignore its result.
    """
    others = imported(tree)
    for statement in executed(tree.body):
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(not isinstance(target, ast.Name) and root(target) in others for target in targets):
                yield ast.unparse(statement)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            function = statement.value.func
            is_of_own = isinstance(function, ast.Attribute) and function.attr in OF_OWN and root(function) not in others
            if not is_of_own:
                yield ast.unparse(statement)


def test_modules_that_change_others_are_listed():
    found = {path.relative_to(ROOT): list(registrations(ast.parse(path.read_text()))) for path in FILES}
    assert sorted(str(path) for path, statements in found.items() if statements) == LISTED


@pytest.mark.parametrize("text", ["register(f, Kind, g)", "from a import B\nB.read = 1", "import a\na.table['b'] = 1"])
def test_registration_is_found(text):
    assert len(list(registrations(ast.parse(text)))) == 1


def test_own_objects_are_no_registrations():
    assert list(registrations(ast.parse(OWN))) == []
