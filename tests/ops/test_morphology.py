"""Dilation and erosion with filters that are larger than the image."""

from __future__ import annotations

import pytest

import tfcompat as tf

NAMES = pytest.mark.parametrize("name", ["dilation2d", "erosion2d"])


def moved(name, image, rows, columns, stride=1, dilation=1):
    filters = tf.ones([rows, columns, 1])
    strides, dilations = [1, stride, stride, 1], [1, dilation, dilation, 1]
    return getattr(tf.nn, name)(image, filters, strides, "VALID", "NHWC", dilations)


@NAMES
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [((4, 2), [1, 0, 3, 1]), ((3, 5), [1, 1, 0, 1]), ((5, 5, 2), [1, 0, 0, 1]), ((3, 4, 2, 2), [1, 0, 0, 1])],
)
def test_no_windows_if_less_than_two_strides_are_missing(name, arguments, expected):
    image = tf.ones([1, 3, 4, 1])
    with tf.GradientTape() as tape:
        tape.watch(image)
        found = moved(name, image, *arguments)
    assert found.shape == tf.function(moved)(name, image, *arguments).shape == expected
    assert not tf.reduce_any(tape.gradient(found, image) != 0)


@NAMES
@pytest.mark.parametrize("arguments", [(5, 2), (3, 6), (3, 5, 2, 2), (4, 2, 2, 2)])
def test_larger_filters_are_errors(name, arguments):
    image = tf.ones([1, 3, 4, 1])
    with pytest.raises(tf.errors.InvalidArgumentError):
        moved(name, image, *arguments)
    with pytest.raises(ValueError, match=r"filters must fit|would be negative"):
        tf.function(moved)(name, image, *arguments)
