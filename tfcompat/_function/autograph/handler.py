"""`except ... as name` in a form that malt's analysis reads: the name is assigned first thing in the handler."""

from __future__ import annotations

import ast
import sys

from tfcompat._function.autograph.library import copy_origin
from tfcompat._function.autograph.relocation import OPERATORS


def caught() -> BaseException | None:
    """The exception that is being handled."""
    return sys.exc_info()[1]


class NamedHandlers(ast.NodeTransformer):
    """Replaces the names of handlers by assignments."""

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        """`node` with its name, if it has one, assigned in its body."""
        self.generic_visit(node)
        if node.name is not None:
            [assignment] = ast.parse(f"{node.name} = {OPERATORS}.{caught.__name__}()").body
            copy_origin(node, assignment)
            node.name = None
            node.body.insert(0, assignment)
        return node
