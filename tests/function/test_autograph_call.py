"""Calls of functions, methods, objects and built-ins agree with TensorFlow."""

# Lambdas and `map` are the subject of these tests.
# ruff: noqa: C417, E731

from __future__ import annotations

import functools

import pytest

import tfcompat as tf
from tests.function.autograph_case import Case, Cases

case = cases = Cases()


@case([1.0, 2.0, 3.0], gives=6)
@case([[1.0], [2.0]], gives=4)
def length(xs):
    return len(xs) * 2


@case(2.7, gives=2)
@case(-2.7, gives=-2)
def int_of(x):
    return int(x)


@case(2, gives=0.5)
def float_of(x):
    return float(x) / 4


@case(-2.5, gives=2.5)
@case(-3, gives=3)
def absolute(x):
    return abs(x)


@case([3, 1, 2], gives=[1, 2, 3])
def sorted_tensor(xs):
    return sorted(xs)


@case([3, 1, 2], gives=[3, 2, 1])
def sorted_downward(xs):
    return sorted(xs, reverse=True)


@case([3, -1, 2], gives=[3, 2, -1])
def sorted_by_key(xs):
    return sorted(xs, key=lambda x: -x)


@case(2.0, 3.0, gives=6.0)
def sum_of_list(x, y):
    return sum([x, y, 1.0])


@case(2.0, gives=10.0)
def map_and_filter(x):
    return sum(map(lambda k: k * x, filter(lambda k: k > 1, [1, 2, 3])))


@case(5, gives=5)
def any_all_of_python(x):
    return x if any([False, True]) and all([True]) else -x


@case(2, gives=10)
@case(-2, gives=-10)
def max_of_python(x):
    return x * max(1, 2, min(7, 5))


def double(x):
    if x > 0:
        return x * 2
    return x


@case(2.0, gives=2.0)
@case(-2.0, gives=2.0)
def calls_function(x):
    return double(x) + double(-x)


@case(2.0, gives=6.0)
@case(-2.0, gives=-2.0)
def calls_inner_function(x):
    def inner(y):
        if y > 0:
            return y * 3.0
        return y

    return inner(x)


@case(2.0, gives=5.0)
@case(-2.0, gives=-5.0)
def calls_lambda(x):
    sign = lambda y: 1.0 if y > 0 else -1.0
    return sign(x) * 5.0


def clamp(x, low, high):
    if x < low:
        x = low
    if x > high:
        x = high
    return x


@case(2.0, gives=1.0)
@case(-2.0, gives=0.0)
def calls_partial(x):
    return functools.partial(clamp, low=0.0)(x, high=1.0)


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def apply(self, x):
        if x > 0:
            return x * self.factor
        return x


class Shift(Scale):
    def apply(self, x):
        return super().apply(x) + 1.0

    def __call__(self, x):
        if x > 100:
            x = x * 0.0
        return self.apply(x)


@case(2.0, gives=9.0)
@case(-2.0, gives=-1.0)
def calls_method_and_super(x):
    return Shift(4.0).apply(x)


@case(2.0, gives=9.0)
@case(200.0, gives=1.0)
def calls_object(x):
    return Shift(4.0)(x)


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(function(*args, **kwargs))

    return wrapper


@twice
def plus_one_if_positive(x):
    if x > 0:
        x = x + 1.0
    return x


@case(2.0, gives=4.0)
@case(-2.0, gives=-2.0)
def calls_decorated(x):
    return plus_one_if_positive(x)


@case(2.0, gives=1.5)
def calls_with_stars(x):
    args = (x,)
    kwargs = {"low": 0.0, "high": 1.5}
    return clamp(*args, **kwargs)


@case(3, gives=[0, 6])
def comprehension_of_python(x):
    return tf.stack([x * k for k in range(3) if k != 1])


@case(3, gives=9)
def generator_expression(n):
    return sum(n * k for k in (1, 2))


@case(3, gives=165)
def fibonacci_of_python(x):
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    return x * fibonacci(10)


@case(gives=[2, 3])
def length_of_rows():
    sparse = tf.sparse.from_dense([[1, 0], [0, 2], [0, 0]])
    return tf.stack([len(tf.ragged.constant([[1], [2, 3]])), len(sparse)])


@case(gives=11)
def absolute_elements():
    total = 0
    for v, w in abs(tf.data.Dataset.from_tensor_slices(([-1, 2], [-3, 4]))):
        total += v * w
    return total


@pytest.mark.parametrize("one", cases, ids=str)
def test_function_gives_what_tensorflow_gives(one: Case):
    one.check(one.in_function())


@pytest.mark.parametrize("one", cases, ids=str)
def test_rewritten_function_works_on_values(one: Case):
    one.check(one.on_values())
