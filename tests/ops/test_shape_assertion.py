"""What is known before the values raises ValueError or TypeError."""

from __future__ import annotations

import pytest

import tfcompat as tf

Z = tf.zeros([3, 2])
T = tf.zeros([2, 3, 4])


@pytest.mark.parametrize(
    ("check", "error"),
    [
        (lambda: tf.debugging.assert_rank(Z, 3), ValueError),
        (lambda: tf.debugging.assert_rank(Z, [2]), ValueError),
        (lambda: tf.debugging.assert_rank(Z, 2.0), TypeError),
        (lambda: tf.debugging.assert_rank_at_least(Z, 3), ValueError),
        (lambda: tf.debugging.assert_rank_in(Z, (1, 3)), ValueError),
        (lambda: tf.debugging.assert_scalar(Z), ValueError),
        (lambda: tf.debugging.assert_type(Z, tf.int32), TypeError),
        (lambda: tf.debugging.assert_integer(Z), TypeError),
        (lambda: tf.debugging.assert_same_float_dtype([Z, tf.constant(1)]), ValueError),
        (lambda: tf.debugging.assert_same_float_dtype(dtype=tf.int32), ValueError),
        (lambda: tf.debugging.assert_proper_iterable(Z), TypeError),
        (lambda: tf.debugging.assert_proper_iterable("words"), TypeError),
        (lambda: tf.debugging.assert_proper_iterable(5), TypeError),
    ],
)
def test_broken_assertion_has_tensorflows_class(check, error):
    with pytest.raises(error):
        check()


def test_message_comes_first():
    with pytest.raises(ValueError, match=r"words\. Tensor must have rank 3\. Received rank 2, shape \(3, 2\)"):
        tf.debugging.assert_rank(Z, 3, message="words")


@pytest.mark.parametrize(
    "shapes",
    [
        [(Z, ("N", 2)), (tf.zeros(3), ("N",))],
        [(T, (..., "A", 4)), (Z, ("A", 2))],
        [(Z, (None, "."))],
        [(Z, ("*", 2))],
        [(Z, "N2")],
        [(Z, None)],
        [(tf.zeros([]), ())],
        [(tf.zeros([]), (1,))],
    ],
    ids=str,
)
def test_shapes_that_agree(shapes):
    assert tf.debugging.assert_shapes(shapes) is None


@pytest.mark.parametrize(
    "shapes",
    [[(Z, ("N", 3))], [(Z, ("N", "N"))], [(Z, (3,))], [(T, (2, ..., 4))], [(Z, 1)], [(Z, ("Q", 2)), (T, ("Q", 3, 4))]],
    ids=str,
)
def test_shapes_that_disagree(shapes):
    with pytest.raises(ValueError, match="assert_shapes"):
        tf.debugging.assert_shapes(shapes)
