"""`Dimension` as `tf.compat.v1.Dimension` of TensorFlow 2.21 behaves."""

from __future__ import annotations

import operator
import pickle

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.types.dimension import Dimension

THREE = Dimension(3)
UNKNOWN = Dimension(None)


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (lambda: THREE + 2, "Dimension(5)"),
        (lambda: 2 + THREE, "Dimension(5)"),
        (lambda: THREE - 1, "Dimension(2)"),
        (lambda: 10 - THREE, "Dimension(7)"),
        (lambda: THREE * 2, "Dimension(6)"),
        (lambda: Dimension(7) // 2, "Dimension(3)"),
        (lambda: 10 // THREE, "Dimension(3)"),
        (lambda: Dimension(7) % 3, "Dimension(1)"),
        (lambda: 10 % THREE, "Dimension(1)"),
        (lambda: THREE + None, "Dimension(None)"),
        (lambda: None * THREE, "Dimension(None)"),
        (lambda: UNKNOWN + 1, "Dimension(None)"),
        (lambda: UNKNOWN // 0, "Dimension(None)"),
    ],
)
def test_dimension_arithmetic(make, shown):
    assert repr(make()) == shown


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: THREE / 2, TypeError),
        (lambda: THREE + "a", TypeError),
        (lambda: THREE + 2.0, TypeError),
        (lambda: THREE * -1, TypeError),
        (lambda: THREE < "a", TypeError),
        (lambda: THREE // 0, ZeroDivisionError),
        (lambda: THREE - 4, ValueError),
        (lambda: Dimension(-1), ValueError),
        (lambda: Dimension("a"), TypeError),
        (lambda: Dimension(2.5), TypeError),
        (lambda: int(UNKNOWN), TypeError),
        (lambda: range(5)[UNKNOWN], TypeError),
        (lambda: hash(THREE), TypeError),
        (lambda: THREE.merge_with(4), ValueError),
        (lambda: THREE.assert_is_compatible_with(4), ValueError),
    ],
)
def test_dimension_refuses(make, error):
    with pytest.raises(error):
        make()


@pytest.mark.parametrize(
    ("compare", "dimension", "other", "answer"),
    [
        (operator.eq, THREE, 3, True),
        (operator.eq, THREE, Dimension(3), True),
        (operator.ne, THREE, 4, True),
        (operator.lt, THREE, 4, True),
        (operator.le, THREE, 3, True),
        (operator.gt, THREE, 2, True),
        (operator.ge, THREE, Dimension(4), False),
        (operator.eq, THREE, "a", False),
        (operator.ne, THREE, "a", True),
        (operator.eq, THREE, UNKNOWN, None),
        (operator.eq, UNKNOWN, Dimension(None), None),
        (operator.ne, UNKNOWN, 3, None),
        (operator.lt, UNKNOWN, 4, None),
    ],
    ids=str,
)
def test_dimension_comparison_with_the_unknown_is_none(compare, dimension, other, answer):
    assert compare(dimension, other) is answer


def test_dimension_is_a_number():
    assert int(THREE) == THREE.value == 3
    assert range(5)[THREE] == 3
    assert type(Dimension(np.int64(3)).value) is int
    assert UNKNOWN.value is None
    assert (bool(THREE), bool(Dimension(0)), bool(UNKNOWN)) == (True, False, False)
    assert (str(THREE), str(UNKNOWN)) == ("3", "?")


def test_dimension_merges():
    assert THREE.merge_with(None).value == UNKNOWN.merge_with(3).value == THREE.merge_with(THREE).value == 3
    assert THREE.is_compatible_with(None)
    assert UNKNOWN.is_compatible_with(4)
    assert not THREE.is_compatible_with(4)


def test_dimension_survives_pickle():
    assert repr(pickle.loads(pickle.dumps(UNKNOWN))) == "Dimension(None)"
    assert pickle.loads(pickle.dumps(THREE)).value == 3


def test_dimensions_are_integers_in_tensors_and_shapes():
    two = Dimension(2)
    found = (
        *(
            tf.convert_to_tensor(THREE),
            tf.convert_to_tensor(THREE, tf.int64),
            tf.convert_to_tensor([THREE, 2], tf.float32),
        ),
        *(tf.tile([1], [two]), tf.reshape(tf.range(6), [THREE, 2]), tf.ones([two]), tf.stack([THREE, tf.constant(2)])),
    )
    assert [(each.dtype.name, each.numpy().tolist()) for each in found] == [
        *(("int32", 3), ("int64", 3), ("float32", [3.0, 2.0])),
        *(("int32", [1, 1]), ("int32", [[0, 1], [2, 3], [4, 5]]), ("float32", [1.0, 1.0]), ("int32", [3, 2])),
    ]
    with pytest.raises(TypeError, match="Cannot convert Dimension 3 to dtype"):
        tf.convert_to_tensor(THREE, tf.float32)
    with pytest.raises(ValueError, match="Cannot convert unknown Dimension"):
        tf.convert_to_tensor(UNKNOWN)
