"""Transforms without a kernel in TensorFlow, gradients that it lacks, and lengths that it does not support."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

REAL = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)


def test_transforms_over_any_axes_are_those_of_numpy():
    whole = REAL + 1j * REAL[::-1]
    for norm in ("backward", "ortho", "forward"):
        for axes in (None, [0], [-1], [1, 0]):
            found = tf.signal.fftnd(whole, axes=axes, norm=norm)
            assert np.allclose(found, np.fft.fftn(whole, axes=axes, norm=norm), atol=1e-5)
            assert np.allclose(tf.signal.ifftnd(found, axes=axes, norm=norm), whole, atol=1e-5)
            half = tf.signal.rfftnd(REAL, axes=axes, norm=norm)
            assert np.allclose(half, np.fft.rfftn(REAL, axes=axes, norm=norm), atol=1e-5)
            lengths = [REAL.shape[axis] for axis in (axes or range(2))]
            assert np.allclose(tf.signal.irfftnd(half, lengths, axes, norm), REAL, atol=1e-5)


def test_transforms_over_any_axes_are_checked():
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis"):
        tf.signal.fftnd(tf.complex(REAL, REAL), axes=[2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="fft_length"):
        tf.signal.rfftnd(REAL, fft_length=[4], axes=[0, 1])
    with pytest.raises(ValueError, match="norm"):
        tf.signal.rfftnd(REAL, norm="other")
    with pytest.raises(tf.errors.InvalidArgumentError, match="complex"):
        tf.signal.fftnd(tf.constant(REAL))
    with pytest.raises(ValueError, match="complex"):
        tf.signal.irfftnd(tf.constant(REAL))


@pytest.mark.parametrize("name", ["rfft3d", "irfft3d"])
def test_real_transforms_over_three_axes_have_no_gradient(name):
    x = tf.constant(REAL.reshape(1, 3, 4), tf.float32 if name == "rfft3d" else tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(tf.signal, name)(x)
    with pytest.raises(LookupError, match=name.upper()):
        tape.gradient(y, x)


def test_lengths_are_positive():
    # TensorFlow ends the process.
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
        tf.signal.rfft([1.0, 2.0], [0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
        tf.signal.irfft([1.0])


def test_gradient_of_a_cut_signal_is_zero_where_it_is_cut():
    # TensorFlow's gradient fails where a length cuts.
    x = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.signal.rfft(x, [3])
    assert np.allclose(tape.gradient(y, x), [2.0, 0.5, 0.5, 0.0])


def test_second_derivative_of_a_transform_is_none():
    x = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.signal.rfft(x)
        first = inner.gradient(y, x)
    assert outer.gradient(first, x) is None


def test_shift_takes_strings():
    assert tf.signal.ifftshift(tf.constant(["1", "2", "3"])).numpy().tolist() == [b"2", b"3", b"1"]
