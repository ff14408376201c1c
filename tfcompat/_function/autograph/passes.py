"""Malt's passes over the syntax tree of a function, without those that find nothing to rewrite in it.

Most functions have few kinds of statements. For them half of malt's passes, each with an analysis of its own, return
the tree as it was.
"""

from __future__ import annotations

import ast
from typing import Any

from tfcompat._function.autograph.library import DIRECTIVES, Feature, converters

_LOOPS = {ast.For, ast.While}
_LOGIC = {ast.Compare, ast.UnaryOp, ast.BoolOp}


def passed(node: Any, context: Any) -> Any:
    """The analysed function `node` after malt's passes, as from its `PyToPy.transform_ast`."""
    options = context.user.options
    node = converters.functions.transform(node, context)
    kinds, names = _found(node)
    if kinds & _LOOPS or names & DIRECTIVES:
        node = converters.directives.transform(node, context)
    if ast.Break in kinds:
        node = converters.break_statements.transform(node, context)
    if ast.Assert in kinds and options.uses(Feature.ASSERT_STATEMENTS):
        node = converters.asserts.transform(node, context)
    if kinds & {ast.Break, ast.Continue}:  # a `break` has become a `continue`
        node = converters.continue_statements.transform(node, context)
    node = converters.return_statements.transform(node, context)
    if options.uses(Feature.LISTS):
        node = converters.lists.transform(node, context)
        node = converters.slices.transform(node, context)
    node = converters.call_trees.transform(node, context)
    kinds, _ = _found(node)  # what follows a jump or a return within a block has become conditional
    if kinds & {ast.If, *_LOOPS}:
        node = converters.control_flow.transform(node, context)
        kinds, _ = _found(node)  # a loop with a break has got a condition
    if ast.IfExp in kinds:
        node = converters.conditional_expressions.transform(node, context)
    if kinds & _LOGIC:
        node = converters.logical_expressions.transform(node, context)
    return converters.variables.transform(node, context)


def _found(node: ast.AST) -> tuple[set[type[ast.AST]], set[str]]:
    """The classes of the parts of `node`, and the names of variables and attributes among them."""
    kinds: set[type[ast.AST]] = set()
    names: set[str] = set()
    for part in ast.walk(node):
        kinds.add(type(part))
        if isinstance(part, ast.Name):
            names.add(part.id)
        elif isinstance(part, ast.Attribute):
            names.add(part.attr)
    return kinds, names
