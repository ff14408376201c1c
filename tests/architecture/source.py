"""The files that the tests read, each parsed once."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tfcompat"
# The files of the package, and all of the repository.
FILES = sorted(PACKAGE.rglob("*.py"))
ALL_FILES = sorted(
    [*FILES, *(path for name in ("tests", "examples", "benchmarks") for path in (ROOT / name).rglob("*.py"))]
)


@functools.cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """The nodes of the syntax tree of a file, its module first."""
    return tuple(ast.walk(ast.parse(path.read_text())))


def name_of(path: Path) -> str:
    """The path from the root of the repository."""
    return str(path.relative_to(ROOT))
