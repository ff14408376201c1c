"""Images changed at random from the seeds' state are TensorFlow's. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.counter import counts

IMAGE = tf.constant(np.arange(24, dtype=np.float32).reshape(4, 6, 1))
COLOURS = tf.constant(np.arange(12, dtype=np.float32).reshape(2, 2, 3) / 12)


@pytest.fixture(autouse=True)
def _seeded():
    tf.random.set_seed(7)
    yield
    tf.random.set_seed(None)


def corner(tensor):
    return float(tensor.numpy().ravel()[0])


def near(tensor, want):
    return np.allclose(tensor.numpy().ravel()[: len(want)], want, atol=1e-6)


def test_images_change_in_the_order_of_the_program():
    flips = [
        [corner(tf.image.random_flip_left_right(IMAGE)), corner(tf.image.random_flip_up_down(IMAGE))] for _ in range(4)
    ]
    assert flips == [[0, 18], [5, 18], [5, 0], [0, 18]]
    assert [corner(image) for image in tf.image.random_flip_left_right(tf.stack([IMAGE] * 6))] == [0] * 6
    assert [corner(tf.image.random_crop(IMAGE, [2, 3, 1])) for _ in range(4)] == [9, 14, 12, 3]
    assert near(tf.image.random_brightness(COLOURS, 0.5), [-0.2303548, -0.1470214, -0.0636881])
    assert near(tf.image.random_contrast(COLOURS, 0.2, 0.8), [0.1691979, 0.2525313, 0.3358646])
    assert near(tf.image.random_hue(COLOURS, 0.3), [0.0, 0.1666667, 0.0301363])
    assert near(tf.image.random_saturation(COLOURS, 0.2, 0.8), [0.0830615, 0.1248641, 0.1666667])


def test_op_with_a_seed_goes_on_where_it_stopped():
    found = [corner(tf.image.random_brightness(COLOURS, 0.5, seed=5)) for _ in range(3)]
    assert found == pytest.approx([0.3669311, -0.4109198, 0.4858714], abs=1e-6)


def test_function_draws_anew_at_each_call():
    @tf.function
    def changed(image):
        return tf.image.random_brightness(
            tf.image.random_crop(tf.image.random_flip_left_right(image), [2, 3, 1]), 0.5, seed=3
        )

    assert [corner(changed(IMAGE / 24)) for _ in range(3)] == pytest.approx([0.0260879, 0.7061949, 0.2176403], abs=1e-6)


def test_each_image_of_a_batch_has_its_own_chance():
    flipped = tf.image.random_flip_up_down(tf.stack([IMAGE] * 64)).numpy()[:, 0, 0, 0]
    assert set(flipped.tolist()) == {0.0, 18.0}


def test_where_a_crop_begins_compiles_nothing_anew():
    tf.image.random_crop(IMAGE, [2, 3, 1]).numpy()
    before = counts.compiles
    for _ in range(5):
        tf.image.random_crop(IMAGE, [2, 3, 1]).numpy()
    assert counts.compiles == before


def test_limits_must_be_in_order():
    with pytest.raises(ValueError, match="max_delta must not be negative"):
        tf.image.random_brightness(COLOURS, -0.1)
    with pytest.raises(ValueError, match=r"max_delta must be at most 0\.5"):
        tf.image.random_hue(COLOURS, 0.6)
    with pytest.raises(ValueError, match="lower must be less than upper"):
        tf.image.random_contrast(COLOURS, 0.5, 0.5)
    with pytest.raises(ValueError, match="lower must not be negative"):
        tf.image.random_saturation(COLOURS, -0.5, 0.5)


def test_crop_must_fit():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.image\.random_crop: size must have a number"):
        tf.image.random_crop(IMAGE, [5, 3, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="for each axis"):
        tf.image.random_crop(IMAGE, [2, 3])
