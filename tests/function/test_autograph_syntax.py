"""Python's syntax in converted functions agrees with TensorFlow."""

# Statements as people write them are the subject of these tests.
# ruff: noqa: ARG001, ARG005, B007, D205, E731, F841, SIM108, SIM222

from __future__ import annotations

import collections
import contextlib
import dataclasses

import pytest

import tfcompat as tf
from tests.function.autograph_case import Case, Cases

case = cases = Cases()


@case(3, gives=130)
def except_as(x):
    try:
        y = int("a")
    except (ValueError, TypeError) as e:
        y = len(str(e)) * x
    if y > 3:
        y = y + 1
    return y


@case(3, gives=46)
def except_nested(x):
    try:
        try:
            raise KeyError("a")
        except KeyError as e:
            if x > 0:
                y = x
            else:
                y = -x
            raise ValueError("b") from e
    except ValueError as e:
        y = x * len(repr(e))
    else:
        y = x
    finally:
        z = 1
    return y + z


@case(3, gives=4)
def with_as(x):
    with contextlib.nullcontext(x) as y, contextlib.nullcontext() as n:
        if y > 0:
            y = y + 1
    return y


@case(3, gives=15)
def fstring(x):
    s = f"{x.dtype!r:>10} {len(x.shape)}"
    if x > 0:
        x = x + len(s)
    return x


@case(3, gives=11)
def comprehensions(x):
    d = {k: x * k for k in range(3)}
    s = {k + 1 for k in range(3)}
    n = [[i * j for j in range(2)] for i in range(3) if i]
    if x > 0:
        x = d[2] + len(s)
    return x + len(n)


@case(3, gives=9)
def inner_class(x):
    class A:
        k = 3

        def m(self, v):
            if v > 0:
                return v * self.k
            return v

    return A().m(x)


@case(3, gives=9)
def posonly(x, /, y=2, *, z=4):
    if x > 0:
        return x + y + z
    return x


@case(3, gives=9)
def starred(x):
    a, *b = [x, x + 1, x + 2]
    if x > 0:
        a = b[1]
    return a + b[0]


@case([1.0, 2.0, 3.0], gives=[3.0, 2.0])
def slices(x):
    y = x[1:, None]
    if tf.reduce_sum(y) > 0:
        y = y[..., 0][::-1]
    else:
        y = y[:, 0]
    return y


@case(3, gives=16)
def aug_items(x):
    d = {"a": [x, 1]}
    d["a"][0] += 5
    if x > 0:
        d["a"][1] = d["a"][0] * 2
    return d["a"][1]


@case(3, gives=16)
def chained_assign(x):
    a = b = x
    if a > 0:
        a = b = a + 1
    return a * b


@case(3, gives=13)
def lambdas_default(x):
    f = lambda v, k=2, *a, q=1, **kw: v * k if v > 0 else q
    return f(x) + f(-x, q=7)


@case(3, gives=9)
def decorated_inner(x):
    def deco(n):
        def wrap(f):
            def g(v):
                return f(v) * n

            return g

        return wrap

    @deco(3)
    def h(v):
        if v > 0:
            return v
        return -v

    return h(x)


@case(3, gives=4)
def docstring(x):
    """Text
    in lines.
    """
    # comment
    if x > 0:
        x = x + 1
    return x


@case(3, gives=3)
def del_in_branch(x):
    if x > 0:
        t = x
        y = t
        del t
    else:
        y = x
    return y


@case(3, gives=21)
def nested_break(x):
    t = 0
    for i in tf.range(4):
        for j in tf.range(4):
            if j > i:
                break
            if j == 1:
                continue
            t += j + i
        if t > 10:
            break
    return t


@case(3, gives=3)
def for_in_if(x):
    t = 0
    if x > 0:
        for i in tf.range(x):
            t += i
    else:
        while t > -5:
            t -= 1
    return t


@case(3, gives=2)
def if_in_for_undefined(x):
    for i in tf.range(x):
        if i > 0:
            y = i
        else:
            y = -i
    return y


@case(3, gives=8)
def break_undefined(x):
    for i in tf.range(10):
        y = i * 2
        if i > x:
            break
    return y


@case([[1.0, 2.0], [3.0, 4.0]], gives=1234.0)
def rows_of_rows(x):
    t = 0.0
    for r in x:
        for v in r:
            t = t * 10.0 + v
    return t


@case(3.0, gives=15.0)
def named_tuple_state(x):
    P = collections.namedtuple("P", "a b")
    p = P(x, x * 2)
    for i in tf.range(3):
        p = P(p.b, p.a + p.b)
    return p.a


@case(3.0, gives=(24.0, 3))
def dict_state(x):
    p = {"a": x, "b": 0}
    for i in tf.range(3):
        p = {"a": p["a"] * 2.0, "b": p["b"] + i}
    return p["a"], p["b"]


@case(3, gives=9)
def two_functions_one_line(x):
    f = lambda a: a if a > 0 else -a
    g = lambda a: a * 2 if a > 0 else a
    return f(-x) + g(x)


@case(3, gives=4)
def is_none_default(x, y=None):
    if y is None:
        y = x
    if y is not None and y > 1:
        y = y + 1
    return y


@case(3, gives=6)
def python_or(x):
    a = None or x
    b = 0 or 2
    return a * b


@case(3, gives=4)
def in_operator(x):
    if "a" in {"a": 1} and 3 not in [1]:
        x = x + 1
    return x


@case(3, gives=6)
def early_return_python(x):
    for k in range(5):
        if k == 2:
            return x * k
    return x


@case(3, gives=None)
def return_none(x):
    if x > 0:
        x = x + 1


@case(3, gives=3)
def unused_branch_var(x):
    if x > 0:
        t = 1
    else:
        u = 2
    return x


@case(7, gives=2187)
def pow_mod(x):
    r, b = 1, 3
    while x > 0:
        if x % 2 == 1:
            r = r * b
        b *= b
        x //= 2
    return r


@case(3, gives=12)
def set_in_object_in_loop(x):
    class Holder:
        pass

    o = Holder()
    o.v = x
    while o.v < 10:
        o.v = o.v * 2
    return o.v


@case(3, gives=3)
def conditional_on_shape(x):
    y = tf.zeros([2, 3])
    if tf.shape(y)[0] > 1:
        return x
    return -x


@case(3, gives=9)
def tf_size_loop(x):
    t = x
    for i in tf.range(tf.size(tf.zeros([4]))):
        t = t + i
    return t


@case(3, gives=3)
def while_and(x):
    i = 0
    while i < 10 and x > i:
        i += 1
    return i


@case(3, gives=3)
def while_python_and_tensor(x):
    i = 0
    n = 5
    while n > 0 and x > i:
        i += 1
    return i


@case(3, gives=3)
def while_else_less(x):
    while tf.constant(False):
        x = x + 1
    return x


@case(0, gives=-7)
def loop_zero_target(n):
    i = -7
    for i in tf.range(n):
        pass
    return i


@case(5.5, gives=27.5)
def range_float(n):
    t = 0.0
    for i in tf.range(0.0, n, 0.5):
        t += i
    return t


@case(5, gives=10)
def range_int64(n):
    t = tf.constant(0, tf.int64)
    for i in tf.range(tf.cast(n, tf.int64)):
        t += i
    return t


@case(5, gives=10.0)
def range_dtype(n):
    t = 0.0
    for i in tf.range(n, dtype=tf.float32):
        t += i
    return t


@case(-5, gives=0)
def range_python_negative(n):
    t = 0
    for i in range(n):
        t += 1
    return t


@case(5, gives=531)
def range_python_step(n):
    t = 0
    for i in range(n, 0, -2):
        t = t * 10 + i
    return t


@dataclasses.dataclass
class Datum:
    a: int

    @property
    def doubled(self):
        return self.a * 2

    @staticmethod
    def st(v):
        if v > 0:
            return v
        return -v

    @classmethod
    def cl(cls, v):
        if v > 0:
            return cls(v)
        return cls(-v)

    def __getitem__(self, k):
        return self.a * k

    def __enter__(self):
        return self

    def __exit__(self, *a):
        return False


@case(-3, gives=-12)
def class_things(x):
    d = Datum(x)
    return d.doubled + Datum.st(x) + d[3]


@pytest.mark.parametrize("one", cases, ids=str)
def test_function_gives_what_tensorflow_gives(one: Case):
    one.check(one.in_function())


@pytest.mark.parametrize("one", cases, ids=str)
def test_rewritten_function_works_on_values(one: Case):
    one.check(one.on_values())
