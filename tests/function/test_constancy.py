"""While a function is traced, shapes may depend on values computed from constants and shapes."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system.counter import counts

X = tf.reshape(tf.range(40.0), [20, 2])
V = tf.ones([2, 3])
DIMS = (2, 3)
# How many rows, computed of the shape (2, 3) in TensorFlow's way, and what that is.
COUNTS = {
    "reduce_prod": (lambda dims: tf.reduce_prod(dims), 6),
    "reduce_prod along an axis": (lambda dims: tf.reduce_prod(dims, axis=-1), 6),
    "reduce_prod of a list": (lambda dims: tf.reduce_prod([dims[0], 2]), 4),
    "reduce_prod of nothing": (lambda dims: tf.reduce_prod(dims[2:]), 1),
    "reduce_sum": (lambda dims: tf.reduce_sum(dims), 5),
    "reduce_sum that keeps axes": (lambda dims: tf.reduce_sum(dims, keepdims=True)[0], 5),
    "reduce_max": (lambda dims: tf.reduce_max(dims), 3),
    "reduce_min": (lambda dims: tf.reduce_min(dims), 2),
    "reduce_mean": (lambda dims: tf.reduce_mean(dims), 2),
    "reduce_all": (lambda dims: 1 + tf.cast(tf.reduce_all(dims > 1), tf.int32), 2),
    "cast": (lambda dims: tf.cast(tf.cast(dims[1], tf.int64) * 2, tf.int32), 6),
    "cast of a quotient": (lambda dims: tf.cast(dims[1] / 2, tf.int32), 1),
    "square root": (lambda dims: tf.cast(tf.sqrt(tf.cast(dims[0] * 2, tf.float32)), tf.int32), 2),
    "square": (lambda dims: tf.square(dims[0]), 4),
    "power": (lambda dims: dims[0] ** 2, 4),
    "abs": (lambda dims: tf.abs(-dims[0]), 2),
    "where": (lambda dims: tf.where(dims[0] > 1, 3, 4), 3),
    "cumsum": (lambda dims: tf.cumsum(dims)[1], 5),
    "split": (lambda dims: tf.split(dims, 2)[1][0], 3),
    "tile": (lambda dims: tf.reduce_sum(tf.tile(dims, [2])), 10),
    "scatter": (lambda dims: tf.tensor_scatter_nd_update(dims, [[0]], [4])[0], 4),
    "constant": (lambda _: tf.reduce_max(tf.constant([1.0, 4.5])) // 1.0, 4),
}
SHAPED = {
    "reshape": lambda x, dims: tf.reshape(x, [tf.reduce_prod(dims[:-1]), dims[-1]]),
    "reshape to a stack": lambda x, dims: tf.reshape(x, tf.stack([tf.reduce_prod(dims), 1])),
    "zeros": lambda x, dims: tf.zeros(tf.cast(tf.cast(dims, tf.float32) * 2.0, tf.int32)) + x[0, 0],
    "range": lambda x, dims: tf.cast(tf.range(tf.reduce_prod(dims)), tf.float32) + x[0, 0],
    "broadcast_to": lambda x, dims: tf.broadcast_to(x[0, 0], tf.maximum(dims, dims * 2)),
    "tile": lambda x, dims: tf.tile(x[0], [tf.reduce_max(dims)]),
    "slice": lambda x, dims: tf.slice(x, [0, 0], tf.stack([1, tf.reduce_min(dims)])),
    "one_hot": lambda x, dims: tf.one_hot(0, tf.reduce_sum(tf.square(dims))) + x[0, 0],
    "sequence_mask": lambda x, dims: tf.cast(tf.sequence_mask(tf.cumsum(dims)), tf.float32) + x[0, 0],
    "broadcast_dynamic_shape": lambda x, dims: tf.fill(
        tf.broadcast_dynamic_shape(tf.cumsum([2, 0]), dims[:1]), x[0, 0]
    ),
    "ragged rows": lambda x, _: tf.RaggedTensor.from_row_lengths(x, tf.cumsum([1, 0])).to_tensor() + 0 * x[0, 0],
}


def _whole(count):
    return tf.cast(count, tf.int32)


@pytest.mark.parametrize("name", COUNTS)
def test_rows_from_a_position_on(name):
    count, want = COUNTS[name]
    part = tf.function(lambda start: X[start : start + _whole(count(tf.shape(V)))], autograph=False)
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = part(tf.constant(3))
    np.testing.assert_array_equal(y, X.numpy()[3 : 3 + want])
    expected = np.zeros((20, 2))
    expected[3 : 3 + want] = 1
    np.testing.assert_array_equal(tape.gradient(y, X), expected)


@pytest.mark.parametrize("name", COUNTS)
def test_rows_up_to_a_number(name):
    count, want = COUNTS[name]
    part = tf.function(lambda x: x[: _whole(count(tf.shape(V)))] + x[-_whole(count(tf.shape(V))) :], autograph=False)
    np.testing.assert_array_equal(part(X), X.numpy()[:want] + X.numpy()[-want:])


@pytest.mark.parametrize("name", SHAPED)
def test_shape(name):
    made = SHAPED[name]
    found = tf.function(lambda x: made(x, tf.shape(x)), autograph=False)(V)
    np.testing.assert_array_equal(found, made(V, tf.shape(V)))


def test_batches_of_a_loop():
    @tf.function
    def total(x):
        size = tf.reduce_prod(tf.shape(V))
        sums = tf.constant(0.0)
        for i in tf.range(3):
            sums += tf.reduce_sum(x[i * size : (i + 1) * size]) * tf.cast(i, tf.float32)
        return sums

    assert total(X).numpy() == sum(k * X.numpy()[6 * k : 6 * k + 6].sum() for k in range(3))


def test_value_of_an_argument_is_not_constant():
    zeros = tf.function(lambda n: tf.zeros([tf.reduce_prod(tf.stack([n, 2]))]), autograph=False)
    assert [zeros(tf.constant(n)).shape.as_list() for n in (2, 1, 2)] == [[4], [2], [4]]
    with pytest.raises(NotImplementedError, match="decides a shape"):
        zeros.get_concrete_function(tf.constant(2)).jaxpr()


def test_value_of_a_variable_is_not_constant():
    v = tf.Variable([2, 3])
    zeros = tf.function(lambda: tf.zeros([tf.reduce_prod(tf.square(v))]), autograph=False)
    assert zeros().shape == [36]
    v.assign([1, 2])
    assert zeros().shape == [4]
    with pytest.raises(NotImplementedError, match="decides a shape"):
        zeros.get_concrete_function().jaxpr()


@pytest.mark.parametrize("function", [tf.reduce_prod, tf.reduce_sum, tf.reduce_max, tf.reduce_min])
def test_reductions_of_small_integers_stay_on_the_host(function):
    before = counts.flushes
    assert tf.zeros([function(tf.shape(V))]).shape[0] == getattr(np, function.__name__[7:])(DIMS)
    assert counts.flushes == before
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.shape(V), axis=1)


def test_sum_of_small_integers_wraps():
    assert tf.reduce_sum(tf.constant([127, 1], tf.int8)).numpy() == -128
    assert tf.reduce_prod(tf.constant([2**31 - 1, 2])).numpy() == -2


def test_extremes_of_no_integers_are_the_limits():
    nothing = tf.zeros([0], tf.int32)
    assert tf.reduce_max(nothing).numpy() == -(2**31)
    assert tf.reduce_min(nothing).numpy() == 2**31 - 1


def test_constants_are_computed_without_a_compiler():
    compiled = []
    jax.monitoring.register_event_duration_secs_listener(lambda event, *_, **__: compiled.append(event))

    @tf.function
    def function(x):
        last = tf.shape(x)[-1:]
        return tf.ones(tf.gather(tf.concat([last, tf.square(last), [37]], 0), [2, 1]))

    compiled.clear()
    assert function.get_concrete_function(tf.TensorSpec([None, 5], tf.float32)).output_shapes == (37, 25)
    assert "/jax/core/compile/backend_compile_duration" not in compiled
