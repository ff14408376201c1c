"""Random changes of images with stateful seeds are TensorFlow's. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system.counter import counts

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
    # The first crop makes the state of the stream, the second is the first that finds one.
    for _ in range(2):
        tf.image.random_crop(IMAGE, [2, 3, 1]).numpy()
    before = counts.compiles
    for _ in range(5):
        tf.image.random_crop(IMAGE, [2, 3, 1]).numpy()
    assert counts.compiles == before


OBJECTS = tf.constant([[[0.1, 0.2, 0.6, 0.8], [0.3, 0.3, 0.9, 0.5]]])
FIRST = [[15, 7, 0, 17, 21, -1], [9, 5, 0, 29, 22, -1], [2, 4, 0, 32, 39, -1]]
SECOND = [[10, 1, 0, 24, 30, -1], [3, 11, 0, 33, 39, -1]]


def test_window_that_covers_an_object():
    def sampled(**options):
        begin, size, _ = tf.image.sample_distorted_bounding_box([40, 60, 3], OBJECTS, seed=5, **options)
        return begin.numpy().tolist() + size.numpy().tolist()

    assert [sampled() for _ in range(3)] == FIRST
    assert [sampled(min_object_covered=0.9, area_range=(0.3, 1.0)) for _ in range(2)] == SECOND
    begin, size, box = (
        part.numpy().ravel() for part in tf.image.sample_distorted_bounding_box([40, 60, 3], OBJECTS, 5)
    )
    edges = [begin[0] / 40, begin[1] / 60, (begin[0] + size[0]) / 40, (begin[1] + size[1]) / 60]
    assert box.tolist() == pytest.approx(edges)


def test_window_without_a_seed_is_left_to_chance_and_uses_up_no_number():
    first = tf.random.uniform([]).numpy()
    tf.random.set_seed(7)
    windows = {
        tuple(tf.image.sample_distorted_bounding_box([400, 600, 3], OBJECTS).begin.numpy().tolist()) for _ in range(9)
    }
    assert len(windows) > 1
    assert tf.random.uniform([]).numpy() == first


def test_function_samples_another_window_at_each_call():
    @tf.function
    def window(size):
        return tf.image.sample_distorted_bounding_box(size, OBJECTS, seed=5).begin

    assert [window(tf.constant([40, 60, 3])).numpy().tolist() for _ in range(3)] == [each[:3] for each in FIRST]


def test_glimpse_has_noise_beyond_the_edges():
    image = tf.reshape(tf.range(48.0), [1, 6, 8, 1])
    glimpses = [tf.image.extract_glimpse(image, [4, 4], [[1.0, 1.0]]).numpy()[0, :, :, 0] for _ in range(2)]
    for glimpse in glimpses:
        assert glimpse[:2, :2].tolist() == [[38.0, 39.0], [46.0, 47.0]]
        assert glimpse.min() >= 0
        assert glimpse.max() <= 47
    assert (glimpses[0] != glimpses[1]).sum() == 12
    shaped = tf.image.extract_glimpse(image, [60, 80], [[0.0, 0.0]], noise="gaussian").numpy()
    assert abs(shaped.mean() - 23.5) < 1
    assert abs(shaped.std() - 12.8) < 0.7  # the pixels': 13.85; the tails are clipped to the range of the pixels
    assert (shaped.min(), shaped.max()) == (0, 47)


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
