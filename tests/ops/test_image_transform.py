"""Projections of images: every mode beyond the edges, and TensorFlow's own gradient. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._ops.image.projection import image_projective_transform

IMAGE = tf.constant(np.array([[0, 1, 2], [6, 7, 8]], np.float32).reshape(1, 2, 3, 1))
TRANSFORM = tf.constant([[1.0, 0.1, -0.5, 0.05, 0.9, 0.3, 0.01, 0.0]])
BELOW_HALF = float(np.nextafter(np.float32(0.5), np.float32(0)))
SEEN = {
    ("NEAREST", "CONSTANT"): [7, 0, 1, 2, 6, 7, 8, 7],
    ("NEAREST", "REFLECT"): [0, 0, 1, 2, 6, 7, 8, 8],
    ("NEAREST", "WRAP"): [2, 0, 1, 0, 2, 1, 2, 0],
    ("NEAREST", "NEAREST"): [0, 0, 1, 2, 6, 7, 8, 8],
    ("BILINEAR", "CONSTANT"): [4.4, 2.57426, 3.82353, 5.63748, 6.52, 6.69052, 7.41253, 7.32793],
    ("BILINEAR", "REFLECT"): [1.8, 2.57426, 3.82353, 4.62136, 6.0, 6.59406, 7.56863, 8.0],
    ("BILINEAR", "WRAP"): [3.8, 2.57426, 3.82353, 2.62136, 2.0, 0.59406, 1.56863, 0.0],
    ("BILINEAR", "NEAREST"): [1.8, 2.57426, 3.82353, 4.62136, 6.0, 6.59406, 7.56863, 8.0],
}


def seen(image, interpolation="BILINEAR", mode="CONSTANT", size=(2, 4)):
    return image_projective_transform(
        images=image,
        transforms=TRANSFORM,
        output_shape=size,
        fill_value=7.0,
        interpolation=interpolation,
        fill_mode=mode,
    )


@pytest.mark.parametrize(("interpolation", "mode"), SEEN)
def test_pixels_come_from_where_the_transform_says(interpolation, mode):
    assert np.allclose(seen(IMAGE, interpolation, mode).numpy().ravel(), SEEN[interpolation, mode], atol=1e-4)


@pytest.mark.parametrize(
    ("shift", "found"),
    [(0.5, [1, 2, 9]), (BELOW_HALF, [0, 2, 9]), (-0.5, [9, 1, 2]), (-BELOW_HALF, [0, 1, 2]), (1.5, [2, 9, 9])],
)
def test_nearest_pixel_is_that_beyond_a_half_only(shift, found):
    row = tf.constant([[[[0.0], [1.0], [2.0]]]])
    transform = [[1.0, 0.0, shift, 0.0, 1.0, 0.0, 0.0, 0.0]]
    moved = image_projective_transform(row, transform, [1, 3], 9.0, "NEAREST")
    assert moved.numpy().ravel().tolist() == found


def test_gradient_is_the_image_of_the_upstream_under_the_inverse():
    with tf.GradientTape() as tape:
        tape.watch(IMAGE)
        y = seen(IMAGE)
    want = [0.63687, 0.58014, 0.52223, 1.0, 1.0, 1.0]
    assert np.allclose(tape.gradient(y, IMAGE).numpy().ravel(), want, atol=1e-4)


def test_forward_mode_takes_the_derivative():
    with tf.autodiff.ForwardAccumulator(IMAGE, tf.ones_like(IMAGE)) as forward:
        y = seen(IMAGE, mode="NEAREST")
    assert np.allclose(forward.jvp(y).numpy(), 1, atol=1e-5)


@pytest.mark.parametrize("dtype", [tf.uint8, tf.int32, tf.int64, tf.float16, tf.bfloat16, tf.float64])
def test_dtype_is_kept(dtype):
    got = seen(tf.cast(IMAGE, dtype))
    assert got.dtype == dtype
    exact = np.array(SEEN["BILINEAR", "CONSTANT"])
    want = np.trunc(exact) if dtype.is_integer else exact
    assert np.allclose(tf.cast(got, tf.float32).numpy().ravel(), want, atol=0.05)


def test_output_shape_may_come_from_a_shape_in_a_function():
    @tf.function
    def turned(images):
        return seen(images, size=tf.shape(images)[1:-1])

    assert turned(IMAGE).shape == (1, 2, 3, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"interpolation": "bilinear"}, "interpolation must be NEAREST or BILINEAR"),
        ({"mode": "FILL"}, "fill_mode must be one of"),
        ({"size": (0, 4)}, "output_shape must be positive"),
        ({"size": (4,)}, "output_shape must be two int32"),
    ],
)
def test_what_is_unknown_is_refused(arguments, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        seen(IMAGE, **arguments)
