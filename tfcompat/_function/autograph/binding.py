"""Names that are bound in ways that malt's analysis doesn't recognise.

`except ... as name` is rewritten to an assignment at the start of the handler. `name := value` and `match` are
refused, as in TensorFlow: in a block that becomes a function, the name would be lost.
"""

from __future__ import annotations

import ast
import sys

from tfcompat._function.autograph.library import Unsupported, copy_origin
from tfcompat._function.autograph.relocation import OPERATORS


def caught() -> BaseException | None:
    """The exception that is being handled."""
    return sys.exc_info()[1]


class BoundNames(ast.NodeTransformer):
    """Assigns the names of handlers in their bodies. Refuses assignment expressions and match statements."""

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        """Refuses `node`; the function then runs unchanged."""
        raise Unsupported(f"assignment expressions are not supported: {ast.unparse(node)}")

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Refuses `node`; the function then runs unchanged."""
        raise Unsupported(f"match statements are not supported: match {ast.unparse(node.subject)}")

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        """`node` with its name, if it has one, assigned in its body."""
        self.generic_visit(node)
        if node.name is not None:
            [assignment] = ast.parse(f"{node.name} = {OPERATORS}.{caught.__name__}()").body
            copy_origin(node, assignment)
            node.name = None
            node.body.insert(0, assignment)
        return node
