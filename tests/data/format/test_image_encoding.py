"""`tf.io.encode_jpeg` and `tf.io.encode_png`: bytes are TensorFlow's, as digests of its files."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

import tfcompat as tf


def picture(height: int, width: int, channels: int) -> np.ndarray:
    """A smooth picture whose values are the same everywhere."""
    rows, columns, colours = np.ogrid[:height, :width, :channels]
    return ((rows * rows * 3 + columns * 7 + colours * 50 + rows * columns) % 251).astype(np.uint8)


def digest(tensor: object) -> str:
    return f"{zlib.crc32(tensor.numpy()):08x}"


@pytest.mark.parametrize(
    ("channels", "options", "expected"),
    [
        (3, {}, "294e3d50"),
        (1, {}, "e3c8f280"),
        (3, {"quality": 0}, "22a3bd45"),
        (3, {"quality": 60, "progressive": True}, "5aee425d"),
        (1, {"optimize_size": True, "format": "grayscale"}, "e89a452d"),
        (3, {"chroma_downsampling": False, "format": "rgb"}, "9c1e6e19"),
        (3, {"density_unit": "cm", "x_density": 7, "y_density": 9}, "b1a71fb9"),
        (3, {"xmp_metadata": "<x/>"}, "bf9a267e"),
    ],
)
def test_jpeg_file_is_that_of_tensorflow(channels: int, options: dict, expected: str) -> None:
    assert digest(tf.io.encode_jpeg(picture(37, 29, channels), **options)) == expected


@pytest.mark.parametrize(
    ("shape", "dtype", "compression", "expected"),
    [
        ((37, 29, 1), np.uint8, -1, "e016d8dd"),
        ((37, 29, 2), np.uint8, 1, "a51294a4"),
        ((37, 29, 3), np.uint8, 9, "ae94db3f"),
        ((37, 29, 4), np.uint8, 6, "7ab7641a"),
        ((37, 29, 3), np.uint16, -1, "c46069ab"),
        ((1, 9, 4), np.uint16, -1, "fce95fec"),
        ((9, 1, 3), np.uint8, -1, "ada4ce1f"),
        ((200, 150, 3), np.uint8, -1, "5d420a13"),
    ],
)
def test_png_file_has_the_pixels(shape: tuple, dtype: type, compression: int, expected: str) -> None:
    pixels = picture(*shape).astype(dtype) * (1 if dtype is np.uint8 else 251)
    found = tf.io.encode_png(pixels, compression)
    decoded = tf.io.decode_image(found, dtype=tf.uint8 if dtype is np.uint8 else tf.uint16)
    assert np.array_equal(decoded.numpy(), pixels)
    # zlib differs between systems; the digest is of the filtered rows, which libpng and tfcompat choose alike.
    assert f"{zlib.crc32(inflated(found.numpy())):08x}" == expected


def inflated(content: bytes) -> bytes:
    place, data = 8, b""
    while place < len(content):
        size = int.from_bytes(content[place : place + 4])
        if content[place + 4 : place + 8] == b"IDAT":
            data += content[place + 8 : place + 8 + size]
        place += size + 12
    return zlib.decompress(data)


def test_images_of_a_batch_are_encoded_one_by_one() -> None:
    batch = np.stack([picture(5, 4, 3), picture(5, 4, 3)[::-1]])[None]
    files = tf.io.encode_png(batch)
    assert files.shape.as_list() == [1, 2]
    assert np.array_equal(tf.io.decode_png(files[0, 1]).numpy(), batch[0, 1])


def test_image_of_a_function_is_encoded_at_each_call() -> None:
    @tf.function
    def encoded(image):
        return tf.io.encode_png(image + tf.constant(1, tf.uint8))

    for first in (0, 5):
        pixels = picture(4, 3, 3) + np.uint8(first)
        assert np.array_equal(tf.io.decode_png(encoded(tf.constant(pixels))).numpy(), pixels + np.uint8(1))


IMAGE = np.zeros((2, 3, 3), np.uint8)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.io.encode_jpeg(IMAGE[0]), tf.errors.InvalidArgumentError),
        (lambda: tf.io.encode_jpeg(IMAGE[..., :2]), tf.errors.InvalidArgumentError),
        (lambda: tf.io.encode_jpeg(tf.constant([[[1, 2, 3]]])), tf.errors.InvalidArgumentError),
        (lambda: tf.io.encode_jpeg(IMAGE[:0]), tf.errors.InternalError),
        (lambda: tf.io.encode_jpeg(IMAGE, quality=101), tf.errors.InvalidArgumentError),
        (lambda: tf.io.encode_jpeg(IMAGE, format="grayscale"), tf.errors.InvalidArgumentError),
        (lambda: tf.io.encode_jpeg(IMAGE, format="cmyk"), tf.errors.InvalidArgumentError),
        (lambda: tf.io.encode_jpeg(IMAGE, density_unit="m"), tf.errors.InvalidArgumentError),
        (lambda: tf.io.encode_png(IMAGE[0]), tf.errors.InvalidArgumentError),
        (lambda: tf.io.encode_png(IMAGE.astype(np.float32)), tf.errors.InvalidArgumentError),
        (lambda: tf.io.encode_png(np.zeros((2, 2, 5), np.uint8)), tf.errors.InvalidArgumentError),
        (lambda: tf.io.encode_png(IMAGE, compression=10), tf.errors.InvalidArgumentError),
        (lambda: tf.io.encode_png(IMAGE[:, :0]), tf.errors.InternalError),
    ],
)
def test_refusal_has_the_class_of_tensorflow(call: object, error: type) -> None:
    with pytest.raises(error):
        call()
