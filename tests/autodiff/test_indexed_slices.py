"""Gradients of tensors that are only gathered from."""

from __future__ import annotations

import pytest

from tests.autodiff.reading import values
from tests.autodiff.subject import tf


def table():
    """A variable of three rows."""
    return tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


LOOKUPS = {
    "gather": tf.gather,
    "embedding_lookup": tf.nn.embedding_lookup,
    "sparse_read": lambda params, indices: params.sparse_read(indices),
}


@pytest.mark.parametrize("lookup", LOOKUPS.values(), ids=LOOKUPS.keys())
def test_gradient_of_a_lookup_is_slices(lookup):
    v = table()
    with tf.GradientTape() as tape:
        y = lookup(v, [2, 0, 2]) * tf.constant([[1.0], [10.0], [100.0]])
    g = tape.gradient(y, v)
    assert isinstance(g, tf.IndexedSlices)
    assert values(g) == {
        "values": [[1.0, 1.0], [10.0, 10.0], [100.0, 100.0]],
        "indices": [2, 0, 2],
        "dense_shape": [3, 2],
    }
    assert (g.indices.dtype, g.dense_shape.dtype) == (tf.int32, tf.int32)


def test_slices_keep_the_dtype_of_the_indices():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v, tf.constant([1, 1], tf.int64))
    g = tape.gradient(y, v)
    assert g.indices.dtype == tf.int64
    assert values(g.dense_shape) == [3, 2]


def test_gather_from_a_watched_tensor_gives_slices():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [2, 2]) ** 2.0
    assert values(tape.gradient(y, x)) == {"values": [6.0, 6.0], "indices": [2, 2], "dense_shape": [3]}


def test_gather_from_an_intermediate_is_dense_for_the_leaf():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        m = x * x
        y = tf.gather(m, [2, 2])
    g = tape.gradient(y, [x, m])
    assert values(g[0]) == [0.0, 0.0, 12.0]
    assert values(g[1]) == {"values": [1.0, 1.0], "indices": [2, 2], "dense_shape": [3]}


def test_gather_by_a_matrix_of_indices_is_flattened():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v, [[0, 1], [2, 0]])
    assert values(tape.gradient(y, v)) == {
        "values": [[1.0, 1.0]] * 4,
        "indices": [0, 1, 2, 0],
        "dense_shape": [3, 2],
    }


def test_gather_by_a_scalar_index():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v, 1)
    assert values(tape.gradient(y, v)) == {"values": [[1.0, 1.0]], "indices": [1], "dense_shape": [3, 2]}


def test_gather_by_no_indices():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v, tf.zeros([0], tf.int32))
    assert values(tape.gradient(y, v)) == {"values": [], "indices": [], "dense_shape": [3, 2]}


def test_two_lookups_are_concatenated():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v, [0, 1]) * 2.0
        z = tf.gather(v, [1]) * 3.0
        total = tf.reduce_sum(y) + tf.reduce_sum(z)
    g = tape.gradient(total, v)
    assert isinstance(g, tf.IndexedSlices)
    assert sorted(zip(values(g.indices), values(g.values))) == [(0, [2.0, 2.0]), (1, [2.0, 2.0]), (1, [3.0, 3.0])]


def test_order_of_two_lookups():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v, [0, 1]) * 2.0
        z = tf.gather(v, [2]) * 3.0
        total = tf.reduce_sum(y) + tf.reduce_sum(z)
    assert values(tape.gradient(total, v).indices) == [0, 1, 2]


def test_lookups_by_indices_of_two_dtypes_are_slices_by_int64():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v, tf.constant([0, 1], tf.int32)) * 2.0
        z = tf.gather(v, tf.constant([2], tf.int64)) * 3.0
        total = tf.reduce_sum(y) + tf.reduce_sum(z)
    g = tape.gradient(total, v)
    assert isinstance(g, tf.IndexedSlices)
    assert g.indices.dtype == tf.int64
    assert values(g.indices) == [0, 1, 2]


def test_lookups_of_several_targets():
    v = table()
    with tf.GradientTape() as tape:
        targets = [tf.gather(v, [k]) for k in (2, 0, 1)]
    assert sorted(values(tape.gradient(targets, v).indices)) == [0, 1, 2]


def test_lookup_and_dense_use_give_a_dense_gradient():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [0, 0])) + tf.reduce_sum(v)
    assert values(tape.gradient(y, v)) == [[3.0, 3.0], [1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    "read",
    [
        lambda v: tf.gather(v, [0, 1], axis=1),
        lambda v: v[1],
        lambda v: tf.gather_nd(v, [[0, 1], [1, 1]]),
        lambda v: tf.gather(v, [[0], [1], [0]], batch_dims=1),
    ],
    ids=["axis", "index", "gather_nd", "batch_dims"],
)
def test_other_ways_to_read_a_part_are_dense(read):
    v = table()
    with tf.GradientTape() as tape:
        y = read(v)
    assert isinstance(tape.gradient(y, v), tf.Tensor)


def test_gather_with_axis_written_out():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v, [1], axis=0)
    assert isinstance(tape.gradient(y, v), tf.IndexedSlices)


def test_negation_sum_and_conversion_of_slices():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2, 0, 2])
    g = tape.gradient(y, v)
    assert values(-g) == {"values": [[-1.0, -1.0]] * 3, "indices": [2, 0, 2], "dense_shape": [3, 2]}
    assert values(tf.reduce_sum(g)) == 6.0
    assert values(tf.convert_to_tensor(g)) == [[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]]


def test_slices_are_subtracted_from_a_variable():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2, 0, 2])
    v.assign_sub(tape.gradient(y, v))
    assert values(v.value()) == [[0.0, 1.0], [3.0, 4.0], [3.0, 4.0]]


def test_slices_have_no_arithmetic():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2])
    g = tape.gradient(y, v)
    with pytest.raises(TypeError):
        g * 2.0
    with pytest.raises(TypeError):
        g + g
    with pytest.raises(AttributeError):
        g.numpy()


def test_variable_assigned_between_two_lookups():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [0]) ** 2.0)
        v.assign(v * 10.0)
        y += tf.reduce_sum(tf.gather(v, [0]) ** 2.0)
    g = tape.gradient(y, v)
    assert values(tf.convert_to_tensor(g)) == [[22.0, 44.0], [0.0, 0.0], [0.0, 0.0]]


def test_second_derivative_through_a_lookup():
    v = table()
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.gather(v, [2, 2]) ** 3.0)
        g = inner.gradient(y, v)
        z = tf.reduce_sum(g.values)
    assert values(tf.convert_to_tensor(outer.gradient(z, v))) == [[0.0, 0.0], [0.0, 0.0], [60.0, 72.0]]


def test_slices_as_target_or_source_are_an_attribute_error():
    v = table()
    with tf.GradientTape(persistent=True) as tape:
        y = tf.gather(v, [2, 2])
    g = tape.gradient(y, v)
    with pytest.raises(AttributeError, match="'IndexedSlices' object has no attribute '_id'"):
        tape.gradient(g, v)
    with pytest.raises(AttributeError, match="'IndexedSlices' object has no attribute '_id'"):
        tape.gradient(y, g)


def test_gather_nd_of_whole_rows_gives_slices():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather_nd(v, [[2], [1]])
    assert values(tape.gradient(y, v)) == {"values": [[1.0, 1.0]] * 2, "indices": [2, 1], "dense_shape": [3, 2]}


ROWS_PASS = {
    "identity": tf.identity,
    "conversion": tf.convert_to_tensor,
    "same dtype": lambda v: tf.cast(v, tf.float32),
    "ensure_shape": lambda v: tf.ensure_shape(v, [None, 2]),
    "concat of one": lambda v: tf.concat([v], 0),
    "add_n": lambda v: tf.add_n([v, tf.ones([3, 2])]),
    "accumulate_n": lambda v: tf.math.accumulate_n([tf.ones([3, 2]), v]),
    "bias_add": lambda v: tf.nn.bias_add(v, tf.ones([2])),
}


@pytest.mark.parametrize("function", ROWS_PASS.values(), ids=ROWS_PASS.keys())
def test_rows_pass_through(function):
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(function(v), [2, 1])
    assert values(tape.gradient(y, v)) == {"values": [[1.0, 1.0]] * 2, "indices": [2, 1], "dense_shape": [3, 2]}


def test_rows_pass_to_a_sum_and_not_to_its_bias():
    v, bias = table(), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.gather(tf.nn.bias_add(v, bias), [2, 1])
    rows, dense = tape.gradient(y, [v, bias])
    assert values(rows) == {"values": [[1.0, 1.0]] * 2, "indices": [2, 1], "dense_shape": [3, 2]}
    assert values(dense) == [2.0, 2.0]


ROWS_END = {
    "reshape": lambda v: tf.reshape(v, tf.shape(v)),
    "transpose": lambda v: tf.transpose(v, [0, 1]),
    "squeeze": tf.squeeze,
    "slice": lambda v: v[:],
    "broadcast_to": lambda v: tf.broadcast_to(v, [3, 2]),
}


@pytest.mark.parametrize("function", ROWS_END.values(), ids=ROWS_END.keys())
def test_rows_end_at_what_could_move_elements(function):
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(function(v), [2, 1])
    assert values(tape.gradient(y, v)) == [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]


def test_rows_of_a_product_are_dense():
    v = table()
    with tf.GradientTape() as tape:
        y = tf.gather(v * 2.0, [2, 1])
    assert values(tape.gradient(y, v)) == [[0.0, 0.0], [2.0, 2.0], [2.0, 2.0]]


def test_index_that_the_program_computes():
    v = table()
    n = tf.Variable(1)
    with tf.GradientTape() as tape:
        y = tf.gather(v, [n * 2, n])
    assert values(tape.gradient(y, v).indices) == [2, 1]


def test_lookup_under_a_custom_gradient_with_a_variable():
    v = table()

    @tf.custom_gradient
    def lookup(indices):
        def grad(upstream, variables=None):
            return None, [tf.IndexedSlices(upstream * 10.0, indices, tf.constant([3, 2])) for _ in variables]

        return tf.gather(v, indices), grad

    with tf.GradientTape() as tape:
        y = lookup(tf.constant([1, 1]))
    assert values(tape.gradient(y, v)) == {
        "values": [[10.0, 10.0]] * 2,
        "indices": [1, 1],
        "dense_shape": [3, 2],
    }
