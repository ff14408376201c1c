"""Passes of malt that find nothing to rewrite are left out: the code is that of all the passes."""

from __future__ import annotations

import inspect
import random
import shlex
import textwrap

import pytest

import tfcompat as tf
from tests.function import test_autograph_if, test_autograph_loop, test_autograph_syntax
from tfcompat import autograph
from tfcompat._function.autograph import library
from tfcompat._function.autograph.binding import BoundNames
from tfcompat._function.autograph.conversion import options_of
from tfcompat._function.autograph.transpiler import Transpiler


class Whole(Transpiler):
    """A transpiler with all of malt's passes."""

    def transform_ast(self, node, ctx):
        return library.Transpiler.transform_ast(self, BoundNames().visit(node), ctx)


def straight(x):
    y = x + 1
    return tf.reduce_sum(y * x)


def chosen(x):
    return x if x else -x


def compared(x, y):
    return not (x < y and y == 3)


def asserted(x):
    assert x, "message"
    return x


def listed(x):
    values = []
    values.append(x[0])
    values[0] = x[1]
    return values


def with_option(x):
    for _ in range(3):
        autograph.experimental.set_loop_options(maximum_iterations=2)
        x = x + 1
    return x


def nested(x):
    def inner(y):
        while True:
            if y > 3:
                break
            y += 1
        return y

    return inner(x)


def broken_at_the_end(x):
    for _ in range(3):
        x += 1
        if x:
            break
    return x


def broken_while(x):
    while x:
        x -= 1
        if x:
            break
    return x


def returned_in_try(x):
    try:
        return x + 1
    except ValueError:
        pass
    return x


def returned_within(x):
    try:
        if x:
            return 1
        raise ValueError
    except ValueError:
        return 2
    return x


OWN = [
    straight,
    chosen,
    compared,
    asserted,
    listed,
    with_option,
    nested,
    returned_within,
    returned_in_try,
    broken_at_the_end,
    broken_while,
]


def functions_of(module):
    return [function for _, function in inspect.getmembers(module, inspect.isfunction) if is_own(function, module)]


def is_own(function, module):
    return function.__module__ == module.__name__ and not inspect.isgeneratorfunction(function)


def code(transpiler, function, features):
    try:
        return transpiler(autograph).source(function, options_of(features))
    except library.Unsupported as refused:
        return str(refused)


@pytest.mark.parametrize("features", [None, autograph.experimental.Feature.ALL], ids=["default", "all"])
@pytest.mark.parametrize("function", OWN, ids=lambda function: function.__name__)
def test_code_is_that_of_all_passes(function, features):
    found = code(Transpiler, function, features)
    assert found.startswith(f"def tf__{function.__name__}(") or " def " in found
    assert found == code(Whole, function, features)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "module",
    [random, shlex, textwrap, test_autograph_if, test_autograph_loop, test_autograph_syntax],
    ids=lambda module: module.__name__,
)
def test_code_of_modules_is_that_of_all_passes(module):
    functions = functions_of(module)
    assert functions
    for function in functions:
        assert code(Transpiler, function, None) == code(Whole, function, None), function
