"""`batch` and `rebatch`."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import generated, listed, outcomes

D = tf.data.Dataset
FIVE = D.range(5)


def test_batches():
    assert listed(FIVE.batch(2)) == [[0, 1], [2, 3], [4]]
    assert listed(FIVE.batch(2, drop_remainder=True)) == [[0, 1], [2, 3]]
    assert listed(D.range(300).batch(7)) == [[*range(k, min(k + 7, 300))] for k in range(0, 300, 7)]
    rows = D.from_tensor_slices(({"a": ["x", "y", "z"]}, np.zeros([3, 0])))
    assert listed(rows.batch(2)) == [({"a": [b"x", b"y"]}, [[], []]), ({"a": [b"z"]}, [[]])]


def test_shapes_of_batches():
    assert FIVE.batch(2).element_spec.shape.as_list() == [None]
    assert FIVE.batch(7).element_spec.shape.as_list() == [None]
    assert FIVE.batch(2, drop_remainder=True).element_spec.shape.as_list() == [2]
    assert FIVE.batch(tf.constant(2, tf.int64), True).batch(2).element_spec.shape.as_list() == [None, 2]


@pytest.mark.parametrize(
    ("size", "error", "message"),
    [
        (0, tf.errors.InvalidArgumentError, "Batch size must be greater than zero"),
        (-1, tf.errors.InvalidArgumentError, "Batch size must be greater than zero"),
        (2.0, TypeError, r"Cannot convert 2\.0 to EagerTensor of dtype int64"),
        ("a", TypeError, "Cannot convert 'a' to EagerTensor of dtype int64"),
        (None, ValueError, r"Attempt to convert a value \(None\) with an unsupported type"),
        (tf.constant(2), ValueError, "Tensor conversion requested dtype int64 for Tensor with dtype int32"),
    ],
    ids=str,
)
def test_size_is_checked_when_it_is_built(size, error, message):
    with pytest.raises(error, match=message):
        FIVE.batch(size)


def test_flags_are_booleans():
    assert FIVE.batch(2, tf.constant(True)).element_spec.shape.as_list() == [2]
    for value in (1, "x"):
        with pytest.raises(TypeError, match=f"Cannot convert {value!r} to EagerTensor of dtype bool"):
            FIVE.batch(2, drop_remainder=value)


def test_elements_of_other_shapes_are_refused_at_their_batch():
    values = generated([[1], [2], [3], [4, 5], [6], [7]], tf.TensorSpec([None], tf.int32))
    assert outcomes(values.batch(2), 4) == [[[1], [2]], "InvalidArgumentError", [[6], [7]], "end"]
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        next(iter(values.skip(2).batch(2)))
    shapes = "First element had shape [1] and element 1 had shape [2]"
    assert f"Cannot batch tensors with different shapes in component 0. {shapes}" in str(caught.value)


def test_batch_begins_after_a_bad_element():
    values = generated([1, "a", 2, 3, 4], tf.TensorSpec([], tf.int32))
    assert outcomes(values.batch(2), 4) == ["InvalidArgumentError", [2, 3], [4], "end"]
    assert outcomes(values.padded_batch(2), 4) == ["InvalidArgumentError", [2, 3], [4], "end"]


def test_none_stays_none():
    found = D.from_tensors((1, None)).repeat(3).batch(2)
    assert found.element_spec == (tf.TensorSpec([None], tf.int32), tf.NoneTensorSpec())
    assert listed(found) == [([1, 1], None), ([1], None)]


def test_rebatch():
    assert listed(FIVE.batch(2).rebatch(3)) == [[0, 1, 2], [3, 4]]
    assert listed(FIVE.batch(3).rebatch([1, 2])) == [[0], [1, 2], [3], [4]]
    assert listed(FIVE.batch(3).rebatch([1, 3], drop_remainder=True)) == [[0], [1, 2, 3], [4]]
    assert FIVE.batch(3).rebatch([1, 2]).element_spec.shape.as_list() == [None]
    assert FIVE.batch(4, drop_remainder=True).rebatch(2).element_spec.shape.as_list() == [2]
    with pytest.raises(ValueError, match="found a dataset with scalar elements"):
        FIVE.rebatch(2)
    with pytest.raises(ValueError, match="Received `batch_sizes` of rank 2"):
        FIVE.batch(3).rebatch([[1]])


def test_error_of_a_function_takes_its_batch_along():
    bad = D.range(6).map(lambda x: x + 0 * (6 // (x - 1)))
    error = "InvalidArgumentError"
    for mapped in (bad, bad.map(lambda x: x), D.range(6).map(lambda x: x + 0 * (6 // (x - 1)), num_parallel_calls=2)):
        assert outcomes(mapped.batch(3), 3) == [error, [3, 4, 5], "end"]
    assert outcomes(bad.filter(lambda x: x >= 0).map(lambda x: x + 1).batch(3), 3) == [error, [4, 5, 6], "end"]
    assert listed(bad.batch(3).ignore_errors()) == [[3, 4, 5]]
    two = D.range(9).map(lambda x: x + 0 * (6 // (x - 1)) + 0 * (6 // x))
    assert outcomes(two.batch(3, drop_remainder=True), 4) == [error, [3, 4, 5], [6, 7, 8], "end"]
    rows = D.range(6).map(lambda x: tf.fill([x + 0 * (6 // (x - 1))], x)).ragged_batch(3)
    assert outcomes(rows, 3) == [error, [[3] * 3, [4] * 4, [5] * 5], "end"]


def test_batch_begins_after_an_error_of_another_transformation():
    bad = D.range(6).map(lambda x: x + 0 * (6 // (x - 1)))
    expected = ["InvalidArgumentError", [2, 3, 4], [5], "end"]
    for batches in (
        bad.prefetch(1).batch(3),
        bad.cache().batch(3),
        bad.padded_batch(3),
        bad.batch(3, num_parallel_calls=2),
        D.range(6).filter(lambda x: 6 // (x - 1) < 100).batch(3),
    ):
        assert outcomes(batches, 4) == expected
