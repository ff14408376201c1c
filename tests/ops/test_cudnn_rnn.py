"""Recurrent layers of cuDNN, against their equations. TensorFlow has the kernel on GPUs only."""

from __future__ import annotations

import os

import numpy as np
import pytest

import tfcompat as tf

pytestmark = pytest.mark.skipif(
    os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow", reason="TensorFlow has the kernel on GPUs only"
)
RANDOM = np.random.default_rng(0)
FEATURES, UNITS = 3, 2
X = RANDOM.normal(size=(4, 2, FEATURES)).astype(np.float32)
H, C = RANDOM.normal(size=(2, 1, 2, UNITS)).astype(np.float32)
LENGTHS = np.array([4, 2], np.int32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def weights(gates):
    """The vector of all weights, and its parts."""
    shapes = [(gates, UNITS, FEATURES), (gates, UNITS, UNITS), (gates, UNITS), (gates, UNITS)]
    parts = [RANDOM.normal(size=shape).astype(np.float32) for shape in shapes]
    return np.concatenate([part.ravel() for part in parts]), parts


def by_equations(step, gates, parts):
    """The outputs of `step`, and the last state of each row."""
    kernel, recurrent, bias, more = parts
    outputs = np.zeros([4, 2, UNITS], np.float32)
    last = []
    for row in range(2):
        h, c = H[0, row], C[0, row]
        for time in range(LENGTHS[row]):
            given = [kernel[k] @ X[time, row] + bias[k] for k in range(gates)]
            h, c = step(given, [recurrent[k] @ h + more[k] for k in range(gates)], h, c)
            outputs[time, row] = h
        last.append(h)
    return outputs, np.array(last)


def lstm(given, held, h, c):
    del h
    take, keep, candidate, give = (x + y for x, y in zip(given, held, strict=True))
    c = sigmoid(keep) * c + sigmoid(take) * np.tanh(candidate)
    return sigmoid(give) * np.tanh(c), c


def gru(given, held, h, c):
    first, second = (1, 0) if not tf.test.is_built_with_cuda() else (0, 1)
    reset, update = sigmoid(given[first] + held[first]), sigmoid(given[second] + held[second])
    candidate = np.tanh(given[2] + reset * held[2])
    return update * h + (1 - update) * candidate, c


@pytest.mark.parametrize(("mode", "gates", "step"), [("lstm", 4, lstm), ("gru", 3, gru)])
@pytest.mark.parametrize("time_major", [True, False])
def test_sequences_up_to_their_lengths(mode, gates, step, time_major):
    params, parts = weights(gates)
    outputs, last = by_equations(step, gates, parts)
    swapped = (lambda x: x) if time_major else (lambda x: np.swapaxes(x, 0, 1))
    found = tf.raw_ops.CudnnRNNV3(
        input=swapped(X),
        input_h=swapped(H),
        input_c=swapped(C) if mode == "lstm" else 0,
        params=params,
        sequence_lengths=LENGTHS,
        rnn_mode=mode,
        time_major=time_major,
    )
    np.testing.assert_allclose(swapped(found.output.numpy()), outputs, atol=1e-5)
    np.testing.assert_allclose(swapped(found.output_h.numpy())[0], last, atol=1e-5)


def test_other_layers_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="params must have the shape"):
        tf.raw_ops.CudnnRNNV3(input=X, input_h=H, input_c=C, params=np.zeros(3, np.float32), sequence_lengths=LENGTHS)
    with pytest.raises(NotImplementedError, match="direction must be 'unidirectional'"):
        tf.raw_ops.CudnnRNNV3(
            input=X, input_h=H, input_c=C, params=weights(4)[0], sequence_lengths=LENGTHS, direction="bidirectional"
        )
