"""`while` and `for` agree with TensorFlow."""

# `if` statements in loops are the subject of these tests.
# ruff: noqa: B007, SIM108

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.function.autograph_case import Case, Cases

case = cases = Cases()


@case(100, gives=6)
@case(1, gives=0)
def while_counts(n):
    steps = 0
    while n > 1:
        n = n // 2
        steps += 1
    return steps


@case(27, gives=111)
def while_collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@case(10, gives=(10, 5))
def while_break(n):
    total = 0
    i = 0
    while i < n:
        if i * i > 20:
            break
        total += i
        i += 1
    return total, i


@case(10, gives=37)
def while_continue(n):
    total = 0
    i = 0
    while i < n:
        i += 1
        if i % 3 == 0:
            continue
        total += i
    return total


@case(2.0, gives=1.414216)
def while_newton(x):
    guess = x
    while tf.abs(guess * guess - x) > 1e-4:
        guess = 0.5 * (guess + x / guess)
    return guess


@case(3, gives=48)
def while_on_python_value(x):
    i = 0
    while i < 4:
        x = x * 2
        i += 1
    return x


@case(3, 4, gives=18)
def while_nested(n, m):
    total = 0
    i = 0
    while i < n:
        j = 0
        while j < m:
            total += i * j
            j += 1
        i += 1
    return total


@case(5, gives=10)
@case(0, gives=0)
def for_range(n):
    total = 0
    for i in tf.range(n):
        total += i
    return total


@case(2, 11, 3, gives=(15, 8))
def for_range_three(a, b, c):
    total = 0
    last = -1
    for i in tf.range(a, b, c):
        total += i
        last = i
    return total, last


@case(9, 0, -2, gives=97531)
def for_range_down(a, b, c):
    total = 0
    for i in tf.range(a, b, c):
        total = total * 10 + i
    return total


@case(1.0, gives=11.39062)
def for_range_known(x):
    for _ in tf.range(6):
        x = x * 1.5
    return x


@case([1.0, 2.0, 3.0], gives=11.0)
@case([[1.0, 2.0], [3.0, 4.0]], gives=[5.0, 8.0])
def for_tensor(xs):
    total = tf.zeros_like(xs[0])
    for x in xs:
        total = total * 2.0 + x
    return total


@case(4, gives=14)
def for_python_range_of_tensor(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


@case(4, gives=7)
def for_python_range(x):
    for i in range(3):
        x = x + i
    return x


@case([1, 5, 3, 9, 2], gives=5)
def for_break(xs):
    best = 0
    for x in xs:
        if x > 6:
            break
        best = tf.maximum(best, x)
    return best


@case([1, 5, 3, 9, 2], gives=18)
def for_continue(xs):
    odd = 0
    for x in xs:
        if x % 2 == 0:
            continue
        odd += x
    return odd


@case(10, gives=13)
def for_break_and_continue(n):
    total = 0
    for i in tf.range(n):
        if i == 2:
            continue
        if i == 6:
            break
        total += i
    return total


@case(3, gives=84)
def for_nested(n):
    total = 0
    for i in tf.range(n):
        for j in tf.range(i + 1):
            total += i * 10 + j
    return total


@case(4, gives=3)
def for_uses_target_after(n):
    for i in tf.range(n):
        pass
    return i


@case(4, gives=6)
def for_defines_inside(n):
    for i in tf.range(n):
        y = i * 2
    return y


@case(1.0, gives=6.0)
def for_over_list(x):
    for scale in [1.0, 2.0, 3.0]:
        x = x * scale
    return x


@case(1.0, gives=9.0)
def for_over_dict_items(x):
    for key, value in {"a": 2.0, "b": 3.0}.items():
        x = x + value if key == "a" else x * value
    return x


@case(3.0, gives=11.0)
def for_enumerate_and_zip(x):
    for i, (a, b) in enumerate(zip([1.0, 2.0], [3.0, 4.0])):
        x = x + a * b * i
    return x


@case(3, gives=[0, 3, 6])
def for_unrolled_list_append(x):
    out = []
    for i in range(3):
        out.append(x * i)
    return tf.stack(out)


@case([[1.0, 2.0], [3.0, 4.0]], gives=[0.9989198, 0.9999025])
def for_rows_rnn(rows):
    state = tf.zeros([2])
    for t in tf.range(2):
        state = tf.tanh(rows[t] + state)
    return state


@case(3, gives=5)
def for_maximum_iterations(n):
    i = 0
    for _ in tf.range(n * 100):
        tf.autograph.experimental.set_loop_options(maximum_iterations=5)
        i += 1
    return i


@case(3, gives=7)
def while_maximum_iterations(n):
    while n < 100:
        tf.autograph.experimental.set_loop_options(maximum_iterations=4, parallel_iterations=2, swap_memory=True)
        n += 1
    return n


@case(3, gives=(3, 8.0))
def for_structure_state(n):
    pair = (0, [1.0])
    for i in tf.range(n):
        pair = (pair[0] + i, [pair[1][0] * 2.0])
    return pair[0], pair[1][0]


@case(6, gives=-86)
def augmented(x):
    total = 1
    for i in tf.range(1, x):
        total *= i
        total -= 1
    return total


@case(3, gives=0)
def unconditional_return_in_loop(n):
    for i in tf.range(n):
        return i
    return -1


@case([], gives=5.0)
def for_over_no_rows(rows):
    total = tf.constant(5.0)
    for row in rows:
        total += row
    return total


@case(7, gives=7)
def for_over_an_empty_range(n):
    for i in tf.range(0):
        n += i
    return n


class Holder:
    def __init__(self, factor):
        self.factor = factor


@case(5, gives=13)
def modifies_attribute(x):
    scale = Holder(x)
    if x > 3:
        scale.factor = x * 2
    else:
        scale.factor = x
    for i in tf.range(3):
        scale.factor = scale.factor + i
    return scale.factor


@case(5, gives=24)
def modifies_dict_entry(x):
    table = {"a": x}
    if x > 3:
        table["a"] = x + 1
    while table["a"] < 20:
        table["a"] = table["a"] * 2
    return table["a"]


@pytest.mark.parametrize("one", cases, ids=str)
def test_function_gives_what_tensorflow_gives(one: Case):
    one.check(one.in_function())


@pytest.mark.parametrize("one", cases, ids=str)
def test_rewritten_function_works_on_values(one: Case):
    one.check(one.on_values())
