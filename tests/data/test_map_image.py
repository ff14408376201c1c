"""Functions of elements that read files and decode images, whose sizes differ."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import thorough

D = tf.data.Dataset
SIZES = ((9, 12), (12, 9), (20, 5), (16, 16), (1, 7), (3, 1))


@pytest.fixture(autouse=True)
def _seed():
    yield
    tf.random.set_seed(None)


@pytest.fixture(scope="module")
def images():
    rng = np.random.default_rng(0)
    return [rng.integers(0, 256, (*size, 3)).astype(np.uint8) for size in SIZES]


@pytest.fixture(scope="module")
def files(images, tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    paths = [str(folder / ("cat" if place % 2 else "dog") / f"{place}.png") for place in range(len(images))]
    for path, image in zip(paths, images, strict=True):
        tf.io.write_file(path, tf.io.encode_png(image))
    return paths


def decoded(path):
    return tf.io.decode_png(tf.io.read_file(path), channels=3)


def of_each(files, function, **options):
    return [x.numpy() for x in D.from_tensor_slices(files).map(lambda path: function(decoded(path)), **options)]


@pytest.mark.parametrize("method", ["bilinear", "nearest", "area", *map(thorough, ("bicubic", "lanczos3", "gaussian"))])
def test_images_of_many_sizes_are_resized(images, files, method):
    found = of_each(files, lambda image: tf.image.resize(image, [6, 8], method=method))
    for made, image in zip(found, images, strict=True):
        wanted = tf.image.resize(image, [6, 8], method=method)
        assert made.dtype == wanted.dtype
        np.testing.assert_allclose(made, wanted, rtol=2e-5, atol=2e-3)


@pytest.mark.parametrize("method", ["bilinear", "nearest", "bicubic", "area"])
@pytest.mark.parametrize("shape", [(400, 500, 3), (2, 40, 700, 4), (300, 20, 1)])
def test_large_images_are_resized(shape, method):
    image = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    spec = tf.TensorSpec([None] * (len(shape) - 1) + [shape[-1]], tf.uint8)
    source = D.from_generator(lambda: iter([image]), output_signature=spec)
    (made,) = source.map(lambda x: tf.image.resize(x, [210, 330], method=method), num_parallel_calls=2)
    np.testing.assert_allclose(made, tf.image.resize(image, [210, 330], method=method), rtol=2e-6, atol=1e-4)


@pytest.mark.parametrize("dtype", ["int8", "int64", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("shape", [(90, 70, 2), pytest.param((70, 90, 2), marks=pytest.mark.thorough)])
@pytest.mark.parametrize("method", ["bilinear", "bicubic", "area"])
def test_images_of_other_dtypes_are_resized(shape, dtype, method):
    image = tf.cast(np.random.default_rng(0).integers(0, 100, shape), dtype)
    spec = tf.TensorSpec([None, None, 2], dtype)
    source = D.from_generator(lambda: iter([tf.transpose(image, [1, 0, 2])]), output_signature=spec)
    (made,) = source.map(lambda x: tf.image.resize(tf.transpose(x, [1, 0, 2]), [80, 64], method=method))
    assert made.dtype == tf.float32
    np.testing.assert_allclose(made, tf.image.resize(image, [80, 64], method=method), rtol=2e-6, atol=1e-4)


def test_sizes_computed_from_an_image(files):
    def shrunk(image):
        sides = tf.cast(tf.shape(image)[:2], tf.float32)
        return tf.image.resize(image, tf.maximum(tf.cast(sides * 8.0 / tf.reduce_max(sides), tf.int32), 1))

    found = of_each(files, shrunk)
    assert [made.shape for made in found] == [(6, 8, 3), (8, 6, 3), (8, 2, 3), (8, 8, 3), (1, 8, 3), (8, 2, 3)]
    ratio = of_each(files, lambda image: tf.image.resize(image, [8, 8], preserve_aspect_ratio=True))
    assert [made.shape for made in ratio][:2] == [(6, 8, 3), (8, 6, 3)]


def test_parts_of_images(images, files):
    for function in (
        lambda image: tf.image.resize_with_crop_or_pad(image, 8, 8),
        lambda image: tf.image.central_crop(image, 0.5),
        lambda image: tf.image.flip_left_right(image)[:1],
        lambda image: tf.image.rgb_to_grayscale(image),
        lambda image: tf.image.pad_to_bounding_box(image, 1, 2, 30, 30),
        lambda image: tf.reduce_mean(tf.cast(image, tf.float32), [0, 1]),
        lambda image: tf.image.per_image_standardization(image),
    ):
        for made, image in zip(of_each(files, function), images, strict=True):
            np.testing.assert_allclose(made, function(tf.constant(image)), rtol=2e-5, atol=1e-5)


def test_random_parts_have_the_numbers_of_a_function(images, files):
    large = files[:2]
    tf.random.set_seed(1)
    found = of_each(large, lambda image: tf.image.random_crop(image, [5, 4, 3], seed=2))
    assert [made.shape for made in found] == [(5, 4, 3)] * 2
    tf.random.set_seed(1)
    again = of_each(large, lambda image: tf.image.random_crop(image, [5, 4, 3], seed=2))
    np.testing.assert_array_equal(found, again)
    tf.random.set_seed(1)
    numbers = [x.numpy() for x in D.range(2).map(lambda _: tf.random.uniform([3], 0, 2**31 - 1, tf.int32, seed=2))]
    for made, image, drawn in zip(found, images, numbers, strict=False):
        top, left, _ = drawn % (np.array(image.shape) - [5, 4, 3] + 1)
        np.testing.assert_array_equal(made, image[top : top + 5, left : left + 4])
    iterator = iter(D.from_tensor_slices(files[3:]).map(lambda path: tf.image.random_crop(decoded(path), [2, 2, 3])))
    assert next(iterator).shape == (2, 2, 3)
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)


def test_labels_come_from_paths(files):
    def function(path):
        return tf.image.resize(decoded(path), [4, 4]), tf.strings.split(path, "/")[-2] == "cat"

    (batch,) = D.from_tensor_slices(files).map(function, num_parallel_calls=tf.data.AUTOTUNE).batch(6)
    assert batch[0].shape == (6, 4, 4, 3)
    assert batch[1].numpy().tolist() == [False, True] * 3


def test_a_missing_or_broken_file_is_one_error(files, tmp_path):
    broken = str(tmp_path / "broken.png")
    tf.io.write_file(broken, "no image")
    paths = [files[0], str(tmp_path / "missing.png"), broken, files[1]]
    iterator = iter(D.from_tensor_slices(paths).map(decoded, num_parallel_calls=2))
    assert next(iterator).shape == (9, 12, 3)
    for error in (tf.errors.NotFoundError, tf.errors.InvalidArgumentError):
        with pytest.raises(error):
            next(iterator)
    assert next(iterator).shape == (12, 9, 3)


def test_the_kind_of_a_file_decides_how_it_is_decoded(images, tmp_path):
    paths = [str(tmp_path / "0.png"), str(tmp_path / "1.jpg")]
    tf.io.write_file(paths[0], tf.io.encode_png(images[0]))
    tf.io.write_file(paths[1], tf.io.encode_jpeg(images[1]))

    def function(path):
        content = tf.io.read_file(path)
        jpeg, png = (lambda: tf.io.decode_jpeg(content, channels=3)), (lambda: tf.io.decode_png(content, channels=3))
        return tf.cond(tf.io.is_jpeg(content), jpeg, png)

    dataset = D.from_tensor_slices(paths).map(function)
    assert dataset.element_spec == tf.TensorSpec([None, None, 3], tf.uint8)
    assert [image.shape.as_list() for image in dataset] == [[9, 12, 3], [12, 9, 3]]


def test_batches_of_files_are_decoded_by_map_fn(files):
    def function(paths):
        resized = lambda path: tf.image.resize(decoded(path), [4, 4])  # noqa: E731
        return tf.map_fn(resized, paths, fn_output_signature=tf.float32)

    dataset = D.from_tensor_slices(files).batch(4).map(function)
    assert dataset.element_spec.shape.as_list()[1:] == [4, 4, 3]
    assert [batch.shape[0] for batch in dataset] == [4, 2]


def test_window_at_a_random_position_ends_with_the_image(files):
    def part(image):
        start = tf.random.uniform([], 0, 3, tf.int32, seed=3)
        return image[start : start + 4, 1 : start + 1, ...]

    tf.random.set_seed(1)
    source = D.from_tensor_slices(files).map(decoded).map(part)
    assert source.element_spec.shape.as_list() == [None, None, 3]
    # TensorFlow 2.21's.
    assert [tuple(x.shape) for x in source] == [(4, 2, 3), (4, 1, 3), (4, 0, 3), (4, 1, 3), (0, 2, 3), (3, 0, 3)]


def test_random_sizes_are_computed_by_the_host():
    def resized(image):
        height = tf.random.uniform([], 2, 30, tf.int32, seed=1)
        return tf.image.pad_to_bounding_box(tf.image.resize(image, [height, 4]), 0, 1, 30, 6)

    tf.random.set_seed(1)
    image = np.random.default_rng(0).random((9, 7, 3)).astype(np.float32)
    source = D.from_tensors(image).repeat(30).map(lambda x: tf.image.resize(x, [tf.shape(x)[0] // 2, 4]))
    assert source.element_spec.shape.as_list() == [4, 4, 3]
    source = D.from_tensors(image).repeat(30).map(resized)
    assert source.element_spec.shape.as_list() == [30, 6, 3]
    with tf.counted() as counts:
        found = list(source)
    assert counts.compiles == 0
    heights = [int(np.count_nonzero(np.asarray(x).any((1, 2)))) for x in found]
    assert heights[:10] == [20, 28, 27, 21, 2, 25, 24, 3, 5, 4]  # TensorFlow 2.21's
    for made, height in zip(found, heights, strict=True):
        wanted = tf.image.pad_to_bounding_box(tf.image.resize(image, [height, 4]), 0, 1, 30, 6)
        np.testing.assert_allclose(made, wanted, rtol=2e-6, atol=1e-6)


def test_centre_of_an_image_of_open_size():
    # TensorFlow takes the fraction as float32: 5 - 5 * 0.6 is less than 2.
    images = D.from_generator(
        lambda: iter([np.zeros((5, 9, 3), np.float32)]), output_signature=tf.TensorSpec([None] * 3)
    )
    (made,) = images.map(lambda image: tf.image.central_crop(image, 0.6))
    assert made.shape == (5, 7, 3)


# Of the crops that TensorFlow 2.21 makes.
SUMS = [[26.182, 325.2, 95.327], [26.743, 35.286], [42.24, 681.84, 1321.44, -6.0]]


def test_boxes_of_images_of_many_sizes_are_cut_by_one_program():
    def cut(images, boxes):
        return tf.image.crop_and_resize(images, boxes, tf.range(tf.shape(boxes)[0]), [2, 3], extrapolation_value=-1.0)

    def pairs():
        for count, height, width in ((3, 5, 7), (2, 6, 4), (4, 9, 9)):
            images = np.arange(count * height * width, dtype=np.float32).reshape(count, height, width, 1)
            yield images, np.linspace(0, 1.2, 4 * count, dtype=np.float32).reshape(count, 4)

    spec = tf.TensorSpec([None, None, None, 1], tf.float32), tf.TensorSpec([None, 4], tf.float32)
    dataset = D.from_generator(pairs, output_signature=spec).map(cut)
    assert None not in dataset._node.calls._general.programs[-1:]
    sums = [tf.reduce_sum(made, [1, 2, 3]).numpy().tolist() for made in dataset]
    for made, wanted in zip(sums, SUMS, strict=True):
        assert made == pytest.approx(wanted, abs=1e-3)


def test_boxes_of_computed_sizes_are_cut_where_an_image_has_one_row():
    rows = np.arange(15, dtype=np.float32).reshape(3, 1, 5, 1)
    boxes = D.from_tensor_slices((rows, [0, 0, 0], [1, 2, 0], [1, 1, 1], [2, 1, 5]))
    cut = boxes.map(tf.image.crop_to_bounding_box)
    assert [part.ravel().tolist() for part in cut.as_numpy_iterator()] == [[1, 2], [7], [10, 11, 12, 13, 14]]
    surrounded = cut.map(lambda part: tf.image.pad_to_bounding_box(part, 0, 0, 1, 5)).as_numpy_iterator()
    assert next(surrounded).ravel().tolist() == [1, 2, 0, 0, 0]
    too_high = D.from_tensors((rows[0], 0, 0, 2, 1)).map(tf.image.crop_to_bounding_box)
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(too_high)
