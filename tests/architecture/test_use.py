"""Names that users of the package cannot reach are used inside the package."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tfcompat._dropin.private.table import MODULES

ROOT = Path(__file__).resolve().parents[2]
TREES = {path.relative_to(ROOT): ast.parse(path.read_text()) for path in sorted((ROOT / "tfcompat").rglob("*.py"))}
# Files of the layers below TensorFlow's namespaces.
INNER = {path: tree for path, tree in TREES.items() if path.parts[1].startswith("_") and path.stem[:2] != "__"}


# The names of the facades of TensorFlow's private modules, `module:name`.
SERVED = [target for names, _ in MODULES.values() for target in names.values() if target.startswith("tfcompat.")]


def imported(tree: ast.Module) -> Iterator[str]:
    """The modules, and names that may be modules, that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def read(tree: ast.Module) -> Iterator[str]:
    """The names that a file reads, or imports from another."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name


def defined(tree: ast.Module) -> Iterator[str]:
    """The names that a file defines at its top level, except decorated ones, which decorators may use."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list:
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


# Python itself imports it.
OF_PYTHON = "tfcompat/_dropin/startup/sitecustomize.py"


def test_every_module_is_imported():
    known = {name for tree in TREES.values() for name in imported(tree)} | {name.partition(":")[0] for name in SERVED}
    unknown = [str(path) for path in INNER if ".".join(path.with_suffix("").parts) not in known]
    assert unknown == [OF_PYTHON]


def test_every_name_is_read():
    known = {name for tree in TREES.values() for name in read(tree)} | {name.partition(":")[2] for name in SERVED}
    unread = [f"{path}: {name}" for path, tree in INNER.items() for name in defined(tree) if name not in known]
    assert not [name for name in unread if not name.endswith("__")]
