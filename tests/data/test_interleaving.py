"""`flat_map`, `interleave`, and datasets that functions make."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import count_of, listed, outcomes, refuses

D = tf.data.Dataset
THREE = D.range(1, 4)


@pytest.fixture(autouse=True)
def _seed():
    tf.random.set_seed(1)
    yield
    tf.random.set_seed(None)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: D.from_tensor_slices([x, x * 10]), [1, 10, 2, 20, 3, 30]),
        (lambda x: D.from_tensors({"a": x}), [{"a": 1}, {"a": 2}, {"a": 3}]),
        (lambda x: D.range(x), [0, 0, 1, 0, 1, 2]),
        (lambda x: D.range(x, x + 2).map(lambda y: y * x), [1, 2, 4, 6, 9, 12]),
        (lambda x: D.from_tensors(x).repeat(x), [1, 2, 2, 3, 3, 3]),
        (lambda x: D.range(9).skip(x).take(x).batch(2), [[1], [2, 3], [3, 4], [5]]),
        (lambda x: D.range(4).filter(lambda y: y % x == 1), [1, 3, 1]),
        (lambda x: D.zip(D.range(2), D.from_tensors(x).repeat()), [(0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3)]),
        (lambda x: D.range(x).flat_map(lambda y: D.from_tensors(x * 10 + y)), [10, 20, 21, 30, 31, 32]),
        (lambda _: D.from_tensors(7), [7, 7, 7]),
    ],
    ids=["slices", "tensors", "range", "map", "repeat", "take", "filter", "zip", "nested", "constant"],
)
def test_datasets_that_functions_make(function, expected):
    dataset = THREE.flat_map(function)
    assert listed(dataset) == listed(dataset) == expected
    assert count_of(dataset) == -2


def test_rows_of_batches():
    rows = D.from_tensor_slices(np.arange(10).reshape(5, 2)).batch(2)
    assert listed(rows.flat_map(D.from_tensor_slices)) == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]


def test_windows():
    windows = D.range(6).window(3, 1, drop_remainder=True)
    assert listed(windows.flat_map(lambda w: w.batch(3))) == [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]
    pairs = D.from_tensor_slices(([1, 2, 3], [4, 5, 6])).window(2)
    assert listed(pairs.flat_map(lambda a, b: D.zip(a.batch(2), b.batch(2)))) == [([1, 2], [4, 5]), ([3], [6])]


def test_order_of_interleaving():
    repeated = THREE.interleave(lambda x: D.from_tensors(x).repeat(6), cycle_length=2, block_length=4)
    assert listed(repeated) == [1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3]
    expected = [1, 2, 2, 3, 3, 4, 4, 3, 4, 4, 5, 5, 6, 6, 5, 5, 6, 6, 5, 6, 6]
    for calls in (None, 3):
        mixed = D.range(1, 7).interleave(lambda x: D.from_tensors(x).repeat(x), 3, 2, calls)
        assert listed(mixed) == listed(mixed) == expected
        assert count_of(THREE.repeat().interleave(D.range, 1, 1, calls and 1)) == (-2 if calls is None else -1)


def test_numbers_are_checked():
    error = tf.errors.InvalidArgumentError
    refuses(lambda: THREE.interleave(D.range, cycle_length=0), error, "cycle_length must be greater than zero")
    refuses(lambda: THREE.interleave(D.range, 2, 0), error, "block_length must be greater than zero")
    refuses(lambda: THREE.interleave(D.range, 2, 1, 4), error, "less than or equal to `cycle_length`")


def test_functions_return_datasets():
    refuses(lambda: THREE.flat_map(lambda x: x), AttributeError, "has no attribute|must return")
    refuses(lambda: THREE.interleave(lambda x: x), AttributeError, "has no attribute|must return")
    refuses(lambda: THREE.flat_map(lambda x: (D.range(x), D.range(x))), TypeError, "must return")
    refuses(lambda: THREE.flat_map(lambda _: None), TypeError, "must return")
    assert THREE.map(lambda _: D.range(2)).element_spec == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))


def test_errors_take_the_place_of_their_datasets():
    divided = D.range(4).flat_map(lambda x: D.from_tensors(6 // (x - 1)))
    assert outcomes(divided, 5) == [-6, "InvalidArgumentError", 6, 3, "end"]
    inner = D.range(2).flat_map(lambda x: D.range(3).map(lambda y: 6 // (y - x)))
    bad = "InvalidArgumentError"
    assert outcomes(inner, 7) == [bad, 6, 3, -6, bad, 6, "end"]


def test_random_numbers_and_orders():
    drawn = D.range(3).flat_map(lambda _: D.range(2).map(lambda _: tf.random.uniform([])))
    expected = [0.81269646, 0.5272893, 0.8489425, 0.8928561, 0.37806964, 0.9844202]
    np.testing.assert_allclose(listed(drawn), expected, 1e-6)
    shuffled = listed(THREE.flat_map(lambda _: D.range(9).shuffle(9, seed=3)))
    assert shuffled[:9] == shuffled[9:18] == shuffled[18:] == listed(D.range(9).shuffle(9, seed=3))
    assert listed(THREE.flat_map(lambda _: D.range(9).shuffle(9))) == [6, 1, 7, 4, 3, 0, 5, 8, 2] * 3
