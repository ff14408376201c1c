"""Jacobians and batch jacobians."""

from __future__ import annotations

import numpy as np
import pytest

from tests.autodiff.reading import values
from tests.autodiff.subject import tf

FULL = [[2.0, 0.0], [0.0, 4.0]]
NOT_PERSISTENT = (
    "GradientTape must be created with persistent=True to compute the %s with eager execution enabled and +with +"
    "experimental_use_pfor set to False."
)


def squares(**options):
    """A tape, the squares of [1, 2] that it recorded, and [1, 2]."""
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(**options) as tape:
        tape.watch(x)
        y = x * x
    return tape, y, x


def test_jacobian_of_squares():
    tape, y, x = squares()
    assert values(tape.jacobian(y, x)) == FULL


def test_jacobian_has_the_shapes_of_target_and_source():
    x = tf.ones([2, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.matmul(x, tf.ones([3, 4]))
    assert tape.jacobian(y, x).shape == (2, 4, 2, 3)


def test_jacobian_of_a_scalar_is_the_gradient():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    assert values(tape.jacobian(y, x)) == [2.0, 4.0]


def test_jacobian_for_a_scalar_source():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stack([x * x, x * x * x])
    assert values(tape.jacobian(y, x)) == [4.0, 12.0]


def test_jacobian_by_loop_is_the_same():
    tape, y, x = squares(persistent=True)
    assert values(tape.jacobian(y, x, experimental_use_pfor=False)) == FULL
    assert values(tape.jacobian(y, x, experimental_use_pfor=False, parallel_iterations=2)) == FULL


def test_jacobian_by_loop_needs_a_persistent_tape():
    tape, y, x = squares()
    with pytest.raises(RuntimeError, match=NOT_PERSISTENT % "jacobian"):
        tape.jacobian(y, x, experimental_use_pfor=False)
    assert values(tape.gradient(y, x)) == [2.0, 4.0]


def test_jacobian_for_nested_sources():
    x, v, unused = tf.constant([1.0, 2.0]), tf.Variable([3.0]), tf.Variable([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * v
    found = tape.jacobian(y, {"x": x, "more": (v, unused)})
    assert values(found) == {"x": [[3.0, 0.0], [0.0, 3.0]], "more": ([[1.0], [2.0]], None)}


def test_jacobian_of_a_list_is_an_attribute_error():
    tape, y, x = squares()
    with pytest.raises(AttributeError, match="'list' object has no attribute 'shape'"):
        tape.jacobian([y], x)


def test_jacobian_of_none_is_an_error():
    tape, _, x = squares()
    with pytest.raises((AttributeError, TypeError)):
        tape.jacobian(None, x)


def test_jacobian_of_a_variable_is_the_identity():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        v * v
    assert values(tape.jacobian(v, v)) == [[1.0, 0.0], [0.0, 1.0]]


def test_jacobian_of_a_target_that_no_tape_follows_is_none():
    x, v = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0], trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        pass
    assert tape.jacobian(x, x) is None
    assert tape.jacobian(v, v) is None
    assert values(tape.gradient(x, x)) == [1.0, 1.0]


def test_jacobian_of_a_variable_nobody_read_is_the_identity():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        pass
    assert values(tape.jacobian(v, v)) == [[1.0, 0.0], [0.0, 1.0]]


def test_jacobian_of_something_else_is_none():
    tape, y, _ = squares()
    assert tape.jacobian(y, tf.constant([1.0])) is None


def test_jacobian_of_an_integer_target():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.int32)
    assert tape.jacobian(y, x) is None


def test_jacobian_through_a_gather_is_dense():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [2, 0, 2]) ** 2.0, axis=1)
    assert values(tape.jacobian(y, table)) == [
        [[0.0, 0.0], [0.0, 0.0], [10.0, 12.0]],
        [[2.0, 4.0], [0.0, 0.0], [0.0, 0.0]],
        [[0.0, 0.0], [0.0, 0.0], [10.0, 12.0]],
    ]


def test_jacobian_of_a_complex_target():
    z = tf.constant([1 + 2j, 3 + 0j])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = z * z
    assert values(tape.jacobian(y, z)) == [[2 - 4j, 0j], [0j, 6 + 0j]]


def test_jacobian_of_an_empty_target():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[:0]
    assert tape.jacobian(y, x).shape == (0, 2)


def test_jacobian_for_an_intermediate():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        m = x * 3.0
        y = m * m
    assert values(tape.jacobian(y, [m, x])) == [[[6.0, 0.0], [0.0, 12.0]], [[18.0, 0.0], [0.0, 36.0]]]


def test_jacobian_inside_an_outer_tape_is_differentiated():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        j = inner.jacobian(y, x)
    assert values(j) == [[3.0, 0.0], [0.0, 12.0]]
    assert values(outer.gradient(j, x)) == [6.0, 12.0]


def test_jacobian_of_a_jacobian():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * tf.reduce_sum(x)
        j = inner.jacobian(y, x)
    assert values(outer.jacobian(j, x)) == [
        [[10.0, 2.0], [2.0, 0.0]],
        [[0.0, 4.0], [4.0, 14.0]],
    ]


def test_jacobian_inside_the_context_of_a_persistent_tape():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        j = tape.jacobian(y, x)
    assert values(tape.gradient(j, x)) == [6.0, 12.0]


def test_jacobian_of_a_linear_map_has_no_second_derivative():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * 3.0
        j = inner.jacobian(y, x)
    assert values(j) == [[3.0, 0.0], [0.0, 3.0]]
    assert outer.gradient(j, x) is None


def nested(fn):
    """The jacobian of `fn` at [0.5, 2], and the gradient of that."""
    x = tf.constant([0.5, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = fn(x)
        j = inner.jacobian(y, x)
    return values(j), values(outer.gradient(j, x))


def test_second_derivative_of_a_jacobian_through_a_flat_op():
    zeros = [[0.0, 0.0], [0.0, 0.0]]
    assert nested(lambda x: tf.sign(x) * 2.0) == (zeros, None)
    assert nested(lambda x: tf.sign(x * x)) == (zeros, [0.0, 0.0])
    assert nested(lambda x: tf.round(x) * x) == ([[0.0, 0.0], [0.0, 2.0]], None)


def test_second_derivative_of_a_jacobian_for_a_variable_that_was_not_followed_when_it_was_read():
    v = tf.Variable([1.0, 2.0], trainable=False)
    with tf.GradientTape(watch_accessed_variables=False) as outer:
        with tf.GradientTape() as inner:
            inner.watch(v)
            y = v * v * v
        outer.watch(v)
        j = inner.jacobian(y, v)
    assert values(j) == [[3.0, 0.0], [0.0, 12.0]]
    assert outer.gradient(j, v) is None


def test_jacobian_and_gradient_of_one_tape():
    tape, y, x = squares(persistent=True)
    assert values([tape.jacobian(y, x), tape.gradient(y, x), tape.jacobian(y, x)]) == [FULL, [2.0, 4.0], FULL]


def test_jacobian_reads_numbers_that_change():
    found = []
    for rate in (2.0, 3.0):
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * rate
        found.append(values(tape.jacobian(y, x)))
    assert found == [[[2.0, 0.0], [0.0, 2.0]], [[3.0, 0.0], [0.0, 3.0]]]


def test_jacobian_after_a_read_in_the_middle():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        m = x * x
        assert values(m) == [1.0, 4.0]
        y = m * x
    assert values(tape.jacobian(y, x)) == [[3.0, 0.0], [0.0, 12.0]]


def rows(**options):
    """A tape, targets of shape [3, 2] that it recorded, and their source of shape [3, 2]."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape(**options) as tape:
        tape.watch(x)
        y = x * x * tf.reduce_sum(x, axis=1, keepdims=True)
    return tape, y, x


BATCHED = [
    [[7.0, 1.0], [4.0, 16.0]],
    [[51.0, 9.0], [16.0, 72.0]],
    [[135.0, 25.0], [36.0, 168.0]],
]


def test_batch_jacobian():
    tape, y, x = rows()
    assert values(tape.batch_jacobian(y, x)) == BATCHED


def test_batch_jacobian_uses_the_tape_up():
    tape, y, x = rows()
    tape.batch_jacobian(y, x)
    with pytest.raises(RuntimeError, match="A non-persistent GradientTape can only be used tocompute one set"):
        tape.batch_jacobian(y, x)


def test_batch_jacobian_by_loop_is_the_same():
    tape, y, x = rows(persistent=True)
    assert values(tape.batch_jacobian(y, x, experimental_use_pfor=False)) == BATCHED


def test_batch_jacobian_by_loop_needs_a_persistent_tape():
    tape, y, x = rows()
    with pytest.raises(RuntimeError, match=NOT_PERSISTENT % "batch_jacobian"):
        tape.batch_jacobian(y, x, experimental_use_pfor=False)


def test_batch_jacobian_of_higher_rank():
    x = tf.reshape(tf.range(12.0), [2, 3, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x, axis=1)
    found = tape.batch_jacobian(y, x)
    assert found.shape == (2, 2, 3, 2)
    assert values(found[1]) == [
        [[12.0, 0.0], [16.0, 0.0], [20.0, 0.0]],
        [[0.0, 14.0], [0.0, 18.0], [0.0, 22.0]],
    ]


def test_batch_jacobian_of_a_vector_is_a_value_error():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = tf.stack([x, x], axis=1)
    with pytest.raises(ValueError, match=r"must have rank at least 2"):
        tape.batch_jacobian(y, x)
    with pytest.raises(ValueError, match=r"must have rank at least 2"):
        tape.batch_jacobian(z, x)


def test_batch_jacobian_of_a_scalar_is_an_index_error():
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x)
    with pytest.raises(IndexError):
        tape.batch_jacobian(y, x)


def test_batch_jacobian_of_other_first_dimensions_is_a_value_error():
    x = tf.ones([3, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.concat([x, x], axis=0)
    with pytest.raises(ValueError, match=r"Need first dimension of target shape \(.*6, .*\) and source shape"):
        tape.batch_jacobian(y, x)


def test_batch_jacobian_of_something_else_is_zeros():
    x, z = tf.ones([3, 2]), tf.ones([3, 4], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, z])
        y = x * x
    found = tape.batch_jacobian(y, z)
    assert found.shape == (3, 2, 4)
    assert values(tf.reduce_sum(found)) == 0.0
    assert tape.batch_jacobian(y, z, experimental_use_pfor=False).shape == (3, 2, 4)
    assert tape.batch_jacobian(y, z, unconnected_gradients="zero").shape == (3, 2, 4)


def test_batch_jacobian_for_a_variable():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = v * v
    assert values(tape.batch_jacobian(y, v)) == [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]


def test_batch_jacobian_inside_an_outer_tape_is_differentiated():
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        j = tf.reduce_sum(inner.batch_jacobian(y, x), axis=2)
    assert values(outer.batch_jacobian(j, x)) == [[[6.0, 0.0], [0.0, 12.0]]]


def test_jacobian_through_a_custom_gradient():
    @tf.custom_gradient
    def cube(x):
        return x * x * x, lambda upstream: upstream * 100.0 * x

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x * 2.0)
    assert values(tape.jacobian(y, x)) == [[400.0, 0.0], [0.0, 800.0]]


def test_batch_jacobian_through_a_custom_gradient():
    @tf.custom_gradient
    def total(x):
        return tf.reduce_sum(x, axis=1, keepdims=True) * x, lambda upstream: upstream * 100.0

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = total(x) * 2.0
    assert values(tape.batch_jacobian(y, x)) == [[[200.0, 0.0], [0.0, 200.0]]] * 2


@tf.custom_gradient
def signed_squares(x):
    """The squares of x, with a gradient that reads the upstream gradient."""

    def grad(upstream):
        return upstream * 2.0 * x if float(tf.reduce_sum(upstream)) > 0.0 else upstream * 0.0

    return x * x, grad


def test_jacobian_by_loop_goes_through_a_custom_gradient_that_reads_values():
    v, other = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = signed_squares(v)[:1] * [[3.0, -3.0]]
    got = tape.jacobian(y, {"a": v, "b": other}, experimental_use_pfor=False)
    assert values(got["a"]) == [[[[6.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]]
    assert got["b"] is None
    zeros = tape.jacobian(y, [other], "zero", experimental_use_pfor=False)
    assert values(zeros[0]) == [[0.0, 0.0]]


def test_batch_jacobian_by_loop_goes_through_a_custom_gradient_that_reads_values():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as tape:
            y = signed_squares(v) ** 2.0
        got = tape.batch_jacobian(y, v, experimental_use_pfor=False)
    assert values(got) == [[[4.0, 0.0], [0.0, 32.0]], [[108.0, 0.0], [0.0, 256.0]], [[500.0, 0.0], [0.0, 864.0]]]
    assert values(outer.gradient(got, v)) == [[12.0, 48.0], [108.0, 192.0], [300.0, 432.0]]


def test_jacobian_of_all_rows_goes_through_no_custom_gradient_that_reads_values():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = signed_squares(v)
    # TensorFlow calls the function under vectorized_map, where it can't read values either.
    with pytest.raises((NotImplementedError, TypeError), match=r"must not read values|float\(\) argument must be"):
        tape.jacobian(y, v)


def test_jacobian_through_a_custom_gradient_that_reads_no_upstream():
    @tf.custom_gradient
    def square(x):
        return x * x, lambda _: x * 7.0

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = square(x)
        z = square(x * 2.0)
    assert values(tape.jacobian(y, x)) == [[7.0, 14.0], [7.0, 14.0]]
    assert values(tape.jacobian(z, x)) == [[28.0, 56.0], [28.0, 56.0]]


def test_jacobian_through_a_custom_gradient_that_calls_a_function_with_a_number():
    @tf.function
    def doubled(x):
        return tf.constant(2.0) * x * x

    @tf.custom_gradient
    def cube(x):
        return x**3, lambda upstream: upstream * doubled(x) * 1.5

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
    np.testing.assert_array_equal(tape.jacobian(y, x), [[3.0, 0.0], [0.0, 12.0]])


def test_bad_index_in_a_custom_gradient_of_a_jacobian_is_refused():
    @tf.custom_gradient
    def square(x):
        return x * x, lambda upstream: tf.gather(upstream, tf.cast(x, tf.int32) + 1)

    x = tf.constant([0.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = square(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
        values(tape.jacobian(y, x))


def test_jacobian_through_recompute_grad():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(lambda t: t * t * t)(x)
    assert values(tape.jacobian(y, x)) == [[3.0, 0.0], [0.0, 12.0]]


def test_jacobian_through_a_custom_gradient_inside_an_outer_tape():
    @tf.custom_gradient
    def cube(x):
        return x * x * x, lambda upstream: upstream * 100.0 * x * x

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        j = inner.jacobian(y, x)
    assert values(j) == [[100.0, 0.0], [0.0, 400.0]]
    assert values(outer.gradient(j, x)) == [200.0, 400.0]


def test_zeros_of_a_jacobian_meet_infinity():
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.sinh(x / tf.constant([0.0, 1.0]))
    for rows in (tape.jacobian(y, x)[0, :, 0], tape.batch_jacobian(y, x)[0]):
        assert np.array_equal(np.isnan(rows), [[False, False], [True, False]])
        assert np.allclose(rows[:, 1], [0.0, 3.7621958])
