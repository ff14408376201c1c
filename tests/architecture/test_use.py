"""Names that users of the package cannot reach are used inside the package."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.source import FILES, name_of, nodes
from tfcompat._dropin.private.table import MODULES

# The names of the facades of TensorFlow's private modules, `module:name`.
SERVED = [target for names, _ in MODULES.values() for target in names.values() if target.startswith("tfcompat.")]


# Files of the layers below TensorFlow's namespaces.
INNER = [path for path in FILES if name_of(path).startswith("tfcompat/_") and path.stem[:2] != "__"]


def imported(path: Path) -> Iterator[str]:
    """The modules, and names that may be modules, that a file imports."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def read(path: Path) -> Iterator[str]:
    """The names that a file reads, or imports from another."""
    for node in nodes(path):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name


def defined(path: Path) -> Iterator[str]:
    """The names that a file defines at its top level, except decorated ones, which decorators may use."""
    for node in nodes(path)[0].body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list:
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


# Python itself imports it.
OF_PYTHON = "tfcompat/_dropin/startup/sitecustomize.py"


def test_every_module_is_imported():
    known = {name for path in FILES for name in imported(path)} | {name.partition(":")[0] for name in SERVED}
    unknown = [name for name in map(name_of, INNER) if name.removesuffix(".py").replace("/", ".") not in known]
    assert unknown == [OF_PYTHON]


def test_every_name_is_read():
    known = {name for path in FILES for name in read(path)} | {name.partition(":")[2] for name in SERVED}
    unread = [f"{name_of(path)}: {name}" for path in INNER for name in defined(path) if name not in known]
    assert not [name for name in unread if not name.endswith("__")]
