"""`tf.autodiff.ForwardAccumulator`: Jacobian-vector products."""

from __future__ import annotations

import numpy as np
import pytest

from tests.autodiff.reading import values
from tests.autodiff.subject import tf

Forward = tf.autodiff.ForwardAccumulator


def test_product_with_a_direction():
    x = tf.constant([1.0, 2.0])
    with Forward(x, tf.constant([1.0, 10.0])) as acc:
        y = x * x
    assert values(acc.jvp(y)) == [2.0, 40.0]


def test_product_for_a_variable():
    v = tf.Variable([1.0, 2.0])
    with Forward(v, tf.constant([1.0, 10.0])) as acc:
        y = tf.reduce_sum(v * v)
    assert values(acc.jvp(y)) == 42.0


def test_product_for_several_primals():
    v, x = tf.Variable(2.0), tf.constant(3.0)
    with Forward([v, x], [tf.constant(1.0), tf.constant(10.0)]) as acc:
        y = v * v * x
    assert values(acc.jvp(y)) == 52.0


def test_product_inside_the_context():
    x = tf.constant(2.0)
    with Forward(x, tf.constant(1.0)) as acc:
        y = x * x * x
        assert values(acc.jvp(y)) == 12.0
        z = y * x
    assert values(acc.jvp(z)) == 32.0


def test_products_of_a_structure():
    x = tf.constant(2.0)
    with Forward(x, tf.constant(1.0)) as acc:
        found = {"a": x * x, "b": [x, tf.constant(1.0)]}
    assert values(acc.jvp(found)) == {"a": 4.0, "b": [1.0, None]}


def test_product_of_the_primal_is_the_direction():
    x = tf.constant(2.0)
    with Forward(x, tf.constant(7.0)) as acc:
        x * x
    assert values(acc.jvp(x)) == 7.0


def test_product_of_something_else_is_none_or_zeros():
    x, z = tf.constant(2.0), tf.constant([1.0, 2.0])
    with Forward(x, tf.constant(7.0)) as acc:
        x * x
        y = z * z
    assert acc.jvp(y) is None
    assert values(acc.jvp(y, unconnected_gradients=tf.UnconnectedGradients.ZERO)) == [0.0, 0.0]
    assert values(acc.jvp(y, unconnected_gradients="zero")) == [0.0, 0.0]


def test_unknown_mode_is_a_value_error():
    x = tf.constant(2.0)
    with Forward(x, tf.constant(7.0)) as acc:
        y = x * x
    with pytest.raises(ValueError, match="ZERO"):
        acc.jvp(y, unconnected_gradients="ZERO")


def test_product_through_an_op_without_gradient_is_none():
    x = tf.constant(2.5)
    with Forward(x, tf.constant(7.0)) as acc:
        y = tf.stop_gradient(x * x)
    assert acc.jvp(y) is None


def test_product_through_a_sign_is_none():
    x = tf.constant([1.0, -2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        directions = tf.sign(x * x)
        sizes = tf.abs(x)
    assert accumulator.jvp(directions) is None
    assert accumulator.jvp(sizes).numpy().tolist() == [1.0, -1.0]


def test_product_through_a_mean_of_nothing_is_zero():
    x = tf.zeros([0, 2])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        means = tf.reduce_mean(x, 0), tf.math.reduce_variance(x, 0)
    assert [bool(tf.reduce_all(tf.math.is_nan(mean))) for mean in means] == [True, True]
    assert [accumulator.jvp(mean).numpy().tolist() for mean in means] == [[0.0, 0.0]] * 2


def test_product_of_an_integer_is_none():
    x = tf.constant(2.5)
    with Forward(x, tf.constant(7.0)) as acc:
        y = tf.cast(x, tf.int32)
    assert acc.jvp(y) is None


def test_same_primal_twice_is_a_value_error():
    x = tf.constant(2.0)
    with pytest.raises(ValueError, match="specified as a primal multiple times"):
        Forward([x, x], [tf.constant(1.0), tf.constant(1.0)])


def test_direction_of_another_structure_is_an_error():
    x = tf.constant(2.0)
    with pytest.raises((ValueError, TypeError)):
        Forward([x], tf.constant(1.0))


def test_direction_of_another_shape_is_a_value_error():
    x = tf.constant([1.0, 2.0])

    def product():
        with Forward(x, tf.constant([1.0, 2.0, 3.0])) as acc:
            y = x * x
        return acc.jvp(y)

    with pytest.raises(ValueError, match=r"shape|equal"):
        product()


def test_scalar_direction_is_broadcast():
    x = tf.constant([1.0, 2.0])
    with Forward(x, tf.constant(1.0)) as acc:
        y = x * x
    assert values(acc.jvp(y)) == [2.0, 4.0]


def test_direction_of_another_dtype_is_a_value_error():
    x = tf.constant([1.0, 2.0])

    def product():
        with Forward(x, tf.constant([1.0, 2.0], tf.float64)) as acc:
            y = x * x
        return acc.jvp(y)

    with pytest.raises(ValueError, match="dtype"):
        product()


def test_value_as_primal_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'float' object has no attribute 'dtype'"):
        Forward(2.0, 1.0)


def test_integer_primal_has_no_product():
    n = tf.constant([1, 2])
    with Forward(n, tf.constant([1, 1])) as acc:
        y = n * n
    assert acc.jvp(y) is None


def test_product_before_the_context_is_the_direction():
    assert values(Forward(tf.constant(2.0), tf.constant(7.0)).jvp(tf.constant(1.0))) is None
    x = tf.constant(2.0)
    assert values(Forward(x, tf.constant(7.0)).jvp(x)) == 7.0


def test_product_taken_after_an_outer_tape_ended():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with Forward(x, tf.constant(1.0)) as acc:
            y = x * x * x
    assert values(tape.gradient(acc.jvp(y), x)) == 12.0


def test_product_taken_after_an_outer_accumulator_ended():
    x = tf.constant(2.0)
    one = tf.constant(1.0)
    with Forward(x, one) as outer, Forward(x, one) as inner:
        y = x * x * x
    assert values(outer.jvp(inner.jvp(y))) == 12.0


def test_entering_twice_is_a_value_error():
    acc = Forward(tf.constant(1.0), tf.constant(1.0))
    with acc, pytest.raises(ValueError, match="Accumulator is already recording"):
        acc.__enter__()


def test_reentered_accumulator_goes_on():
    x = tf.constant(3.0)
    acc = Forward(x, tf.constant(1.0))
    with acc:
        y = x * x
    z = y * 10.0
    with acc:
        w = y * x + z
    assert values(acc.jvp(w)) == 27.0
    assert acc.jvp(z) is None


def test_product_after_a_read_in_the_middle():
    x = tf.constant(2.0)
    with Forward(x, tf.constant(1.0)) as acc:
        y = x * x
        assert values(y) == 4.0
        z = y * x
    assert values(acc.jvp(z)) == 12.0


def test_product_keeps_the_dtype():
    x = tf.constant(2.0, tf.float64)
    with Forward(x, tf.constant(1.0, tf.float64)) as acc:
        y = x * x
    assert acc.jvp(y).dtype == tf.float64


def test_product_of_several_outputs():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with Forward(x, tf.constant([1.0, 10.0, 100.0, 1000.0])) as acc:
        a, b = tf.split(x, 2)
        y = a * b
    assert values(acc.jvp([a, b, y])) == [[1.0, 10.0], [100.0, 1000.0], [103.0, 2040.0]]


def test_accumulators_inside_one_another():
    x = tf.constant(2.0)
    one = tf.constant(1.0)
    with Forward(x, one) as outer:
        with Forward(x, one) as inner:
            y = x * x * x
        first = inner.jvp(y)
    assert values(first) == 12.0
    assert values(outer.jvp(first)) == 12.0


def test_accumulators_of_two_directions():
    v, x = tf.Variable(2.0), tf.constant(3.0)
    with Forward(v, tf.constant(1.0)) as a, Forward(x, tf.constant(1.0)) as b:
        y = v * v * x
    assert values(a.jvp(y)) == 12.0
    assert values(b.jvp(y)) == 4.0


def test_forward_over_reverse_is_a_hessian_vector_product():
    x = tf.constant([1.0, 2.0])
    with Forward(x, tf.constant([1.0, 10.0])) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x * x)
        g = tape.gradient(y, x)
    assert values(g) == [3.0, 12.0]
    assert values(acc.jvp(g)) == [6.0, 120.0]


def test_forward_over_reverse_for_variables():
    w, b = tf.Variable([[1.0], [2.0]]), tf.Variable([0.5])
    x = tf.constant([[1.0, -1.0], [0.5, 2.0]])
    with Forward(w, tf.constant([[1.0], [0.0]])) as acc:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sigmoid(tf.matmul(x, w) + b))
        grads = tape.gradient(loss, [w, b])
    assert values(acc.jvp(grads)) == [[[0.055917], [-0.064116]], [0.054277]]


def test_reverse_over_forward():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with Forward(x, tf.constant([1.0, 10.0])) as acc:
            y = tf.reduce_sum(x * x * x)
        product = acc.jvp(y)
    assert values(product) == 123.0
    assert values(tape.gradient(product, x)) == [6.0, 120.0]


def test_reverse_over_forward_for_the_direction():
    x, direction = tf.constant([1.0, 2.0]), tf.constant([1.0, 10.0])
    with tf.GradientTape() as tape:
        tape.watch(direction)
        with Forward(x, direction) as acc:
            y = tf.reduce_sum(x * x * x)
        product = acc.jvp(y)
    assert values(tape.gradient(product, direction)) == [3.0, 12.0]


def test_tape_recorded_beside_an_accumulator():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape, Forward(x, tf.constant(1.0)) as acc:
        tape.watch(x)
        y = x * x * x
    assert values(acc.jvp(y)) == 12.0
    assert values(tape.gradient(y, x)) == 12.0


def test_product_through_a_custom_gradient():
    @tf.custom_gradient
    def fn(x):
        return x * x, lambda upstream: upstream * 100.0 * x

    x = tf.constant([3.0, 2.0])
    with Forward(x, tf.constant([1.0, 10.0])) as acc:
        y = fn(x) * 2.0
    assert values(acc.jvp(y)) == [12.0, 80.0]


def test_forward_over_reverse_through_a_custom_gradient():
    @tf.custom_gradient
    def fn(x):
        return x * x, lambda upstream: upstream * x * x * x

    x = tf.constant(2.0)
    with Forward(x, tf.constant(1.0)) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x)
        g = tape.gradient(y, x)
    assert values(g) == 8.0
    assert values(acc.jvp(g)) == 12.0


def test_product_through_a_gather():
    table = tf.Variable([[1.0], [2.0], [3.0]])
    with Forward(table, tf.constant([[1.0], [10.0], [100.0]])) as acc:
        y = tf.gather(table, [2, 2, 0]) ** 2.0
    assert values(acc.jvp(y)) == [[600.0], [600.0], [2.0]]


def test_variable_assigned_in_the_context():
    v = tf.Variable(3.0)
    with Forward(v, tf.constant(1.0)) as acc:
        y = v * v
        v.assign(5.0)
        z = v * v
    assert values(acc.jvp(y)) == 6.0
    assert values(acc.jvp(z)) == 10.0


def test_complex_product():
    z = tf.constant(1 + 2j)
    with Forward(z, tf.constant(1 + 0j)) as acc:
        w = z * z
    assert values(acc.jvp(w)) == 2 + 4j


@tf.custom_gradient
def constant(x):
    del x
    return 1.0, lambda upstream: upstream * 3.0


@tf.custom_gradient
def straight_through(x):
    return tf.round(x), lambda upstream: upstream


@tf.custom_gradient
def sine_of_numpy(x):
    return np.sin(x.numpy()), lambda upstream: upstream * tf.cos(x)


@tf.custom_gradient
def partly(x):
    return (x * 2.0, tf.constant(5.0)), lambda of_product, of_constant: of_product * 10.0 + of_constant * 100.0


@pytest.mark.parametrize(
    ("function", "expected"),
    [(constant, 3.0), (straight_through, 1.0), (sine_of_numpy, np.cos(1.5)), (partly, [2.0, 100.0])],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_results_that_no_op_derives_have_the_tangents_of_the_custom_gradient(function, expected):
    x = tf.constant(1.5)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = function(x)
    np.testing.assert_allclose([part.numpy() for part in tf.nest.flatten(accumulator.jvp(y))], np.ravel(expected), 1e-6)


def test_second_derivatives_through_a_custom_gradient():
    x, one = tf.constant(1.0), tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, one) as outer, tf.autodiff.ForwardAccumulator(x, one) as inner:
        y = sine_of_numpy(x)
    assert outer.jvp(inner.jvp(y)).numpy() == pytest.approx(-np.sin(1.0))
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, one) as inner:
            y = sine_of_numpy(x)
    assert tape.gradient(inner.jvp(y), x).numpy() == pytest.approx(-np.sin(1.0))
    with tf.autodiff.ForwardAccumulator(x, one) as outer:
        y = constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = constant(x)
    assert outer.jvp(tape.gradient(z, x)) is None


def test_custom_gradient_of_a_function_that_reads_a_variable():
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def product(x):
        def gradient(upstream, variables=None):
            return upstream * 10.0, [upstream * 20.0 for _ in variables]

        return tf.stop_gradient(x * v), gradient

    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator([x, v], [tf.constant(1.0), tf.constant(1.0)]) as accumulator:
        y = product(x)
    assert accumulator.jvp(y).numpy() == 30.0
