"""Spectrograms, their inverse, and user-defined windows. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

SAMPLES = [1.0, 4.0, 2.0, 0.0, -1.0, 3.0, 5.0, 2.0]


def test_inverse_window_undoes_the_window():
    window_fn = tf.signal.inverse_stft_window_fn(2)
    assert window_fn(4, tf.float32).numpy().tolist() == [0, 1, 1, 1]
    again = tf.signal.inverse_stft(tf.signal.stft(SAMPLES, 4, 2), 4, 2, window_fn=window_fn)
    assert np.allclose(again, [0, 2, 2, 0, -1, 3, 5, 1], atol=1e-6)


def test_inverse_window_of_frames_that_are_no_multiple_of_the_step():
    window = tf.signal.inverse_stft_window_fn(4, tf.signal.hamming_window)(6, tf.float64)
    assert window.dtype == tf.float64
    assert np.allclose(window, [0.1334891, 1.6129032, 1.2987013, 1.0, 1.2848323, 1.6129032])
    assert tf.signal.inverse_stft_window_fn(3)(2, tf.float32).numpy().tolist() == [0, 1]


def test_inverse_window_checks_its_lengths():
    with pytest.raises(tf.errors.InvalidArgumentError, match="frame_step"):
        tf.signal.inverse_stft_window_fn(0)(4, tf.float32)


def test_window_function_is_given_a_tensor_and_a_dtype():
    seen = []

    def window_fn(frame_length, dtype):
        seen.append((frame_length, dtype))
        return tf.ones([frame_length], dtype)

    found = tf.signal.stft(SAMPLES, 4, 2, window_fn=window_fn)
    assert np.allclose(found, [[7, -1 - 4j, -1], [4, 3 + 3j, -2], [9, -6 - 1j, -1]], atol=1e-6)
    [(length, dtype)] = seen
    assert isinstance(length, tf.Tensor)
    assert int(length) == 4
    assert dtype == tf.float32


def test_lapped_transform_and_back():
    samples = np.pad(np.float32(SAMPLES), 2)
    assert np.allclose(tf.signal.inverse_mdct(tf.signal.mdct(samples, 4)), samples, atol=1e-5)


def test_gradient_of_a_power_spectrum():
    x = tf.Variable(SAMPLES)
    with tf.GradientTape() as tape:
        power = tf.reduce_sum(tf.abs(tf.signal.stft(x, 4, 2)) ** 2)
    assert np.allclose(tape.gradient(power, x), [0, 6, 12, 3.5, -6, 10, 30, 4.5], atol=1e-5)


def test_spectrogram_in_a_function_compiles_once():
    @tf.function
    def power(samples):
        return tf.abs(tf.signal.stft(samples, 4, 2)) ** 2

    with tf.counted() as counts:
        for _ in range(4):
            power(tf.constant(SAMPLES)).numpy()
            power(tf.constant(SAMPLES[::-1])).numpy()
    assert counts.compiles == 1


@pytest.mark.parametrize("step", [1, 3, 5])
def test_many_blocks_in_a_frame_are_those_of_few(step):
    signal = np.arange(90, dtype=np.float32)
    frames = tf.signal.frame(signal, 40, step).numpy()
    want = np.stack([signal[start : start + 40] for start in range(0, 51, step)])
    assert np.array_equal(frames, want)


def test_sizes_of_the_mel_matrix_may_be_tensors():
    found = tf.signal.linear_to_mel_weight_matrix(2, tf.shape(tf.zeros([3, 4]))[-1], tf.constant(8000), 20.0, 4000.0)
    np.testing.assert_allclose(found, [[0, 0], [0.33985561, 0.66014439], [0, 0.53351974], [0, 0]], rtol=1e-6)
