"""`tf.audio.encode_wav`, and what `tf.audio.decode_wav` makes of its files; literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

SOUND = np.array([[0.5, -0.25], [1.5, -2.0], [0.49999 / 16384, 1.5 / 32768]], np.float32)


def test_samples_are_rounded_and_clipped() -> None:
    content = tf.audio.encode_wav(SOUND, 8000).numpy()
    assert content[:44].hex() == (
        "524946463000000057415645666d74201000000001000200401f0000007d000004001000646174610c000000"
    )
    assert np.frombuffer(content[44:], "<i2").tolist() == [16384, -8192, 32767, -32768, 1, 2]


def test_file_is_decoded() -> None:
    found = tf.audio.decode_wav(tf.audio.encode_wav(SOUND, 11025))
    assert found.sample_rate.dtype == tf.int32
    assert int(found.sample_rate) == 11025
    assert found.audio.numpy().tolist() == [[0.5, -0.25], [32767 / 32768, -1.0], [1 / 32768, 2 / 32768]]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.audio.encode_wav([1.0], 8000), tf.errors.InvalidArgumentError),
        (lambda: tf.audio.encode_wav([[1.0]], 0), tf.errors.InvalidArgumentError),
        (lambda: tf.audio.encode_wav([[1.0]], [1]), tf.errors.InvalidArgumentError),
        (lambda: tf.audio.encode_wav(np.zeros((3, 0), np.float32), 1), tf.errors.InvalidArgumentError),
        (lambda: tf.audio.decode_wav(["RIFF"]), tf.errors.InvalidArgumentError),
        (lambda: tf.audio.decode_wav("RIFF"), tf.errors.InvalidArgumentError),
        (lambda: tf.audio.decode_wav(tf.audio.encode_wav([[1.0]], 1), -2), tf.errors.InvalidArgumentError),
        (lambda: tf.audio.decode_wav(tf.audio.encode_wav([[1.0]], 1), 1, -2), tf.errors.InvalidArgumentError),
    ],
)
def test_refusal_has_the_class_of_tensorflow(call: object, error: type) -> None:
    with pytest.raises(error):
        call()


def test_sound_of_a_function_is_encoded_at_each_call() -> None:
    @tf.function
    def encoded(sound):
        return tf.audio.encode_wav(sound * 2.0, 8000)

    for first in (0.125, 0.25):
        assert tf.audio.decode_wav(encoded(tf.constant([[first]]))).audio.numpy().tolist() == [[2 * first]]


def test_not_a_number_is_silence() -> None:
    assert tf.audio.encode_wav([[float("nan")]], 8000).numpy()[-2:] == b"\0\0"
