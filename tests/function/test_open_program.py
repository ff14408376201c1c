"""Programs of functions with open sizes: which loops they hold, when they are compiled, and what new sizes cost."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.function.test_open_size import (
    PROGRAMS,
    counted_by_two,
    counted_from_one,
    counted_up,
    counted_up_to_less,
    normal,
    spec,
    with_gradient,
)
from tfcompat._core.operation import op
from tfcompat._function.control.scan_op import scan_like
from tfcompat._function.control.while_op import while_like


@pytest.mark.parametrize(
    ("function", "loop"),
    [
        (counted_up, scan_like),
        (counted_from_one, scan_like),
        (counted_by_two, while_like),
        (counted_up_to_less, while_like),
    ],
)
def test_a_loop_that_counts_up_to_an_open_size_is_a_scan(function, loop):
    path = tf.function(function).get_concrete_function(spec(None, 4)).body.stored.node.path()
    assert [step.op.recipe.maker for step in path if step.op is not None and step.op.name == "while_loop"] == [loop]


@pytest.mark.parametrize(
    ("width", "sizes", "compiled"),
    [(21, (4, 4, 5), [0, 1, 0]), (22, (4, 5, 4, 4, 5), [0] * 5)],
    ids=["one size that returns", "sizes that vary"],
)
def test_a_size_that_returns_is_compiled_at_once_unless_others_have_come(width, sizes, compiled):
    weights, counts = tf.Variable(normal(width, 3)), []
    weights.numpy()
    squared = tf.function(lambda x: tf.reduce_sum(tf.tanh(x @ weights) ** 2), input_signature=[spec(None, width)])
    for size in sizes:
        with tf.counted() as happened:
            float(squared(normal(size, width)))
        counts.append(happened.compiles)
    assert counts == compiled


@pytest.mark.parametrize("name", ["counted", "recurrent"])
def test_gradients_for_other_sizes_need_no_trace_of_the_derivative(monkeypatch, name):
    function, signature, arguments = PROGRAMS[name]
    decorated = tf.function(with_gradient(function), input_signature=signature)
    decorated(*arguments(6))
    forms, made = [], op._form
    monkeypatch.setattr(op, "_form", lambda *given: forms.append(given) or made(*given))
    for size in (7, 8):
        decorated(*arguments(size))
    assert not forms
