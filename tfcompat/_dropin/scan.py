"""`python -m tfcompat check`: which of TensorFlow's symbols a program names that tfcompat doesn't have.

The source is read, not run. What is seen are dotted names that begin at an import of TensorFlow; methods of objects,
arguments, and names put together at run time are not.
"""

from __future__ import annotations

import ast
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from tfcompat._dropin.alias import target_of
from tfcompat._dropin.refused import Refused

_OURS = __name__.partition(".")[0]


class Use(NamedTuple):
    """A place in a program that names a symbol.

    Attributes:
      path, line: the place.
      symbol: the name without `tf.`; empty for the package itself.
    """

    path: Path
    line: int
    symbol: str


def check(paths: list[str]) -> int:
    """Prints each unsupported symbol in the Python files of `paths`; the exit status is 1 if there are any.

    So it is if a file cannot be read as Python.
    """
    uses: list[Use] = []
    unread = 0
    files = [file for path in paths for file in _python_files(Path(path))]
    for file in files:
        try:
            uses += uses_in(file)
        except (OSError, SyntaxError, UnicodeDecodeError) as error:
            print(f"{file}: cannot be read: {error}")
            unread += 1
    missing = [use for use in uses if not is_supported(use.symbol)]
    for use in sorted(missing):
        way_out = _problem(use.symbol)
        print(f"{use.path}:{use.line}: tf.{use.symbol}{f': {way_out}' if way_out else ''}")
    count, absent = len({use.symbol for use in uses} - {""}), len({use.symbol for use in missing})
    print(f"{len(files)} files name {count} symbols of TensorFlow, {absent} of which tfcompat does not have.")
    return 1 if missing or unread else 0


def uses_in(path: Path) -> list[Use]:
    """The symbols of TensorFlow that a file names."""
    with tokenize.open(path) as file:
        tree = ast.parse(file.read(), path)
    names = dict(_imported(tree))
    finder = _Uses(names)
    finder.visit(tree)
    return sorted(Use(path, line, symbol) for line, symbol in finder.found)


def is_supported(symbol: str) -> bool:
    """Whether tfcompat has `symbol`, a dotted name without `tf.`, and doesn't refuse it."""
    return _problem(symbol) is None


def _problem(symbol: str) -> str | None:
    """None if `symbol` is supported, the way out if it is refused, "" if it is absent."""
    found: object = sys.modules[_OURS]
    for part in filter(None, symbol.split(".")):
        if not isinstance(found, ModuleType | type):
            break
        if (part.startswith("_") and not part.startswith("__")) or not hasattr(found, part):
            return ""
        found = getattr(found, part)
    return found.way_out if isinstance(found, Refused) else None


def _python_files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that imports bind to TensorFlow or to something of it, with the symbol."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                symbol = _symbol(alias.name)
                if symbol is not None:
                    yield (alias.asname, symbol) if alias.asname else (alias.name.partition(".")[0], "")
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            symbol = _symbol(node.module)
            if symbol is not None:
                yield from ((alias.asname or alias.name, _joined(symbol, alias.name)) for alias in node.names)


def _symbol(module: str) -> str | None:
    """The symbol that importing `module` gives; None for what is neither TensorFlow nor tfcompat."""
    ours = target_of(module) or module
    return ours.removeprefix(_OURS).removeprefix(".") if ours.partition(".")[0] == _OURS else None


def _joined(symbol: str, name: str) -> str:
    return f"{symbol}.{name}" if symbol else name


class _Uses(ast.NodeVisitor):
    """Collects lines and symbols."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        self.found: set[tuple[int, str]] = set()

    def visit_Import(self, node: ast.Import) -> None:
        """An import of a submodule names it."""
        self._add(node, [_symbol(alias.name) for alias in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """`from tensorflow.nn import relu` names nn.relu."""
        symbol = _symbol(node.module) if node.module and not node.level else None
        if symbol is not None:
            self._add(node, [_joined(symbol, alias.name) for alias in node.names if alias.name != "*"])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A chain of attributes that begins at an imported name."""
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self._names:
            # compat.v2 is TensorFlow 2 under a longer name.
            symbol = ".".join(filter(None, [self._names[inner.id], *reversed(parts)]))
            self._add(node, [symbol.removeprefix("compat.v2.")])
        else:
            self.visit(inner)

    def _add(self, node: ast.stmt | ast.expr, symbols: list[str | None]) -> None:
        self.found.update((node.lineno, symbol) for symbol in symbols if symbol)
