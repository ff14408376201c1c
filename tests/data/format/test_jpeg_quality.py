"""Changes of the quality of images; sums of pixels are those of TensorFlow 2.21."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

D = tf.data.Dataset
PIXELS = np.random.default_rng(0).integers(0, 256, (16, 20, 3)).astype(np.uint8)


def total(image):
    return pytest.approx(float(tf.reduce_sum(tf.cast(image, tf.float64))), rel=1e-6)


def test_qualities():
    assert tf.image.adjust_jpeg_quality(PIXELS, 50).dtype is tf.uint8
    assert total(tf.image.adjust_jpeg_quality(PIXELS, 50)) == 125691
    assert total(tf.image.adjust_jpeg_quality((PIXELS / 255.0).astype(np.float32), tf.constant(20))) == 494.658843
    assert tf.image.adjust_jpeg_quality(PIXELS / 255.0, 50).dtype is tf.float64
    assert tf.image.adjust_jpeg_quality(PIXELS[..., :1], 50).shape == (16, 20, 1)


def test_random_qualities():
    assert total(tf.image.stateless_random_jpeg_quality(PIXELS, 20, 80, (1, 2))) == 125283
    tf.random.set_seed(1)
    try:
        assert total(tf.image.random_jpeg_quality(PIXELS, 20, 80, seed=3)) == 125222
        assert total(tf.image.random_jpeg_quality(PIXELS, 20, 80, seed=3)) == 125409
    finally:
        tf.random.set_seed(None)


def test_random_qualities_of_elements():
    tf.random.set_seed(5)
    try:
        images = D.from_tensors(PIXELS).repeat(3)
        found = images.map(lambda x: tf.image.random_jpeg_quality(tf.cast(x, tf.float32) / 255.0, 30, 90))
        assert found.element_spec == tf.TensorSpec([None, None, 3], tf.float32)
        sums = [float(tf.reduce_sum(image)) for image in found]
        np.testing.assert_allclose(sums, [491.066711, 491.090209, 492.615722], rtol=1e-6)
    finally:
        tf.random.set_seed(None)


def test_bad_qualities():
    with pytest.raises(tf.errors.InvalidArgumentError, match="quality must be in"):
        tf.image.adjust_jpeg_quality(PIXELS, 101)
    with pytest.raises(ValueError, match="between 0 and 100"):
        tf.image.random_jpeg_quality(PIXELS, -1, 5)
    with pytest.raises(ValueError, match="must be less than"):
        tf.image.stateless_random_jpeg_quality(PIXELS, 5, 5, (1, 2))
    with pytest.raises(TypeError):
        tf.image.adjust_jpeg_quality(PIXELS, 50.0)
