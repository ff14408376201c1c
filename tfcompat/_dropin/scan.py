"""The TensorFlow symbols in a Python file or a Jupyter notebook.

The source is read, not run. The scan finds dotted names that begin at an import of TensorFlow. It does not find methods
of objects, arguments, and names built at run time.
"""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tfcompat._dropin import notebook
from tfcompat._dropin.alias import target_of

_OURS = __name__.partition(".")[0]


class Use(NamedTuple):
    """The use of a symbol at a place in a program.

    Attributes:
      path, cell, line: the place; the cell is 0 if the file is not a notebook.
      symbol: the name without `tf.`; empty for the package itself.
    """

    path: Path
    cell: int
    line: int
    symbol: str

    def place(self) -> str:
        """The place as text: `train.py:3`, `train.ipynb:cell 2:3`."""
        return f"{self.path}:cell {self.cell}:{self.line}" if self.cell else f"{self.path}:{self.line}"


def uses_in(path: Path) -> list[Use]:
    """The uses of TensorFlow symbols in a file, in order.

    Raises: OSError if the file cannot be read; SyntaxError or ValueError if it is not Python or not a notebook.
    """
    trees = list(notebook.trees_in(path)) if path.suffix == ".ipynb" else [(0, _parsed(path))]
    # The cells of a notebook share their imports.
    names = dict(pair for _, tree in trees for pair in _imported(tree))
    found: list[Use] = []
    for cell, tree in trees:
        finder = _Uses(names)
        finder.visit(tree)
        found += (Use(path, cell, line, symbol) for line, symbol in finder.found)
    return sorted(found)


def _parsed(path: Path) -> ast.Module:
    with tokenize.open(path) as file:
        return ast.parse(file.read(), path)


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that imports bind to TensorFlow or to a symbol of it, with the symbol."""
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
    """The symbol of `module`; None if the module belongs neither to TensorFlow nor to tfcompat."""
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
        """An import of a submodule is a use of it."""
        self._add(node, [_symbol(alias.name) for alias in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """`from tensorflow.nn import relu` uses nn.relu, `from tensorflow.nn import *` uses nn."""
        symbol = _symbol(node.module) if node.module and not node.level else None
        if symbol is not None:
            self._add(node, [_joined(symbol, alias.name) if alias.name != "*" else symbol for alias in node.names])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A chain of attributes that begins at an imported name."""
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self._names:
            # compat.v2 is an alias of TensorFlow 2.
            symbol = ".".join(filter(None, [self._names[inner.id], *reversed(parts)]))
            self._add(node, [symbol.removeprefix("compat.v2.")])
        else:
            self.visit(inner)

    def _add(self, node: ast.stmt | ast.expr, symbols: list[str | None]) -> None:
        self.found.update((node.lineno, symbol) for symbol in symbols if symbol)
