"""Gives generated code the line numbers and names of the original file.

Tracebacks, debuggers and the recorded locations of ops then show the user's code.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import Any

# The name of the operators in generated code; only such code has a free variable of this name.
OPERATORS = "ag__"
# Malt's names for the functions that it generates from blocks and operands.
_BLOCKS = ("if_body", "else_body", "loop_body", "loop_test", "extra_test", "get_state", "set_state", "<lambda>")
_MARK = ".<block>"


def is_generated(code: CodeType) -> bool:
    """Whether `code` was generated from a user's function."""
    return OPERATORS in code.co_freevars


def is_block(code: CodeType) -> bool:
    """Whether `code` was generated from a part of a user's function."""
    return code.co_qualname.endswith(_MARK)


def relocated(code: CodeType, module: ModuleType, origins: dict[Any, Any], original: CodeType) -> CodeType:
    """`code`, part of the generated `module`, with the line numbers in `origins` and the names of `original`."""
    file = module.__file__
    lines = {place.lineno: origin.loc.lineno for place, origin in origins.items() if place.filename == file}
    tree = ast.parse(inspect.getsource(module))
    line = original.co_firstlineno
    located: list[Any] = [node for node in ast.walk(tree) if hasattr(node, "lineno")]
    for node in sorted(located, key=lambda node: node.lineno):
        line = lines.get(node.lineno, line)
        node.lineno = node.end_lineno = line
        # Columns of the generated text don't correspond to the original.
        node.col_offset = node.end_col_offset = -1
    whole = compile(tree, original.co_filename, "exec", dont_inherit=True)
    found = next(part for part in _parts(whole) if part.co_qualname == code.co_qualname)
    return _renamed(found, original.co_name, "")


def _parts(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant)


def _renamed(code: CodeType, name: str, mark: str) -> CodeType:
    """`code` renamed to `name`, with the blocks within it renamed too."""
    constants: list[Any] = []
    for part in code.co_consts:
        if isinstance(part, CodeType):
            part = _renamed(part, name, _MARK) if part.co_name.startswith(_BLOCKS) else _renamed(part, part.co_name, "")
        constants.append(part)
    return code.replace(co_name=name, co_qualname=name + mark, co_consts=tuple(constants))
