"""`tf.recompute_grad`: the value is computed once more for the gradient."""

from __future__ import annotations

from tests.autodiff.reading import values
from tests.autodiff.subject import tf


def test_gradient_is_that_of_the_function():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(lambda t: tf.sin(t) * t)(x)
    assert values(tape.gradient(y, x)) == [1.3818, 0.077004]


def test_function_is_called_again_for_the_gradient():
    calls = []

    def fn(x):
        calls.append(1)
        return x * x

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(fn)(x)
    assert len(calls) == 1
    assert values(tape.gradient(y, x)) == 4.0
    assert len(calls) == 2


def test_variables_have_gradients():
    w = tf.Variable([[0.5, -0.25], [0.75, 1.0]])
    b = tf.Variable([0.5, -0.5])
    x = tf.constant([[1.0, -1.0]])
    layer = tf.recompute_grad(lambda t: tf.tanh(tf.matmul(t, w) + b))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(layer(layer(x)))
    assert values(tape.gradient(y, [x, w, b])) == [
        [[0.18593, 0.42359]],
        [[0.66769, 0.14929], [-1.3593, -0.27455]],
        [1.4175, 0.28509],
    ]


def test_variable_as_argument():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.recompute_grad(lambda t: t * t)(v)
    assert values(tape.gradient(y, v)) == 6.0


def test_several_arguments_and_keywords():
    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tf.recompute_grad(lambda s, t, factor: s * s * t * factor)(a, b, factor=10.0)
    assert values(tape.gradient(y, [a, b])) == [120.0, 40.0]


def test_several_results():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, b = tf.recompute_grad(lambda t: (t * t, t * t * t))(x)
        y = a + 10.0 * b
    assert values(tape.gradient(y, x)) == 124.0


def test_integer_argument():
    x, n = tf.constant(2.0), tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(lambda t, k: t * t * tf.cast(k, tf.float32))(x, n)
    assert values(tape.gradient(y, x)) == 12.0


def test_second_order():
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.recompute_grad(lambda t: t * t * t)(x)
        g = inner.gradient(y, x)
    assert values(g) == 12.0
    assert values(outer.gradient(g, x)) == 12.0


def test_nested_recomputation():
    x = tf.constant(2.0)
    inner = tf.recompute_grad(lambda t: t * t)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(lambda t: inner(t) * t)(x)
    assert values(tape.gradient(y, x)) == 12.0


def test_value_without_a_tape():
    assert values(tf.recompute_grad(lambda t: t * t)(tf.constant(3.0))) == 9.0


def test_variable_assigned_between_value_and_gradient():
    v = tf.Variable(3.0)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(lambda t: t * t * v)(x)
    v.assign(100.0)
    assert values(tape.gradient(y, x)) == 400.0


def test_loop_of_steps():
    v = tf.Variable(2.0)
    block = tf.recompute_grad(lambda t: t * v)
    for _ in range(4):
        with tf.GradientTape() as tape:
            y = block(block(tf.constant(1.0)))
        v.assign_sub(tape.gradient(y, v) * 0.1)
    assert values(v.value()) == 0.8192


def test_argument_that_is_not_used_has_zeros():
    a, b, n = tf.constant(2.0), tf.constant([3.0, 4.0]), tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tf.recompute_grad(lambda p, _, __: p * p)(a, b, n)
    assert values(tape.gradient(y, [a, b, n])) == [4.0, [0.0, 0.0], None]


def test_python_number_as_argument():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(lambda t, n: t * t * float(n))(x, 3)
    assert values(tape.gradient(y, x)) == 12.0
