"""Embeddings of sparse and ragged ids in functions that compute the ids: TensorFlow's values."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

IDS = tf.SparseTensor(
    [[0, 0], [0, 1], [1, 0], [3, 0], [3, 1], [3, 2]], tf.constant([1, -2, -3, 4, 4, 5], tf.int64), [4, 3]
)
TABLE = np.arange(36, dtype=np.float32).reshape(12, 3) / 10


@pytest.mark.parametrize(
    ("combiner", "default_id", "is_weighted", "rows", "gradient"),
    [
        ("sum", None, False, [[0.3, 0.4, 0.5], [0, 0, 0], [0, 0, 0], [3.9, 4.2, 4.5]], {1: 2.4, 4: 50.4, 5: 25.2}),
        ("mean", 3, False, [[0.3, 0.4, 0.5], [0.9, 1, 1.1], [0.9, 1, 1.1], [1.3, 1.4, 1.5]], None),
        ("sqrtn", None, True, [[0, 0, 0], [0, 0, 0], [0, 0, 0], [2.2283, 2.3955, 2.5626]], None),
    ],
    ids=["sum", "mean", "sqrtn"],
)
def test_safe_lookup_leaves_out_what_is_no_id(combiner, default_id, is_weighted, rows, gradient):
    table = tf.Variable(TABLE)

    @tf.function
    def look_up(ids, weights):
        with tf.GradientTape() as tape:
            found = tf.nn.safe_embedding_lookup_sparse(table, ids, weights, combiner, default_id)
            loss = tf.reduce_sum(found**2)
        return found, tape.gradient(loss, table)

    weights = IDS.with_values(tf.linspace(-0.5, 2.0, 6)) if is_weighted else None
    found, slices = look_up(IDS, weights)
    np.testing.assert_allclose(found, rows, atol=5e-5)
    if gradient is not None:
        sums = tf.reduce_sum(tf.convert_to_tensor(slices), 1).numpy()
        np.testing.assert_allclose(sums, [gradient.get(k, 0) for k in range(12)], rtol=1e-5)


def test_function_looks_up_other_ids_without_tracing_again():
    @tf.function
    def look_up(ids):
        return tf.nn.embedding_lookup_sparse(TABLE, ids, None, "sum")

    for values, expected in (
        ([0, 1, 2], [[0.3, 0.5, 0.7], [0.6, 0.7, 0.8]]),
        ([3, 3, 0], [[1.8, 2.0, 2.2], [0, 0.1, 0.2]]),
    ):
        ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant(values, tf.int64), [2, 2])
        np.testing.assert_allclose(look_up(ids), expected, rtol=1e-5)
    assert look_up.experimental_get_tracing_count() == 1


def test_ragged_ids_are_looked_up_in_functions():
    ids = tf.RaggedTensor.from_row_lengths(tf.constant([1, 2, 3], tf.int64), [2, 1])
    weights = ids.with_values(tf.constant([1.0, 3.0, 2.0]))
    found = tf.function(lambda x, w: tf.nn.embedding_lookup_sparse(TABLE, x, w, "mean"))(ids, weights)
    np.testing.assert_allclose(found, [[0.525, 0.625, 0.725], [0.9, 1.0, 1.1]], rtol=1e-5)
