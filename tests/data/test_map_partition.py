"""Functions of elements whose ragged tensors have row partitions that are computed from the element."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import outcomes

R = tf.RaggedTensor
INVALID = "InvalidArgumentError"
PAIRS = [[2, 1], [1, 3], [2, 1], [-1, 4]]

CASES = {
    "lengths": (
        lambda n: R.from_row_lengths([5, 6, 7], n).to_tensor(),
        [[[5, 6], [7, 0]], INVALID, [[5, 6], [7, 0]], INVALID],
    ),
    "limits": (lambda n: R.from_row_limits([5, 6, 7], tf.sort(n)).row_lengths(), [INVALID, [1, 2], INVALID, INVALID]),
    "splits": (
        lambda n: R.from_row_splits([5, 6, 7], tf.concat([[0], n], 0)).row_lengths(),
        [INVALID, [1, 2], INVALID, INVALID],
    ),
    "starts": (
        lambda n: R.from_row_starts([5, 6, 7, 8], tf.concat([[0], n], 0)).row_lengths(),
        [INVALID, [1, 2, 1], INVALID, INVALID],
    ),
    "row ids": (
        lambda n: R.from_value_rowids([5, 6], tf.sort(n), nrows=4).row_lengths(),
        [[0, 1, 1, 0], [0, 1, 0, 1], [0, 1, 1, 0], INVALID],
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("is_converted", [True, False])
def test_rows_are_checked_for_each_element(name, is_converted):
    function, expected = CASES[name]
    if not is_converted:
        function = tf.autograph.experimental.do_not_convert(function)
    assert outcomes(tf.data.Dataset.from_tensor_slices(PAIRS).map(function), 5) == [*expected, "end"]


def test_rows_of_lengths_of_strings():
    def counted(texts):
        lengths = tf.strings.length(texts) // 2 + 1
        return R.from_row_lengths(tf.range(tf.reduce_sum(lengths)), lengths)

    dataset = tf.data.Dataset.from_tensor_slices([["1 2 3", "4"], ["5", "6 7"]]).map(counted)
    assert dataset.element_spec == tf.RaggedTensorSpec([2, None], tf.int32, row_splits_dtype=tf.int32)
    assert [rows.to_list() for rows in dataset] == [[[0, 1, 2], [3]], [[0], [1, 2]]]


def test_row_ids_without_a_number_of_rows():
    dataset = tf.data.Dataset.from_tensor_slices([[0, 2], [1, 1]])
    lengths = dataset.map(lambda n: R.from_value_rowids([5, 6], n).row_lengths())
    assert outcomes(lengths, 3) == [[1, 0, 1], [0, 2], "end"]
