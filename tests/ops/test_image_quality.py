"""Structural similarity: images of several blocks, and the size of the program of the gradient."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("shape", "size"), [((1, 150, 97, 2), 11), ((1, 12, 80, 3), 12), ((90, 160, 1), 70)])
def test_ssim_is_that_of_weighted_means(shape, size):
    x, y = RNG.uniform(size=(2, *shape)).astype(np.float32)
    distance = np.arange(size) - (size - 1) / 2
    weights = np.exp(-(distance**2) / 18) / np.exp(-(distance**2) / 18).sum()

    def smoothed(image):
        for axis in (-3, -2):
            image = np.apply_along_axis(np.convolve, axis, image, weights, "valid")
        return image

    mean_x, mean_y = smoothed(x), smoothed(y)
    luminance = (2 * mean_x * mean_y + 1e-4) / (mean_x**2 + mean_y**2 + 1e-4)
    covariance, variances = smoothed(x * y) - mean_x * mean_y, smoothed(x**2 + y**2) - mean_x**2 - mean_y**2
    expected = (luminance * (2 * covariance + 9e-4) / (variances + 9e-4)).mean((-3, -2, -1))
    np.testing.assert_allclose(tf.image.ssim(x, y, 1.0, size, 3.0), expected, rtol=1e-4, atol=1e-5)


def test_program_of_the_gradient_at_several_scales_is_short():
    """It has no step for each weight of the window: of those, each took some 50 ms to compile."""

    @tf.function
    def slope(x, y):
        with tf.GradientTape() as tape:
            tape.watch(x)
            similarity = tf.image.ssim_multiscale(x, y, 1.0)
        return tape.gradient(similarity, x)

    spec = tf.TensorSpec([1, 176, 176, 1])
    program = slope.get_concrete_function(spec, spec).stablehlo()
    assert program.count("stablehlo.pad") < 100


def test_map_of_ssim_is_unknown_only_where_windows_hold_pixels_that_are_not_finite():
    first = np.random.default_rng(0).random((40, 40, 1), np.float32)
    second = first * np.float32(0.9)
    wrong = second.copy()
    wrong[5, 5], wrong[30, 39] = np.nan, np.inf
    found = tf.image.ssim(first, wrong, 1.0, return_index_map=True).numpy()
    expected = tf.image.ssim(first, second, 1.0, return_index_map=True).numpy()
    expected[:6, :6], expected[20:, 29:] = np.nan, np.nan
    np.testing.assert_allclose(found, expected, 1e-5)


def test_gradient_of_the_map_of_ssim_is_unknown_only_where_these_windows_reach():
    first = tf.constant(np.random.default_rng(0).random((16, 16, 1), np.float32))
    wrong = np.random.default_rng(1).random((16, 16, 1), np.float32)
    wrong[3, 4] = np.nan
    with tf.GradientTape() as tape:
        tape.watch(first)
        found = tf.image.ssim(first, wrong, 1.0, filter_size=5, return_index_map=True)
        loss = tf.reduce_sum(tf.where(tf.math.is_nan(found), 0.0, found))
    unknown = np.isnan(tape.gradient(loss, first)[..., 0])
    expected = np.zeros((16, 16), bool)
    expected[:8, :9] = True
    np.testing.assert_array_equal(unknown, expected)
