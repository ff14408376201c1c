"""The TensorFlow symbols in a Python file or a Jupyter notebook.

The source is read, not run. The scan finds dotted names that begin at an import of TensorFlow, and attributes and
arguments that Keras 3 has removed. It does not find other methods of objects, other arguments, and names built at run
time.
"""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tfcompat._dropin import notebook
from tfcompat._dropin.alias import target_of
from tfcompat._dropin.keras_removal import replaced_argument, replaced_attribute

_OURS = __name__.partition(".")[0]


class Use(NamedTuple):
    """The use of a symbol at a place in a program.

    Attributes:
      path, cell, line: the place; the cell is 0 if the file is not a notebook.
      symbol: the name without `tf.`; empty for the package itself. An attribute of another object is `.name`.
      replacement: for an attribute or argument of Keras 2, the way to write it for Keras 3.
    """

    path: Path
    cell: int
    line: int
    symbol: str
    replacement: str = ""

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
        found += (Use(path, cell, *each) for each in finder.found)
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
    """Collects lines, symbols and replacements."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        self.found: set[tuple[int, str, str]] = set()

    def visit_Import(self, node: ast.Import) -> None:
        """An import of a submodule is a use of it."""
        self._add(node, [_symbol(alias.name) for alias in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """`from tensorflow.nn import relu` uses nn.relu, `from tensorflow.nn import *` uses nn."""
        symbol = _symbol(node.module) if node.module and not node.level else None
        if symbol is not None:
            self._add(node, [_joined(symbol, alias.name) if alias.name != "*" else symbol for alias in node.names])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A chain of attributes that begins at an imported name, or an attribute that Keras 3 has removed."""
        symbol = self._symbol_of(node)
        if symbol is not None:
            self._add(node, [symbol])
            return
        self.visit(node.value)
        if self._names and (replacement := replaced_attribute(_last_name(node.value), node.attr)):
            self.found.add((node.lineno, f".{node.attr}", replacement))

    def visit_Call(self, node: ast.Call) -> None:
        """A call with an argument that Keras 3 has removed."""
        if self._names:
            symbol = self._symbol_of(node.func)
            name = f".{_last_name(node.func)}" if symbol is None else symbol
            for keyword in node.keywords:
                if keyword.arg is not None and (replacement := replaced_argument(name, keyword.arg)):
                    self.found.add((keyword.lineno, f"{name}({keyword.arg}=)", replacement))
        self.generic_visit(node)

    def _symbol_of(self, node: ast.expr) -> str | None:
        """The symbol of a chain of attributes that begins at an imported name; None for another expression."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self._names:
            return None
        # compat.v2 is an alias of TensorFlow 2.
        return ".".join(filter(None, [self._names[node.id], *reversed(parts)])).removeprefix("compat.v2.")

    def _add(self, node: ast.stmt | ast.expr, symbols: list[str | None]) -> None:
        self.found.update((node.lineno, symbol, "") for symbol in symbols if symbol)


def _last_name(node: ast.expr) -> str:
    """The last name in an expression, in lower case: `optimizer` for `self.optimizer`; empty if it has none."""
    if isinstance(node, ast.Attribute):
        return node.attr.lower()
    return node.id.lower() if isinstance(node, ast.Name) else ""
