"""`take`, `skip`, `shard`, `repeat`, `concatenate`, and their errors."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import generated, listed, outcomes

D = tf.data.Dataset
FIVE = D.range(5)
INVALID = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("dataset", "expected"),
    [
        (FIVE.take(2), [0, 1]),
        (FIVE.take(0), []),
        (FIVE.take(-7), [0, 1, 2, 3, 4]),
        (FIVE.skip(3), [3, 4]),
        (FIVE.skip(9), []),
        (FIVE.skip(-1), []),
        (D.range(7).shard(3, 2), [2, 5]),
        (D.range(7).shard(3, 0), [0, 3, 6]),
        (D.range(10000).shard(2500, 7), [7, 2507, 5007, 7507]),
        (D.range(10000).skip(9998), [9998, 9999]),
        (FIVE.repeat(0), []),
        (D.range(2).repeat(3), [0, 1] * 3),
        (D.range(2).repeat().take(5), [0, 1, 0, 1, 0]),
        (D.range(2).repeat(-2).take(5), [0, 1, 0, 1, 0]),
        (D.range(0).repeat(), []),
        (D.from_tensors(7).repeat(3), [7] * 3),
        (D.from_tensors(["a", "b"]).repeat().take(2), [[b"a", b"b"]] * 2),
        (D.range(2).concatenate(D.range(3)), [0, 1, 0, 1, 2]),
        (D.range(5, 1), []),
        (D.range(5, 1, -2), [5, 3]),
        (D.range(0, 5, 2), [0, 2, 4]),
        (D.range(2, 5, output_type=tf.int32), [2, 3, 4]),
        (D.counter(5, -2).take(3), [5, 3, 1]),
        (D.counter(1.5, dtype=tf.float32).take(3), [1.5, 2.5, 3.5]),
    ],
    ids=range(24),
)
def test_elements(dataset, expected):
    assert listed(dataset) == listed(dataset) == expected


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: FIVE.take(1.5), TypeError, r"Cannot convert 1\.5 to EagerTensor of dtype int64"),
        (lambda: FIVE.take("a"), TypeError, "Cannot convert 'a' to EagerTensor of dtype int64"),
        (lambda: FIVE.repeat(1.5), TypeError, r"Cannot convert 1\.5"),
        (lambda: FIVE.shard(3, 3), INVALID, r"Index must be between 0 and 2 \(currently index = 3\)"),
        (lambda: FIVE.shard(3, -1), INVALID, r"Index must be between 0 and 2 \(currently index = -1\)"),
        (lambda: FIVE.shard(0, 0), INVALID, r"Number of shards must be greater than zero \(currently num_shards = 0\)"),
        (lambda: D.range(), ValueError, "The length of `args` should be between 1 and 3 but was 0"),
        (lambda: D.range(1, 2, 3, 4), ValueError, "should be between 1 and 3 but was 4"),
        (lambda: D.range(0, 5, 0), INVALID, "step must be a non-zero integer"),
        (lambda: D.range(1.5), TypeError, r"Cannot convert 1\.5"),
        (lambda: D.range(tf.constant(5)), ValueError, "requested dtype int64 for Tensor with dtype int32"),
        (lambda: FIVE.concatenate(5), AttributeError, "'int' object has no attribute 'element_spec'"),
        (lambda: FIVE.concatenate(D.from_tensors("a")), TypeError, "Incompatible dataset elements"),
        (lambda: FIVE.concatenate(D.zip((FIVE, FIVE))), TypeError, "Incompatible dataset elements"),
        (lambda: D.zip({"a": FIVE}).concatenate(D.zip({"b": FIVE})), TypeError, "Incompatible dataset elements"),
        (lambda: next(iter(D.range(5, output_type=tf.string))), INVALID, "Unsupported data type: string"),
    ],
    ids=range(16),
)
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_concatenation_relaxes_shapes():
    pair = D.from_tensor_slices([[1, 2]])
    assert pair.concatenate(D.from_tensor_slices([[1]])).element_spec == tf.TensorSpec([None], tf.int32)
    assert pair.concatenate(D.from_tensor_slices([1])).element_spec == tf.TensorSpec(None, tf.int32)
    assert listed(pair.concatenate(D.from_tensor_slices([1]))) == [[1, 2], 1]


def test_iterators_continue_after_a_bad_element():
    values = generated(["a", 2, 3, 4, 5], tf.TensorSpec([], tf.int32))
    bad = "InvalidArgumentError"
    assert outcomes(values.skip(1), 5) == [bad, 3, 4, 5, "end"]
    assert outcomes(values.take(2), 4) == [bad, 2, 3, "end"]
    assert outcomes(values.shard(2, 1), 4) == [bad, 3, 5, "end"]
    assert outcomes(values.repeat(2), 11) == [bad, 2, 3, 4, 5] * 2 + ["end"]
    assert outcomes(values.unique(), 6) == [bad, 2, 3, 4, 5, "end"]
    assert outcomes(values.prefetch(2), 6) == [bad, 2, 3, 4, 5, "end"]
    assert outcomes(values.ignore_errors(), 5) == [2, 3, 4, 5, "end"]
