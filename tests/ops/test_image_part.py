"""Crops, patches and boxes cut out of images: values and refusals. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system.counter import counts

IMAGE = tf.constant(np.arange(24, dtype=np.float32).reshape(1, 4, 6, 1))


def listed(tensor):
    return tensor.numpy().ravel().tolist()


def test_where_a_box_begins_is_a_value():
    first = tf.image.crop_to_bounding_box(IMAGE, 0, 0, 2, 2)
    assert listed(first) == [0, 1, 6, 7]
    assert listed(tf.image.pad_to_bounding_box(first, 0, 0, 2, 3)) == [0, 1, 0, 6, 7, 0]
    before = counts.compiles
    for row in range(3):
        part = tf.image.crop_to_bounding_box(IMAGE, row, 4 - row, 2, 2)
        assert listed(part)[0] == 6 * row + 4 - row
        assert listed(tf.image.pad_to_bounding_box(first, 0, row % 2, 2, 3))[row % 2] == 0
    assert counts.compiles <= before + 2


def test_box_that_a_program_computes_must_lie_in_the_image():
    far = tf.cast(tf.reduce_sum(IMAGE), tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="the smaller box must lie in the larger"):
        tf.image.crop_to_bounding_box(IMAGE, far, 0, 2, 2).numpy()


def test_box_in_a_function():
    @tf.function
    def cut(image, row):
        return tf.image.crop_to_bounding_box(image, row, row + 1, 2, 1)

    assert listed(cut(IMAGE, tf.constant(1))) == [8, 14]
    assert listed(cut(IMAGE, tf.constant(2))) == [15, 21]
    with pytest.raises(tf.errors.InvalidArgumentError, match="the smaller box must lie in the larger"):
        cut(IMAGE, tf.constant(3)).numpy()


def test_image_turns_as_a_value_says():
    square = tf.reshape(tf.range(9), [3, 3, 1])

    @tf.function
    def turned(image, k):
        return tf.image.rot90(image, k)

    assert listed(turned(square, tf.constant(1))) == [2, 5, 8, 1, 4, 7, 0, 3, 6]
    assert listed(turned(square, tf.constant(6))) == [8, 7, 6, 5, 4, 3, 2, 1, 0]
    oblong = tf.reshape(tf.range(6), [2, 3, 1])
    for k, shape, pixels in ((1, [3, 2, 1], [2, 5, 1, 4, 0, 3]), (2, [2, 3, 1], [5, 4, 3, 2, 1, 0])):
        found = turned(oblong, tf.constant(k))
        assert (found.shape.as_list(), listed(found)) == (shape, pixels)


def test_gradient_by_boxes_is_that_between_pixels_for_nearest_too():
    boxes = tf.constant([[0.1, 0.2, 0.8, 0.9]])
    with tf.GradientTape() as tape:
        tape.watch(boxes)
        crop = tf.image.crop_and_resize(IMAGE, boxes, [0], [2, 2], "nearest")
    assert listed(crop) == [1, 5, 13, 17]
    assert np.allclose(listed(tape.gradient(crop, boxes)), [36, 0, 36, 10], atol=1e-5)


def test_last_pixel_of_a_crop_is_that_of_the_image():
    # In one rounding less it would lie beyond the edge.
    crops = tf.image.crop_and_resize(IMAGE, [[0.0, 0.0, 1.0, 1.0], [0.07, 0.13, 1.0, 1.0]], [0, 0], [7, 9])
    assert crops.numpy()[:, -1, -1, 0].tolist() == [23, 23]


def test_image_that_there_is_not_is_out_of_range():
    with pytest.raises(tf.errors.OutOfRangeError, match=r"box_indices must be in \[0, 1\)"):
        tf.image.crop_and_resize(IMAGE, [[0.0, 0.0, 1.0, 1.0]], [1], [2, 2])


def test_crops_have_no_second_derivative():
    with tf.GradientTape() as outer:
        outer.watch(IMAGE)
        with tf.GradientTape() as inner:
            inner.watch(IMAGE)
            y = tf.reduce_sum(tf.image.crop_and_resize(IMAGE, [[0.0, 0.0, 1.0, 1.0]], [0], [3, 3]) ** 2)
        first = inner.gradient(y, IMAGE)
    with pytest.raises(LookupError, match="no entry for: CropAndResizeGradImage"):
        outer.gradient(first, IMAGE)


def test_patches_side_by_side_hold_all_pixels():
    patches = tf.image.extract_patches(IMAGE, [1, 2, 3, 1], [1, 2, 3, 1], [1, 1, 1, 1], "VALID")
    assert patches.numpy()[0, 0].tolist() == [[0, 1, 2, 6, 7, 8], [3, 4, 5, 9, 10, 11]]
    overlapping = tf.image.extract_patches(IMAGE, [1, 2, 3, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
    assert overlapping.numpy()[0, ::2, ::3].tolist() == patches.numpy()[0].tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_boxes_to_cut_out_must_be_finite(bad):
    box = tf.Variable([[0.0, 0.0, 1.0, bad]])
    for boxes in ([[0.0, 0.0, 1.0, bad]], box + 0.0):
        with pytest.raises(tf.errors.InvalidArgumentError, match="finite"):
            tf.image.crop_and_resize(IMAGE, boxes, [0], [2, 2]).numpy()


def test_boxes_to_sample_must_be_numbers():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.image.stateless_sample_distorted_bounding_box([4, 4, 1], [[[0.0, 0.0, np.nan, 1.0]]], [1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.image.stateless_sample_distorted_bounding_box(
            [4, 4, 1], [[[0.0, 0.0, 1.0, 1.0]]], [1, 2], min_object_covered=np.nan
        )


def test_images_without_boxes_stay_as_they_are():
    image = tf.ones([2, 3, 3, 1])
    for colors in (None, [[0.5]]):
        np.testing.assert_array_equal(tf.image.draw_bounding_boxes(image, tf.zeros([2, 0, 4]), colors), image)
