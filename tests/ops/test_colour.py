"""Colours: derivatives at ties, dtypes that are computed as another. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


def test_gradient_of_hue_takes_one_of_equal_channels():
    colours = tf.constant([[0.2, 0.2, 0.2], [0.5, 0.5, 0.1], [0.0, 0.0, 0.0], [0.1, 0.4, 0.4]])
    with tf.GradientTape() as tape:
        tape.watch(colours)
        hsv = tf.image.rgb_to_hsv(colours)
    slope = tape.gradient(hsv, colours, tf.constant([[1.0, 2.0, 3.0]] * 4))
    want = [[13, 0, -10], [3.38333, 0.41667, -4], [3, 0, 0], [-5, 3.69444, 0.55556]]
    assert np.allclose(slope.numpy(), want, atol=1e-4)


@pytest.mark.parametrize(
    ("adjust", "want"),
    [
        (lambda image: tf.image.adjust_gamma(image, 2.0), [0.0625, 0.25, 0.5625]),
        (lambda image: tf.image.adjust_contrast(image, 0.5), [0.25, 0.5, 0.75]),
        (lambda image: tf.image.adjust_hue(image, 0.25), [0.75, 0.25, 0.75]),
        (lambda image: tf.image.adjust_saturation(image, 0.5), [0.5, 0.625, 0.75]),
    ],
    ids=["gamma", "contrast", "hue", "saturation"],
)
def test_adjustment_of_float64_is_float64(adjust, want):
    adjusted = adjust(tf.constant([[[0.25, 0.5, 0.75]]], tf.float64))
    assert adjusted.dtype == tf.float64
    assert np.allclose(adjusted.numpy().ravel(), want, atol=1e-6)


def test_standardized_image_is_float32():
    image = tf.image.per_image_standardization(tf.constant([[[0.25, 0.5, 0.75]]], tf.float64))
    assert image.dtype == tf.float32
    assert np.allclose(image.numpy().ravel(), [-0.433013, 0, 0.433013], atol=1e-6)


def test_gradient_of_a_constant_image_standardized_is_zero():
    image = tf.ones([2, 2, 3])
    with tf.GradientTape() as tape:
        tape.watch(image)
        y = tf.image.per_image_standardization(image)
    assert not tape.gradient(y, image).numpy().any()


def test_hue_that_a_function_computes_is_not_checked():
    image = tf.constant([[[0.2, 0.6, 0.4]]])
    with pytest.raises(ValueError, match=r"delta must be in \[-1, 1\]"):
        tf.image.adjust_hue(image, tf.constant(1.25))
    turned = tf.function(tf.image.adjust_hue)(image, tf.constant(1.25))
    assert np.allclose(turned, tf.image.adjust_hue(image, 0.25), atol=1e-6)


def test_gamma_that_a_program_computes_must_not_be_negative():
    image = tf.constant([[[0.2, 0.6, 0.4]]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="gamma must not be negative"):
        tf.image.adjust_gamma(image, -tf.reduce_sum(image)).numpy()
