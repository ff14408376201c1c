"""The Python code in a Jupyter notebook, without IPython syntax."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

_CELL_MAGIC = "%%"
# `%magic`, `!command` and `?name`, also on the right of an assignment, and `name?`.
_MAGIC = re.compile(r"(?P<indent>\s*)(?:[%!?].*|[\w.,\s]+=\s*[%!].*|[\w.]+\?{1,2}\s*)")


def trees_in(path: Path) -> Iterator[tuple[int, ast.Module]]:
    """The code cells of the notebook `path`, parsed; cells count from 1, text cells included.

    Raises: ValueError if the file is not a notebook of format 4; SyntaxError if a cell is not Python.
    """
    notebook = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError("it is not a notebook of format 4")
    for number, cell in enumerate(notebook["cells"], 1):
        if cell.get("cell_type") == "code":
            source = cell.get("source", "")
            yield number, _parsed(source if isinstance(source, str) else "".join(source), f"{path}:cell {number}")


def _parsed(source: str, place: str) -> ast.Module:
    """The Python code of a cell; empty for a cell magic whose body is not Python."""
    is_magic = source.startswith(_CELL_MAGIC)
    if is_magic:
        source = source.removeprefix(source.partition("\n")[0])
    try:
        # A line of a longer expression may begin with `%`, so magics are removed only if the cell does not parse.
        return ast.parse(source, place)
    except SyntaxError:
        try:
            return ast.parse(_without_magics(source), place)
        except SyntaxError:
            if is_magic:
                return ast.parse("")
            raise


def _without_magics(source: str) -> str:
    """`source` with `pass` in place of each magic, so that line numbers stay the same."""
    lines: list[str] = []
    is_continued = False
    for line in source.splitlines():
        found = _MAGIC.fullmatch(line)
        if is_continued:
            lines.append("")
        elif found is not None:
            lines.append(f"{found['indent']}pass")
        else:
            lines.append(line)
        is_continued = line.endswith("\\") and (is_continued or found is not None)
    return "\n".join(lines)
