"""Batches of images of different sizes."""

from __future__ import annotations

import pytest

import tfcompat as tf

IMAGES = tf.ragged.stack([tf.reshape(tf.range(12.0), [4, 3, 1]), tf.reshape(tf.range(10.0), [2, 5, 1])])


def small(images):
    return tf.image.resize(images, [2, 2])


@pytest.mark.parametrize("resize", [small, tf.function(small)], ids=["eager", "function"])
def test_each_image_is_resized(resize):
    found = resize(IMAGES).numpy()[..., 0].tolist()
    assert found == [[[1.75, 3.25], [7.75, 9.25]], [[0.75, 3.25], [5.75, 8.25]]]


def test_methods_and_types():
    found = tf.image.resize(IMAGES, [3, 2], method="nearest")
    assert found.numpy()[0, ..., 0].tolist() == [[0.0, 2.0], [6.0, 8.0], [9.0, 11.0]]
    assert small(tf.cast(IMAGES, tf.uint8)).dtype == tf.float32
    assert (small(IMAGES[:0]).shape, small(IMAGES[:0]).dtype) == ([0, 2, 2, 1], tf.float32)
    rows = tf.data.Dataset.from_tensors(IMAGES).map(small)
    assert [batch.numpy()[1, 0, :, 0].tolist() for batch in rows] == [[0.75, 3.25]]


def test_gradient_reaches_the_pixels():
    with tf.GradientTape() as tape:
        tape.watch(IMAGES.flat_values)
        first = small(IMAGES)[0, 0, 0, 0]
    gradient = tape.gradient(first, IMAGES.flat_values).numpy()[:, 0].tolist()
    assert gradient[:5] == [0.375, 0.125, 0.0, 0.375, 0.125]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: tf.image.resize(IMAGES, [2, 2], preserve_aspect_ratio=True),
        lambda: small(tf.ragged.stack([tf.ones([2, 2]), tf.ones([1, 3])])),
    ],
)
def test_refused(wrong):
    with pytest.raises(ValueError, match=r"rank|aspect"):
        wrong()


def test_functions_of_pixels():
    brighter = tf.image.adjust_brightness(IMAGES, 0.5)
    assert brighter[1, 0].numpy()[:, 0].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
    scaled = tf.image.convert_image_dtype(tf.cast(IMAGES, tf.uint8), tf.float32)
    assert scaled[0, 0].numpy()[:, 0].tolist() == pytest.approx([0, 1 / 255, 2 / 255])
    assert tf.image.adjust_gamma(IMAGES, 2.0)[1, 1, 4, 0].numpy() == 81.0
