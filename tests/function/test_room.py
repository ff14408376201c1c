"""Functions that find sizes, for arguments whose open sizes differ from call to call: few traces serve all of them."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system.config import settings

LENGTHS = [5, 7, 6, 13, 12, 9, 1, 0, 2, 5, 40, 33, 7, 8, 10, 2, 38, 35, 47, 44, 11, 17, 19, 15]


def values(*shape):
    """Numbers of both signs."""
    return np.sin(np.arange(np.prod(shape)) * 1.7 + np.sum(shape)).reshape(shape).astype(np.float32)


def test_gradients_of_a_masked_loss_over_lengths():
    weights, runs = tf.Variable(values(4, 3)), []

    @tf.function(input_signature=[tf.TensorSpec([None, None, 4]), tf.TensorSpec([None, None])])
    def step(x, y):
        runs.append(None)
        with tf.GradientTape() as tape:
            tape.watch(x)
            kept = tf.boolean_mask(x @ weights, y > 0)
            loss = tf.reduce_sum(kept**2)
        return loss, *tape.gradient(loss, [x, weights])

    for length in LENGTHS:
        x, y = values(3, length, 4), values(3, length)
        loss, of_x, of_weights = step(tf.constant(x), tf.constant(y))
        mask = y > 0
        kept = (x @ weights.numpy())[mask]
        expected = np.zeros_like(x)
        expected[mask] = 2 * kept @ weights.numpy().T
        np.testing.assert_allclose(loss, (kept**2).sum(), rtol=1e-4)
        np.testing.assert_allclose(of_x, expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(of_weights, 2 * x[mask].T @ kept, rtol=1e-4, atol=1e-5)
    # Of 21 lengths: for at most 8, 12, 20, 32 and 48 rows, for 0 and 1, and three times in the first calls.
    assert len(runs) <= 14


@pytest.mark.parametrize("reduces", [False, True])
def test_random_numbers_are_those_of_tensorflow(reduces):
    """TensorFlow has one trace, whose stream serves all sizes."""
    signature = None if reduces else [tf.TensorSpec([None])]

    @tf.function(input_signature=signature, reduce_retracing=reduces)
    def step(x):
        return tf.random.uniform([]), tf.boolean_mask(x, x > 0)

    tf.random.set_seed(3)
    drawn = [float(step(tf.constant(values(length)))[0]) for length in (5, 7, 6, 13, 12, 9)]
    # With `reduce_retracing` the second trace of TensorFlow has a stream of its own.
    one, two = [0.1274, 0.858, 0.8899, 0.5136, 0.5656, 0.7504], [0.1274, 0.1274, 0.858, 0.8899, 0.5136, 0.5656]
    np.testing.assert_allclose(drawn, two if reduces else one, atol=1e-4)


def test_sizes_that_were_equal_may_differ():
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    def both(x, y):
        return tf.boolean_mask(x, x > 0), tf.reduce_sum(y), tf.shape(x)[0] - tf.shape(y)[0]

    for one, other in [(3, 3), (5, 5), (6, 6), (5, 6), (6, 5), (9, 7), (7, 9), (9, 9)]:
        x, y = values(one), values(other)
        kept, total, difference = both(tf.constant(x), tf.constant(y))
        np.testing.assert_array_equal(kept, x[x > 0])
        np.testing.assert_allclose(total, y.sum(), rtol=1e-5)
        assert int(difference) == one - other


def test_sizes_that_do_not_fit_are_refused_and_later_calls_work():
    runs = []

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    def add(x, y):
        runs.append(None)
        return tf.boolean_mask(x + y, x > 0)

    for length in (5, 6, 7):
        add(tf.constant(values(length)), tf.constant(values(length)))
    with pytest.raises(tf.errors.InvalidArgumentError):
        add(tf.constant(values(8)), tf.constant(values(5)))
    count = len(runs)
    for length in range(2, 9):
        x = values(length)
        np.testing.assert_allclose(add(tf.constant(x), tf.constant(x)), 2 * x[x > 0], rtol=1e-6)
    assert len(runs) == count


def test_loops_and_branches_over_an_argument():
    total = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def step(x):
        found = tf.constant(0.0)
        for value in x:
            if value > 0:
                found += value
        total.assign_add(found)
        return tf.boolean_mask(x, x > 0)

    expected = 0.0
    for length in LENGTHS:
        x = values(length)
        np.testing.assert_array_equal(step(tf.constant(x)), x[x > 0])
        expected += x[x > 0].sum()
        np.testing.assert_allclose(total, expected, rtol=1e-4)


def test_elements_of_iterators_and_sparse_arguments():
    runs = []

    @tf.function
    def read(iterator):
        runs.append(None)
        x = next(iterator)
        return tf.boolean_mask(x, x > 0)

    data = tf.data.Dataset.from_generator(
        lambda: map(values, LENGTHS * 2), output_signature=tf.TensorSpec([None], tf.float32)
    )
    iterator = iter(data)
    for length in LENGTHS * 2:
        x = values(length)
        np.testing.assert_array_equal(read(iterator), x[x > 0])
    assert len(runs) <= 14

    @tf.function
    def count(sparse):
        runs.append(None)
        kept = tf.boolean_mask(sparse.values, sparse.values > 0)
        return tf.reduce_sum(kept), tf.sparse.reduce_sum(sparse)

    runs.clear()
    for length in LENGTHS:
        x = values(length)
        sparse = tf.SparseTensor(np.arange(length)[:, None], x, [50])
        np.testing.assert_allclose(count(sparse), [x[x > 0].sum(), x.sum()], rtol=1e-4, atol=1e-5)
    assert len(runs) <= 14


def test_sizes_that_hardly_matter_have_few_traces():
    weights, runs = tf.constant(values(300, 300)), []

    @tf.function(input_signature=[tf.TensorSpec([300, 300]), tf.TensorSpec([None])])
    def step(x, labels):
        runs.append(None)
        return tf.reduce_sum(tf.linalg.matmul(x, weights)), tf.boolean_mask(labels, labels > 0)

    x = tf.constant(values(300, 300))
    total = (x.numpy() @ weights.numpy()).sum()
    for length in [5, *range(7, 140, 6), 6, 5]:
        labels = values(length)
        found, kept = step(x, tf.constant(labels))
        np.testing.assert_allclose(found, total, rtol=1e-2)
        np.testing.assert_array_equal(kept, labels[labels > 0])
    # For one shape, for at most 8 labels, and for at most 248.
    assert len(runs) <= 5


def test_under_determinism_classes_follow_from_sizes_alone(monkeypatch):
    monkeypatch.setattr(settings, "is_deterministic", True)
    runs = []

    @tf.function(input_signature=[tf.TensorSpec([300, 300]), tf.TensorSpec([None])])
    def step(x, labels):
        runs.append(None)
        return tf.reduce_sum(x @ x), tf.boolean_mask(labels, labels > 0)

    for length in (5, 7, 20, 30, 60, 100, 8, 6):
        step(tf.ones([300, 300]), tf.constant(values(length)))
    # For one shape, and for at most 8, 20, 32, 72 and 108 labels.
    assert len(runs) >= 6


def test_code_that_needs_a_size_is_traced_for_each():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def step(x):
        calls = tf.numpy_function(lambda y: np.float32(len(y)), [x], tf.float32)
        return tf.boolean_mask(x, x > 0) * tf.reduce_sum(calls)

    for length in (5, 6, 7, 6, 5):
        x = values(length)
        np.testing.assert_allclose(step(tf.constant(x)), x[x > 0] * length, rtol=1e-6)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (lambda x, k: x[:, k:], lambda x, k: x[:, k:]),
        (lambda x, k: x[:k], lambda x, k: x[:k]),
        (lambda x, k: tf.slice(x, [0, 0], [k, -1]), lambda x, k: x[:k]),
        (lambda x, k: tf.boolean_mask(x, x[:, 0] > tf.cast(k, tf.float32) / 50), lambda x, k: x[x[:, 0] > k / 50]),
    ],
    ids=["columns", "rows", "window", "mask"],
)
def test_parts_of_matrices_with_two_open_sizes(part, expected):
    runs = []

    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([], tf.int32)])
    def step(x, k):
        runs.append(None)
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(part(x, k) ** 2)
        return loss, tape.gradient(loss, x)

    rng = np.random.default_rng(0)
    for _ in range(20):
        rows, columns = rng.integers(14, 32, 2)
        k = rng.integers(0, min(rows, columns) + 1)
        x = values(rows, columns)
        loss, gradient = step(tf.constant(x), tf.constant(k, tf.int32))
        found = expected(x, k)
        np.testing.assert_allclose(loss, (found**2).sum(), rtol=1e-5)
        assert (gradient.numpy() != 0).sum() == found.size
    before = len(runs)
    for rows, columns in [(14, 31), (31, 14), (22, 23), (19, 30)]:
        step(tf.constant(values(rows, columns)), tf.constant(5, tf.int32))
    assert len(runs) == before
