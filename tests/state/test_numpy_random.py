"""NumPy's random numbers come from TensorFlow's streams. The numbers are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

random = tf.experimental.numpy.random


def test_streams_are_those_of_tensorflow():
    random.seed(5)
    np.testing.assert_allclose(random.randn(2), [1.2368121, 2.73198576], rtol=1e-6)
    assert random.randint(10, size=3).numpy().tolist() == [1, 8, 2]
    assert random.randint(2, 10, (2,), np.int32).numpy().tolist() == [9, 6]
    np.testing.assert_allclose(random.uniform(size=(2,)), [0.53021608, 0.56936971], rtol=1e-6)
    np.testing.assert_allclose(random.uniform([0.0, 1.0], 2.0), [1.98291586, 1.48173906], rtol=1e-6)
    np.testing.assert_allclose(random.rand(2), [0.0152103, 0.41205665], rtol=1e-5)
    np.testing.assert_allclose(random.random(), 0.18914278832167364, rtol=1e-12)
    assert random.poisson(3.0, 2).numpy().tolist() == [2, 1]
    np.testing.assert_allclose(random.standard_normal(2), [-0.15712639, 0.57875999], rtol=1e-6)


def test_dtypes_are_numpys():
    assert random.randn().dtype == tf.float64
    assert random.uniform().dtype == tf.float64
    assert random.randint(3).dtype == tf.int64
    assert random.poisson().dtype == tf.int64


def test_seed_must_be_an_integer():
    with pytest.raises(ValueError, match="s must be an integer"):
        random.seed([1])


def test_randint_refuses_floats():
    with pytest.raises(ValueError, match="dtype must be int32 or int64"):
        random.randint(3, dtype=np.float32)
