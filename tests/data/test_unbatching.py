"""`unbatch`."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import generated, listed, outcomes

D = tf.data.Dataset


def test_rows():
    assert listed(D.range(100).batch(7).unbatch()) == list(range(100))
    rows = D.from_tensors(([1, 2], [["a"], ["b"]])).repeat(2).unbatch()
    assert listed(rows) == [(1, [b"a"]), (2, [b"b"])] * 2


def test_numbers_of_rows_may_differ_between_elements():
    values = generated([[1, 2], [], [3]], tf.TensorSpec(None, tf.int32)).unbatch()
    assert values.element_spec == tf.TensorSpec(None, tf.int32)
    assert listed(values) == [1, 2, 3]


def test_refused_when_built():
    with pytest.raises(ValueError, match="Cannot unbatch an input with scalar components"):
        D.range(5).unbatch()
    with pytest.raises(ValueError, match=r"matching leading dimension. Encountered both 2 and 3"):
        D.from_tensors((tf.zeros([2]), tf.zeros([3]))).unbatch()


def test_refused_when_read():
    pair = (tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.int32))
    values = generated([([1, 2], [3]), ([4], [5])], pair).unbatch()
    assert outcomes(values, 3) == ["InvalidArgumentError", (4, 5), "end"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Component 0 had size 2 but component 1 had size, 1"):
        next(iter(values))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have a non-scalar value in each component"):
        next(iter(generated([1], tf.TensorSpec(None, tf.int32)).unbatch()))


def test_rows_of_none():
    rows = D.from_tensor_slices((tf.range(3), None))
    assert rows.element_spec == (tf.TensorSpec([], tf.int32), tf.NoneTensorSpec())
    assert listed(rows) == [(0, None), (1, None), (2, None)]
    assert listed(rows.batch(2).unbatch()) == listed(rows)
