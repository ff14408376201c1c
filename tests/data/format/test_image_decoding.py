"""`tf.io.decode_image` and its relatives: the recorded answers of TensorFlow for files of every kind; arguments."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import one_in
from tests.data.format.call import answers
from tests.data.format.mutation import KINDS, file, recorded

JPEG = file("jpeg", "17 33 RGB 0 False 30")
SUBSAMPLED = file("jpeg", "17 33 RGB 2 False 30")
PNG = file("png", "7 9 2 8 0 0")
FILES = [(kind, name) for kind in KINDS for name in recorded()[kind]["files"]]


@pytest.mark.parametrize(("kind", "name"), one_in(3, FILES), ids=[f"{kind} {name}" for kind, name in FILES])
def test_answers_are_those_of_tensorflow(kind: str, name: str) -> None:
    assert answers(tf, file(kind, name)) == recorded()[kind]["answers"][name]


def test_window_is_a_part_of_the_image() -> None:
    whole = tf.io.decode_jpeg(JPEG).numpy()
    part = tf.io.decode_and_crop_jpeg(JPEG, [3, 5, 7, 11]).numpy()
    assert np.array_equal(part, whole[3:10, 5:16])
    half = tf.image.decode_and_crop_jpeg(JPEG, [1, 2, 3, 4], ratio=2, channels=1).numpy()
    assert np.array_equal(half, tf.io.decode_jpeg(JPEG, ratio=2, channels=1).numpy()[1:4, 2:6])


def test_window_of_small_colours_differs_at_most_at_its_edges() -> None:
    part = tf.io.decode_and_crop_jpeg(SUBSAMPLED, [2, 16, 9, 8]).numpy()
    whole = tf.io.decode_jpeg(SUBSAMPLED).numpy()[2:11, 16:24]
    assert np.array_equal(part[:, 1:-1], whole[:, 1:-1])
    assert np.abs(part.astype(int) - whole).max() <= 20


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.io.decode_jpeg([JPEG]), tf.errors.InvalidArgumentError),
        (lambda: tf.io.decode_jpeg(1), TypeError),
        (lambda: tf.io.decode_jpeg(tf.constant(1)), ValueError),
        (lambda: tf.io.decode_image(b""), tf.errors.InvalidArgumentError),
        (lambda: tf.io.decode_image(b"abc"), tf.errors.InvalidArgumentError),
        (lambda: tf.io.decode_jpeg(JPEG, channels=2), tf.errors.InvalidArgumentError),
        (lambda: tf.io.decode_jpeg(JPEG, channels=4), tf.errors.InvalidArgumentError),
        (lambda: tf.io.decode_jpeg(JPEG, ratio=3), tf.errors.InvalidArgumentError),
        (lambda: tf.io.decode_jpeg(JPEG, dct_method="FLOAT"), tf.errors.InvalidArgumentError),
        (lambda: tf.io.decode_png(PNG, dtype=tf.float32), tf.errors.InvalidArgumentError),
        (lambda: tf.io.decode_webp(PNG, dtype=tf.uint16), tf.errors.InvalidArgumentError),
        (lambda: tf.io.decode_image(PNG, dtype=tf.string), AttributeError),
        (lambda: tf.io.decode_and_crop_jpeg(JPEG, [0, 0, 1]), tf.errors.InvalidArgumentError),
        (lambda: tf.io.decode_and_crop_jpeg(JPEG, [[0, 0, 1, 1]]), tf.errors.InvalidArgumentError),
        (lambda: tf.io.decode_and_crop_jpeg(JPEG, [0, 0, 0, 1]), tf.errors.InvalidArgumentError),
        (lambda: tf.io.decode_and_crop_jpeg(PNG, [0, 0, 1, 1]), tf.errors.InvalidArgumentError),
        (lambda: tf.io.extract_jpeg_shape(PNG), tf.errors.InvalidArgumentError),
        (lambda: tf.io.extract_jpeg_shape(JPEG, tf.float32), tf.errors.InvalidArgumentError),
    ],
)
def test_refusal_has_the_class_of_tensorflow(call: object, error: type) -> None:
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(("cut", "kind"), [(2, "jpeg"), (20, "jpeg"), (1, "png"), (60, "png")])
def test_file_that_ends_too_early_is_refused(cut: int, kind: str) -> None:
    content = (JPEG if kind == "jpeg" else PNG)[:-cut]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Invalid (JPEG|PNG) data"):
        tf.io.decode_image(content)


def test_rows_before_the_end_of_a_cut_jpeg_file_are_recovered() -> None:
    content = file("jpeg", "300 500 RGB 2 False 30")
    found = tf.io.decode_jpeg(content[: len(content) // 2], try_recover_truncated=True).numpy()
    whole = tf.io.decode_jpeg(content).numpy()
    assert found.shape == whole.shape
    assert np.array_equal(found[:64], whole[:64])
    assert not np.array_equal(found, whole)


def test_other_dtypes_are_scaled() -> None:
    first = tf.io.decode_image(PNG, dtype=tf.float64)[0, 0].numpy()
    assert first.tolist() == pytest.approx([31 / 255, 11 / 255, 62 / 255])
    assert tf.io.decode_image(PNG, dtype=tf.int32)[0, 0].numpy().tolist() == [261062656, 92635136, 522125312]


def test_strings_are_recognised_as_jpeg() -> None:
    assert tf.io.is_jpeg([[JPEG], [PNG], [b""]]).numpy().tolist() == [[True], [False], [False]]
    assert tf.io.extract_jpeg_shape(JPEG, tf.int64).numpy().tolist() == [17, 33, 3]


def test_names_in_tf_image_are_the_same_functions() -> None:
    for name in ("decode_image", "decode_jpeg", "decode_png", "encode_jpeg", "is_jpeg"):
        assert np.array_equal(
            getattr(tf.image, name)(
                JPEG if name != "encode_jpeg" and name != "encode_png" else np.zeros((2, 2, 3), "u1")
            ),
            getattr(tf.io, name)(JPEG if name != "encode_jpeg" and name != "encode_png" else np.zeros((2, 2, 3), "u1")),
        )


def test_constant_file_is_decoded_in_a_function() -> None:
    @tf.function
    def mean(scale):
        return tf.reduce_mean(tf.cast(tf.io.decode_png(PNG), tf.float32)) * scale

    assert float(mean(tf.constant(2.0))) == pytest.approx(2 * tf.io.decode_png(PNG).numpy().mean(), rel=1e-6)
