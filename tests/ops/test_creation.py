"""Creation of tensors: dtypes, refusals, and values that stay on the host."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system.counter import counted


@pytest.mark.parametrize(
    ("make", "dtype"),
    [
        (lambda: tf.range(3.0), tf.float32),
        (lambda: tf.range(0, 3, 0.5), tf.float32),
        (lambda: tf.range(1, tf.constant(3, tf.int64)), tf.int64),
        (lambda: tf.range(np.float64(3)), tf.float64),
        (lambda: tf.range(2**40, 2**40 + 3), tf.int64),
        (lambda: tf.linspace(0, 1, 3), tf.float64),
        (lambda: tf.linspace(tf.constant(0, tf.int8), tf.constant(4, tf.int8), 3), tf.float32),
        (lambda: tf.one_hot([0], 2, on_value=5), tf.int32),
        (lambda: tf.one_hot([0], 2), tf.float32),
        (lambda: tf.zeros_like([True]), tf.bool),
        (lambda: tf.sequence_mask([1]), tf.bool),
    ],
)
def test_dtype_is_that_of_tensorflow(make, dtype):
    assert make().dtype == dtype


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: tf.zeros([-1]), tf.errors.InvalidArgumentError),
        (lambda: tf.zeros([1.5]), TypeError),
        (lambda: tf.zeros(None), ValueError),
        (lambda: tf.zeros([[2]]), tf.errors.InvalidArgumentError),
        (lambda: tf.ones([2], tf.string), TypeError),
        (lambda: tf.zeros([2], layout="mesh"), AttributeError),
        (lambda: tf.fill([2], [1.0, 2.0]), tf.errors.InvalidArgumentError),
        (lambda: tf.eye(2.0), TypeError),
        (lambda: tf.range(0, 5, 0), tf.errors.InvalidArgumentError),
        (lambda: tf.range(5, -1), tf.errors.InvalidArgumentError),
        (lambda: tf.range(0.0, np.inf), tf.errors.InvalidArgumentError),
        (lambda: tf.range(True), AssertionError),
        (lambda: tf.linspace(0.0, 1.0, 2.5), TypeError),
        (lambda: tf.linspace(0.0, tf.constant(1.0, tf.float64), 3), ValueError),
        (lambda: tf.one_hot([0], 3.0), TypeError),
        (lambda: tf.one_hot([0], 2, axis=3), tf.errors.InvalidArgumentError),
        (lambda: tf.one_hot([0], 2, on_value=1, off_value=0.5), TypeError),
        (lambda: tf.one_hot([0], 2, dtype=tf.bool), TypeError),
        (lambda: tf.meshgrid([1], [2], indexing="ab"), ValueError),
        (lambda: tf.meshgrid([1], [2.0]), tf.errors.InvalidArgumentError),
        (lambda: tf.sequence_mask([1], [3]), ValueError),
    ],
)
def test_refusal_has_tensorflows_class(make, error):
    with pytest.raises(error):
        make()


def test_range_multiplies_rather_than_adds_up():
    assert tf.range(0.0, 1.0, 0.1).numpy()[9] == np.float32(0.1) * np.float32(9)
    assert tf.range(10, 0, -3).numpy().tolist() == [10, 7, 4, 1]


def test_large_range_is_computed_on_the_device():
    assert tf.range(5000).numpy().tolist() == list(range(5000))


def test_linspace_ends_at_its_ends():
    x = tf.linspace(0.1, 0.7, 7).numpy()
    assert (x[0], x[-1]) == (np.float32(0.1), np.float32(0.7))
    assert tf.linspace([0.0, 1.0], [2.0, 5.0], 2, axis=-1).numpy().tolist() == [[0, 2], [1, 5]]


def test_one_hot_leaves_rows_out_of_range_off():
    assert tf.one_hot([0, 5, -1], 2, off_value=5).numpy().tolist() == [[1, 5], [5, 5], [5, 5]]


def test_gradient_of_zeros_like_is_none():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = [tf.zeros_like(x), tf.ones_like(x)]
    assert tape.gradient(y, x) is None


def test_strings_are_empty():
    assert tf.zeros([2], tf.string).numpy().tolist() == [b"", b""]


def test_small_integers_may_become_shapes_without_a_flush():
    pending = tf.constant(1.0) * 2.0
    with counted() as counts:
        assert tf.broadcast_to(pending, tf.ones([2], tf.int32) + tf.range(2)).shape == (1, 2)
    assert counts.flushes == 0


def test_broadcast_static_shape_is_what_both_broadcast_to():
    assert tf.broadcast_static_shape(tf.TensorShape([1, 2, 3]), tf.TensorShape([5, 1, 3])) == [5, 2, 3]


def test_constant_keeps_integers_beyond_int64():
    assert tf.constant([3, 2**64 - 1, 1], tf.uint64).numpy().tolist() == [3, 2**64 - 1, 1]
    assert tf.constant([2**63, 1], tf.uint64).numpy().tolist() == [2**63, 1]
    with pytest.raises(ValueError, match="out-of-range integer"):
        tf.constant([2**63, 1])


def test_one_hot_makes_integers_of_what_is_no_tensor():
    assert tf.one_hot(True, 3).numpy().tolist() == [0, 1, 0]
    assert tf.one_hot(np.array([1.0]), 3).numpy().tolist() == [[0, 1, 0]]
    assert tf.one_hot(2**40, 3).numpy().tolist() == [0, 0, 0]
    with pytest.raises(TypeError, match=r"Cannot convert 1\.0 to EagerTensor of dtype int64"):
        tf.one_hot(1.0, 3)
    for indices in ([1.0], "a", tf.constant(1.0)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.one_hot(indices, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((5, -1), "start <= limit when delta > 0: 5/-1"), ((0, 5, -1), "start >= limit when delta < 0: 0/5")],
)
def test_range_in_the_wrong_direction(arguments, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.range(*arguments)


def test_lists_broadcast_with_shapes_of_any_dtype():
    for one, other, found, dtype in (
        ([], tf.constant([2]), [2], tf.int32),
        (tf.constant([2], tf.int64), [], [2], tf.int64),
        ((), [4], [4], tf.int32),
        ([], [], [], tf.int32),
        ([1, 3], tf.constant([2, 1], tf.int64), [2, 3], tf.int64),
    ):
        shape = tf.broadcast_dynamic_shape(one, other)
        assert shape.dtype is dtype
        assert shape.numpy().tolist() == found
    with pytest.raises(TypeError):
        tf.broadcast_dynamic_shape([1.0], tf.constant([2]))
    rows = tf.data.Dataset.from_generator(lambda: iter([[1.0, 2.0]]), output_signature=tf.TensorSpec([None]))
    made = rows.map(lambda x: tf.broadcast_dynamic_shape([3, 1], tf.shape(x)))
    assert next(iter(made)).numpy().tolist() == [3, 2]


def test_range_takes_vectors_of_one_element_outside_of_functions():
    assert tf.range(tf.constant([3])).numpy().tolist() == [0, 1, 2]
    assert tf.range([1], [7], np.array([2])).numpy().tolist() == [1, 3, 5]
    for limit in ([[3]], [1, 2]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.range(tf.constant(limit))


def test_range_takes_scalars_in_functions():
    @tf.function
    def total(n):
        found = 0
        for k in tf.range(n):
            found += k
        return found

    assert total(tf.constant(3)).numpy() == 3
    for function in (total, tf.function(lambda n: tf.range(n))):
        with pytest.raises(ValueError, match=r"range"):
            function(tf.constant([3]))
