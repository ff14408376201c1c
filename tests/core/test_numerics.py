"""`tf.debugging.enable_check_numerics`: results with nan or infinities raise errors."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat._core.system.config import settings


@pytest.fixture(autouse=True)
def checking():
    """Checks numbers during the test."""
    tf.debugging.enable_check_numerics()
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()
    assert not settings.is_immediate


@pytest.mark.parametrize(
    ("call", "op", "counted"),
    [
        (lambda: tf.math.log([-1.0, 0.0, 2.0]), "math.log", "# of -Inf elements: 1\n  # of NaN elements: 1"),
        (lambda: tf.constant([[1.0, 2.0]]) / tf.constant(0.0), "truediv", r"shape: \(1, 2\)\n  # of \+Inf elements: 2"),
        (lambda: -tf.constant([float("nan"), 1.0]), "negative", "# of NaN elements: 1"),
        (lambda: tf.constant(1.0, tf.float64) / tf.constant(0.0, tf.float64), "truediv", "float64"),
    ],
)
def test_the_op_and_the_line_are_named(call, op, counted):
    pattern = rf'(?s)output 0 of .* op "{op}".*{counted}.*test_numerics\.py'
    with pytest.raises(tf.errors.InvalidArgumentError, match=pattern):
        call()


def test_outputs_are_counted():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'output 1 of .* "split" \(# of outputs: 2\)'):
        tf.split(tf.constant([1.0, float("nan")]), 2)


def test_gradients_are_checked():
    x = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = tf.sqrt(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="sqrt"):
        tape.gradient(y, x).numpy()


def test_what_functions_return_is_checked():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Detected Infinity or NaN"):
        tf.function(lambda x: tf.math.log(x) * 2.0)(tf.constant(-1.0))


def test_numbers_that_are_only_moved_are_not_looked_at():
    bad = tf.constant([float("nan")])
    assert tf.reshape(tf.identity(bad), [1, 1]).shape == (1, 1)
    assert tf.math.log(2.0).numpy() == pytest.approx(0.6931472)
    tf.debugging.disable_check_numerics()
    assert str(tf.math.log(-1.0).numpy()) == "nan"


def test_limits_of_a_list_of_frames_are_refused():
    with pytest.raises(NotImplementedError, match="stack_height_limit"):
        tf.debugging.enable_check_numerics(10)
