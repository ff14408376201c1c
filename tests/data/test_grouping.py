"""`group_by_window` and `bucket_by_sequence_length`."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import count_of, generated, listed, outcomes, refuses

D = tf.data.Dataset
TEN = D.range(10)
ROWS = generated([[1], [2, 2, 2], [1, 2], [5] * 7, [4], [2, 2]], tf.TensorSpec([None], tf.int32))


def grouped(dataset, key, **sizes):
    return dataset.group_by_window(key, lambda _, group: group.batch(2), **sizes)


def bucketed(*args, **kwargs):
    return ROWS.bucket_by_sequence_length(tf.size, *args, **kwargs)


def test_groups():
    assert listed(grouped(TEN, lambda x: x % 2, window_size=3)) == [[0, 2], [4], [1, 3], [5], [6, 8], [7, 9]]
    expected = [[0], [2], [1, 3], [4], [6], [5, 7], [8], [9]]
    assert listed(grouped(TEN, lambda x: x % 2, window_size_func=lambda key: key + 1)) == expected
    keys = D.from_tensor_slices(tf.constant([5, 3, 9, 3], tf.int64))
    assert listed(grouped(keys, lambda x: x, window_size=9)) == [[3, 3], [5], [9]]
    scaled = D.range(4).group_by_window(lambda x: x % 2, lambda key, group: group.map(lambda x: x * 10 + key), 5)
    assert listed(scaled) == [0, 20, 11, 31]
    assert count_of(scaled) == -2


def test_functions_and_sizes_are_checked():
    refuses(lambda: grouped(TEN, lambda x: tf.cast(x, tf.int32), window_size=3), ValueError, "int64")
    refuses(lambda: grouped(TEN, lambda x: x), ValueError, "Either the `window_size` argument or")
    refuses(lambda: grouped(TEN, abs, window_size=2, window_size_func=abs), ValueError, "Either the `window_size`")
    refuses(lambda: TEN.group_by_window(lambda x: x, lambda key, _: key, 2), TypeError, "must return a single `tf.data")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Window size must be greater than zero"):
        listed(grouped(TEN, lambda x: x, window_size=0))


def test_errors_take_the_place_of_their_elements():
    groups = grouped(D.range(6), lambda x: 6 // (x - 2) * 0, window_size=2)
    assert outcomes(groups, 5) == [[0, 1], "InvalidArgumentError", [3, 4], [5], "end"]


@pytest.mark.parametrize(
    ("boundaries", "options", "expected"),
    [
        ([3, 5], {}, [[[1, 0], [1, 2]], [[4, 0], [2, 2]], [[2, 2, 2]], [[5] * 7]]),
        ([3, 5], {"drop_remainder": True, "padding_values": -1}, [[[1, -1], [1, 2]], [[4, -1], [2, 2]]]),
        (
            [3, 8],
            {"pad_to_bucket_boundary": True},
            [[[1, 0], [1, 2]], [[2, 2, 2, 0, 0, 0, 0], [5] * 7], [[4, 0], [2, 2]]],
        ),
        ([2, 3, 4, 5], {"no_padding": True}, [[[1], [4]], [[1, 2], [2, 2]], [[2, 2, 2]], [[5] * 7]]),
        ([], {}, [[[1, 0, 0], [2, 2, 2]], [[1, 2, 0, 0, 0, 0, 0], [5] * 7], [[4, 0], [2, 2]]]),
    ],
    ids=["plain", "full", "boundary", "even", "one"],
)
def test_buckets(boundaries, options, expected):
    dataset = bucketed(boundaries, [2] * (len(boundaries) + 1), **options)
    assert listed(dataset) == expected
    assert dataset.element_spec == tf.TensorSpec([None, None], tf.int32)


def test_buckets_of_pairs():
    pairs = ROWS.map(lambda x: (x, tf.size(x)))
    expected = [([[1, 0], [1, 2]], [1, 2]), ([[4, 0], [2, 2]], [1, 2]), ([[2, 2, 2]], [3]), ([[5] * 7], [7])]
    assert listed(pairs.bucket_by_sequence_length(lambda _, n: n, [3, 5], [2] * 3)) == expected


def test_elements_beyond_the_last_boundary():
    refuses(lambda: bucketed([3], [2]), ValueError, "must equal `len")
    with pytest.raises(tf.errors.InternalError, match="pad_to_bucket_boundary=True, elements must have"):
        listed(bucketed([3, 5], [2] * 3, pad_to_bucket_boundary=True))


def test_keys_and_sizes_may_be_numbers_of_python():
    assert listed(grouped(D.range(5), lambda _: 0, window_size=4)) == [[0, 1], [2, 3], [4]]
    assert listed(grouped(D.range(3), lambda _: np.int32(1), window_size_func=lambda _: 2)) == [[0, 1], [2]]
    refuses(lambda: grouped(D.range(3), lambda _: 1.5, window_size=2), TypeError, "int64")
    refuses(lambda: grouped(D.range(3), 5, window_size=2), ValueError, "callable")


def test_number_of_groups():
    groups = grouped(TEN.repeat(), lambda x: x % 2, window_size=2)
    assert (count_of(groups), count_of(groups.take(3))) == (-1, 3)
