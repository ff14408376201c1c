"""Resizing: its derivatives in every mode, long sums, and refusals. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._ops.image import resampling

IMAGE = tf.constant(np.arange(12, dtype=np.float32).reshape(1, 2, 3, 2) / 4)
METHODS = ("bilinear", "nearest", "bicubic", "lanczos3", "gaussian")


def gradients(function, x):
    """The gradient of the sum of squares of `function`, and the gradient of the gradient."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(function(x) ** 2)
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


def test_gradient_of_float64_is_float64():
    x = tf.reshape(tf.cast(IMAGE, tf.float64), [2, 3, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.resize(x, (3, 2))
    slope = tape.gradient(y, x, tf.reshape(tf.range(12.0), [3, 2, 2]))
    assert slope.dtype == tf.float64
    want = [1.5, 2.625, 1.75, 2.5, 3.75, 4.875, 7.5, 8.625, 5.75, 6.5, 9.75, 10.875]
    assert np.allclose(slope.numpy().ravel(), want, atol=1e-6)


def test_second_derivative_is_none_or_refused():
    assert gradients(lambda x: tf.image.resize(x, (3, 2)), IMAGE)[1] is None
    with pytest.raises(LookupError, match="gradient registry has no entry for: ResizeNearestNeighborGrad"):
        gradients(lambda x: tf.image.resize(x, (3, 2), "nearest"), IMAGE)
    with pytest.raises(LookupError, match="gradient registry has no entry for: ResizeArea"):
        gradients(lambda x: tf.image.resize(x, (3, 2), "area"), IMAGE)


def test_second_derivative_is_that_of_other_paths():
    with tf.GradientTape() as outer:
        outer.watch(IMAGE)
        with tf.GradientTape() as inner:
            inner.watch(IMAGE)
            y = tf.reduce_sum(tf.image.resize(IMAGE, (3, 2)) ** 2) + tf.reduce_sum(IMAGE**3)
        first = inner.gradient(y, IMAGE)
    assert np.allclose(outer.gradient(first, IMAGE), 6 * IMAGE)


@pytest.mark.parametrize("method", METHODS)
def test_forward_mode_and_jacobian_agree_with_the_gradient(method):
    def resized(x):
        return tf.image.resize(x, (3, 5), method)

    with tf.GradientTape() as tape:
        tape.watch(IMAGE)
        y = resized(IMAGE)
    jacobian = tf.reshape(tape.jacobian(y, IMAGE), [30, 12]).numpy()
    assert np.allclose(jacobian @ IMAGE.numpy().ravel(), y.numpy().ravel(), atol=1e-5)
    with tf.autodiff.ForwardAccumulator(IMAGE, tf.ones_like(IMAGE)) as forward:
        y = resized(IMAGE)
    assert np.allclose(forward.jvp(y).numpy().ravel(), jacobian.sum(1), atol=1e-5)


def test_accumulator_goes_forward_over_a_gradient():
    with tf.autodiff.ForwardAccumulator(IMAGE, tf.ones_like(IMAGE)) as forward, tf.GradientTape() as tape:
        tape.watch(IMAGE)
        y = tf.reduce_sum(tf.image.resize(IMAGE, (3, 5)) ** 2)
    assert y.shape == ()
    slope = tape.gradient(y, IMAGE)
    assert np.isfinite(forward.jvp(y).numpy())
    assert slope.shape == IMAGE.shape


def test_long_sums_are_products():
    row = tf.reshape(tf.range(200.0), [1, 200, 1])
    blurred = tf.image.resize(row, (1, 2), "lanczos3", antialias=True)
    assert np.allclose(blurred.numpy().ravel(), [51.69469, 147.305298], rtol=1e-5)
    assert np.allclose(tf.image.resize(row, (1, 2), "area").numpy().ravel(), [49.5, 149.5], rtol=1e-5)


def test_product_and_sums_are_the_same():
    taps = resampling.bicubic(9, 14)
    x = np.random.default_rng(0).standard_normal((2, 9, 9, 3)).astype(np.float32)
    for axis in (1, 2):
        assert np.allclose(taps.along(x, axis), taps.product(x, axis), atol=1e-5)
        back = taps.along(x, axis)
        assert np.allclose(taps.transposed.along(back, axis), taps.transposed.product(back, axis), atol=1e-5)


def test_resize_is_the_same_in_a_function_a_map_and_a_vectorized_map():
    images = tf.random.stateless_uniform([3, 4, 5, 2], (1, 2))
    want = tf.image.resize(images, (6, 3), "bicubic").numpy()

    def resized(image):
        return tf.image.resize(image, (6, 3), "bicubic")

    for got in (tf.function(resized)(images), tf.map_fn(resized, images), tf.vectorized_map(resized, images)):
        assert np.allclose(got.numpy(), want, atol=1e-6)


def test_size_that_a_function_computes():
    @tf.function
    def resized(image, height):
        return tf.image.resize(image, [height, 2])

    for height in (3, 1):
        assert np.allclose(resized(IMAGE, tf.constant(height)), tf.image.resize(IMAGE, [height, 2]))


def test_size_may_come_from_a_shape():
    @tf.function
    def halved(image):
        return tf.image.resize(image, tf.shape(image)[1:3] * 2)

    assert halved(IMAGE).shape == (1, 4, 6, 2)


@pytest.mark.parametrize("method", ["cubic", "triangle", "keyscubic", 0, None])
def test_unknown_method_is_refused(method):
    with pytest.raises(ValueError, match="method must be one of"):
        tf.image.resize(IMAGE, (3, 2), method)


@pytest.mark.parametrize(("size", "first"), [(83, 42), (95, 48), (5, 2)])
def test_nearest_with_aligned_corners_goes_up_from_a_half_only(size, first):
    # In float32 the middle of 83 pixels lies just below 1/2.
    row = tf.constant([[[[0.0], [1.0]]]])
    found = tf.raw_ops.ResizeNearestNeighbor(images=row, size=[1, size], align_corners=True).numpy().ravel()
    assert found.tolist() == [0.0] * first + [1.0] * (size - first)
