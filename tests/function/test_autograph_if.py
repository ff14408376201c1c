"""`if`, conditional expressions, and the logic of conditions agree with TensorFlow."""

# `if` statements are the subject of these tests.
# ruff: noqa: SIM108

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.function.autograph_case import Case, Cases

case = cases = Cases()


@case(3.0, gives=9.0)
@case(-3.0, gives=3.0)
def if_else(x):
    if x > 0:
        y = x * x
    else:
        y = -x
    return y


@case(1.0, gives=11.0)
@case(-1.0, gives=-1.0)
def if_without_else(x):
    y = x
    if x > 0:
        y = y + 10.0
    return y


@case(5, gives=1)
@case(0, gives=2)
@case(-5, gives=3)
def if_elif_else(x):
    if x > 3:
        y = 1
    elif x > -3:
        y = 2
    else:
        y = 3
    return y


@case(1.0, 2.0, gives=3.0)
@case(-1.0, 2.0, gives=-2.0)
@case(-1.0, -2.0, gives=2.0)
@case(1.0, -2.0, gives=3.0)
def if_nested(x, y):
    if x > 0:
        if y > 0:
            z = x + y
        else:
            z = x - y
    else:
        z = x * y
    return z


@case(2.0, gives=4.0)
@case(-2.0, gives=2.0)
def return_in_both(x):
    if x > 0:
        return x * 2.0
    return -x


@case(2.0, gives=2.0)
@case(0.5, gives=15.0)
@case(-2.0, gives=-100.0)
def return_early_and_fall_through(x):
    if x > 1:
        return x
    y = x + 1
    if y > 0:
        return y * 10
    return y * 100


@case(4.0, gives=2.0)
@case(-4.0, gives=-0.0)
def conditional_expression(x):
    return tf.sqrt(x) if x > 0 else x * 0.0


@case(1, gives=0)
@case(2, gives=14)
def if_gives_structures(x):
    if x > 1:
        pair = {"a": x, "b": [x + 1, x + 2]}
    else:
        pair = {"a": -x, "b": [-x, -x]}
    return pair["a"] + pair["b"][0] * pair["b"][1]


@case(2.0, True, gives=-2.0)
@case(2.0, False, gives=2.0)
def if_on_python_value(x, flag):
    if flag:
        unit = "up"
    else:
        unit = None
    return x if unit is None else -x


@case([1.0, 2.0], gives=[2.0, 4.0])
@case([-1.0, -2.0], gives=[-1.0, -2.0])
def if_on_reduction(x):
    if tf.reduce_sum(x) > 0:
        x = x * 2.0
    return x


@case(3, gives=7)
@case(-3, gives=-3)
def if_variable_used_only_inside(x):
    if x > 0:
        t = x * 2
        r = t + 1
    else:
        r = x
    return r


@case([True], gives=1)
@case([[False]], gives=2)
def if_on_one_element(flag):
    if flag:
        r = 1
    else:
        r = 2
    return r


@case(3.0, gives=1.0)
@case(-3.0, gives=-3.0)
def mixed_constant_and_tensor(x):
    if x > 0:
        y = 1.0
    else:
        y = x
    return y


@case(3.0, gives=27.0)
@case(-3.0, gives=27.0)
def tuple_assignment(x):
    a, b = x, -x
    if x < 0:
        a, b = b, a
    return a * 10.0 + b


@case(3.0, gives=8.0)
@case(-1.0, gives=-2.0)
def with_and_try(x):
    try:
        with tf.name_scope("inside"):
            if x > 0:
                x = x + 1.0
    finally:
        x = x * 2.0
    return x


@case(2.0, gives=(2.0, 3.0))
@case(-2.0, gives=(-2.0, -1.0))
def returns_none_or_pair(x):
    pair = None
    if x is not None:
        pair = (x, x + 1.0)
    return pair


@case(3, gives=5)
def global_var(n):
    global COUNTER
    COUNTER = 5
    if n > 0:
        k = COUNTER
    else:
        k = 0
    return k


@case(3, gives=5)
def inner_nonlocal(n):
    c = 0

    def add():
        nonlocal c
        c += 1

    add()
    add()
    return n + c


@case(1, 2, gives=True)
@case(-1, 2, gives=False)
@case(1, -2, gives=False)
def logical_and(x, y):
    return x > 0 and y > 0


@case(1, 2, gives=True)
@case(-1, 2, gives=True)
@case(-1, -2, gives=False)
def logical_or(x, y):
    return x > 0 or y > 0


@case(1, gives=False)
@case(-1, gives=True)
def logical_not(x):
    return not x > 0


@case(3, gives=True)
@case(7, gives=False)
@case(0, gives=False)
def chained_comparison(x):
    return 1 < x < 5


@case(3, gives=True)
@case(7, gives=False)
@case(9, gives=False)
def chained_of_three(x):
    return 1 < x <= 7 != x


@case(1, 2, 3, gives=1)
@case(1, -2, 3, gives=0)
@case(-1, -2, -3, gives=0)
def and_or_mixed(x, y, z):
    if x > 0 and (y > 0 or not z > 0):
        return 1
    return 0


@case(2, None, gives=0)
@case(2, 3, gives=1)
def and_of_python_and_tensor(x, other):
    if other is not None and x < other:
        return 1
    return 0


@case(4, gives=[4, 5])
@case(-4, gives=[-5, -4])
def conditional_tuple(x):
    a, b = (x, x + 1) if x > 0 else (x - 1, x)
    return [a, b]


@case(3.0, gives={"a": 3.0, "b": (6.0, 1)})
def conditional_dictionary(x):
    return {"a": x, "b": (x * 2.0, 1)} if x > 0 else {"a": -x, "b": (x, 2)}


@pytest.mark.parametrize("one", cases, ids=str)
def test_function_gives_what_tensorflow_gives(one: Case):
    one.check(one.in_function())


@pytest.mark.parametrize("one", cases, ids=str)
def test_rewritten_function_works_on_values(one: Case):
    one.check(one.on_values())
