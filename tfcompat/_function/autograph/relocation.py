"""Generated code with the lines and names of the file that it was made from.

So tracebacks, debuggers and the places that are remembered for ops show the user's code.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import Any

# What the operators are called in generated code; only such code has a free variable of this name.
OPERATORS = "ag__"
# How malt calls the functions that it makes of blocks and of operands.
_BLOCKS = ("if_body", "else_body", "loop_body", "loop_test", "extra_test", "get_state", "set_state", "<lambda>")
_MARK = ".<block>"


def is_generated(code: CodeType) -> bool:
    """Whether `code` was made of a user's function."""
    return OPERATORS in code.co_freevars


def is_block(code: CodeType) -> bool:
    """Whether `code` was made of a part of a user's function."""
    return code.co_qualname.endswith(_MARK)


def relocated(code: CodeType, module: ModuleType, origins: dict[Any, Any], original: CodeType) -> CodeType:
    """`code`, part of the generated `module`, with the lines that `origins` tells and the names of `original`."""
    file = module.__file__
    lines = {place.lineno: origin.loc.lineno for place, origin in origins.items() if place.filename == file}
    tree = ast.parse(inspect.getsource(module))
    line = original.co_firstlineno
    located: list[Any] = [node for node in ast.walk(tree) if hasattr(node, "lineno")]
    for node in sorted(located, key=lambda node: node.lineno):
        line = lines.get(node.lineno, line)
        node.lineno = node.end_lineno = line
        # Columns of the generated text say nothing about the original.
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
    """`code` under `name`, and so the blocks within it."""
    constants: list[Any] = []
    for part in code.co_consts:
        if isinstance(part, CodeType):
            part = _renamed(part, name, _MARK) if part.co_name.startswith(_BLOCKS) else _renamed(part, part.co_name, "")
        constants.append(part)
    return code.replace(co_name=name, co_qualname=name + mark, co_consts=tuple(constants))
