"""Why a function is traced: the argument that differs from that of the nearest trace, and how."""

from __future__ import annotations

import logging
import re

import pytest

from tests.explained import explained

FIRST = "it has no trace yet"
SCORE = """
import collections
Pair = collections.namedtuple("Pair", "a b")

class Thing:
    def __init__(self, name):
        self.name = name
    def __repr__(self):
        return self.name

@tf.function(autograph=False)
def score(x, n=1, *rest, **named):
    return tf.constant(1.0)

one, other = Thing("one"), Thing("other")
v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
fixed = tf.Variable([1.0, 2.0], trainable=False)
"""
# Calls of `score`, and why each but the first is traced.
CASES = {
    "shape": ("score(tf.ones([8, 64])); score(tf.ones([7, 64]))", ["argument 'x': float32[7,64], was float32[8,64]"]),
    "dtype": ("score(tf.ones([2])); score(tf.ones([2], tf.int32))", ["argument 'x': int32[2], was float32[2]"]),
    "Python value": ("score(1.0, 2); score(1.0, 3)", ["argument 'n': Python value 3, was 2"]),
    "Python value and tensor": (
        "score(1.0, 2); score(1.0, tf.constant(2)); score(1.0, None)",
        ["argument 'n': int32[], was Python value 2", "argument 'n': Python value None, was int32[]"],
    ),
    "by keyword": ("score(x=1.0, n=2); score(1.0, n=3)", ["argument 'n': Python value 3, was 2"]),
    "two arguments": (
        "score(1.0, 2); score(2.0, 3)",
        ["argument 'x': Python value 2.0, was 1.0; argument 'n': Python value 3, was 2"],
    ),
    "the nearest trace": (
        "score(1.0, 2); score(2.0, 3); score(1.0, 4); score(2.0, 4)",
        [
            "argument 'x': Python value 2.0, was 1.0; argument 'n': Python value 3, was 2",
            "argument 'n': Python value 4, was 2",
            "argument 'x': Python value 2.0, was 1.0",
        ],
    ),
    "more and fewer arguments": (
        "score(1.0, 2, 3); score(1.0, 2); score(1.0, 2, 3, 4, k=1)",
        [
            "argument 'rest[0]' was given, and is not",
            "argument 'rest[1]' is given, and was not; argument 'k' is given, and was not",
        ],
    ),
    "named arguments": ("score(1.0, k=1, j=2); score(1.0, j=3, k=1)", ["argument 'j': Python value 3, was 2"]),
    "length": ("score([1, 2]); score([1, 2, 3])", ["argument 'x': list of length 3, was list of length 2"]),
    "kind of container": ("score([1]); score((1,))", ["argument 'x': tuple of length 1, was list of length 1"]),
    "keys": (
        "score({'a': 1}); score({'b': 1})",
        ["argument 'x': mapping with keys ['b'], was mapping with keys ['a']"],
    ),
    "part of an argument": (
        "score({'b': Pair(1, tf.ones([2]))}); score({'b': Pair(1, tf.ones([3]))})",
        ["argument 'x'['b']['b']: float32[3], was float32[2]"],
    ),
    "the first of several parts": ("score([1, 2, 3]); score([1, 3, 2])", ["argument 'x'[1]: Python value 3, was 2"]),
    "object": ("score(one); score(other)", ["argument 'x': object other, was object one"]),
    "object that is gone": (
        "score(Thing('new')); score(one)",
        ["argument 'x': object one, was an object that is gone"],
    ),
    "strings": ("score(tf.constant('a')); score(tf.constant('b'))", ["argument 'x': strings b'b', was strings b'a'"]),
    "variables": (
        "score(v); score(w); score(tf.Variable(1.0)); score(fixed)",
        [
            "argument 'x': variable float32[], was variable float32[2]",
            "argument 'x': variable that is not trainable, float32[2], was variable float32[]",
        ],
    ),
    "one variable twice": (
        "score(v, w); score(v, v); score([w, v], v)",
        [
            "argument 'n': variable float32[2], now the same one as another argument",
            "argument 'x': list of length 2, was variable float32[2]; "
            "argument 'n': variable float32[2], in another place than before the same one as another argument",
        ],
    ),
    "no variable twice": (
        "score(v, v); score(v, w)",
        ["argument 'n': variable float32[2], no longer the same one as another argument"],
    ),
    "rows of a ragged tensor": (
        "score(tf.ragged.constant([[1.0], []])); score(tf.ragged.constant([[], [1.0]]))",
        ["argument 'x'[1]: int64[3] with other values, which decide shapes"],
    ),
}


@pytest.fixture
def reasons(tmp_path, monkeypatch):
    """A function that runs a program as `train.py` and answers why it traced functions, and where."""
    monkeypatch.setattr(logging.getLogger("tensorflow"), "disabled", True)

    def run(source):
        lines = explained(source, tmp_path, monkeypatch)
        return [re.sub("^tfcompat: tracing ", "", line) for line in lines if "tracing" in line]

    return run


@pytest.mark.parametrize(("calls", "why"), CASES.values(), ids=CASES.keys())
def test_reason_is_the_argument_that_differs(reasons, calls, why):
    assert reasons(SCORE + calls) == [
        f"score at train.py:{SCORE.count(chr(10)) + 1}: {reason}" for reason in [FIRST, *why]
    ]


def test_trace_that_makes_variables(reasons):
    source = """
made = []

@tf.function(autograph=False)
def scale(x):
    if not made:
        made.append(tf.Variable(2.0))
    return x * made[0]

scale(tf.ones([2]))
"""
    assert reasons(source) == [
        f"scale at train.py:10: {FIRST}",
        "scale at train.py:10: its first trace made variables, and serves no other call",
    ]


def test_function_made_in_a_loop(reasons):
    source = """
for _ in range(2):
    scale = tf.function(lambda x: x * 2.0, autograph=False)
    scale(tf.ones([2]))
"""
    assert reasons(source) == [
        f"<lambda> at train.py:4: {FIRST}",
        f"<lambda> at train.py:4: {FIRST}, as each tf.function has its own; "
        "another one of the same code was traced before",
    ]


def test_elements_of_another_size(reasons):
    source = """
@tf.function(autograph=False)
def step(iterator):
    return next(iterator) * 2

iterator = iter(tf.data.Dataset.range(5).batch(2))
for _ in range(3):
    step(iterator)
"""
    assert reasons(source) == [
        f"step at train.py:8: {FIRST}",
        "step at train.py:8: the elements of iterators that it takes have other shapes",
    ]


def test_method_of_another_object(reasons):
    source = """
class Scale:
    @tf.function(autograph=False)
    def __call__(self, x):
        return x * 2.0

for _ in range(2):
    Scale()(tf.ones([2]))
"""
    assert reasons(source) == [
        f"__call__ at train.py:8: {FIRST}",
        f"__call__ at train.py:8: {FIRST}, as each object has its own; that of another object was traced before",
    ]


def test_callable_without_code(reasons):
    source = """
import functools

scale = tf.function(functools.partial(tf.multiply, 2.0), autograph=False)
scale(tf.ones([2]))
scale(tf.ones([3]))
"""
    assert reasons(source) == [
        f"function at train.py:5: {FIRST}",
        "function at train.py:6: argument 'y': float32[3], was float32[2]",
    ]


def test_concrete_function_asked_for(reasons):
    source = """
@tf.function(autograph=False)
def double(x):
    return x * 2.0

double(tf.ones([2]))
double.get_concrete_function(tf.TensorSpec([3]))
"""
    assert reasons(source)[1] == "double at train.py:7: argument 'x': float32[3], was float32[2]"


def test_calls_that_left_no_trace(reasons):
    source = """
@tf.function
def ones(n):
    return tf.ones([n])

ones(tf.constant(2))
ones(tf.constant(3))
ones(tf.constant(2))
"""
    found = reasons(source)
    assert found[0] == f"ones at train.py:6: {FIRST}"
    assert found[-1].endswith(": earlier calls ran its Python code, and have left no trace")
