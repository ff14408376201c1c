"""Initializers. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


def test_seeded_initializers_repeat_themselves():
    initializer = tf.random_normal_initializer(seed=3)
    for _ in range(2):
        assert np.allclose(initializer([3]), [-0.03357924, 0.08380252, -0.04721227], atol=1e-7)


def test_unseeded_initializers_draw_from_the_global_seed():
    tf.random.set_seed(5)
    initializer = tf.random_normal_initializer()
    first, second = initializer([3]), initializer([3])
    tf.random.set_seed(None)
    assert np.allclose(first, [-0.00901533, -0.04751432, -0.00198202], atol=1e-7)
    assert np.allclose(second, [0.01132643, 0.04053276, 0.03733047], atol=1e-7)


def test_constant_takes_the_dtype_of_its_value():
    assert tf.constant_initializer(3)([2]).dtype == tf.int32
    assert tf.constant_initializer(np.ones(4))([2, 2]).dtype == tf.float64
    assert tf.constant_initializer([1, 2, 3, 4])([2, 2]).numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(TypeError, match="3 elements"):
        tf.constant_initializer([1, 2, 3])([2, 2])


def test_zeros_and_ones_fill_a_part_if_asked():
    assert tf.zeros_initializer()([4, 2], partition_shape=[2, 2], partition_offset=[0, 0]).shape == [2, 2]
    assert tf.ones_initializer()([2], tf.bool).numpy().tolist() == [True, True]
    with pytest.raises(TypeError, match="foo"):
        tf.zeros_initializer()([2], foo=1)
    with pytest.raises(ValueError, match="numeric"):
        tf.zeros_initializer()([2], tf.string)


def test_random_initializers_refuse_dtypes():
    with pytest.raises(ValueError, match="floating"):
        tf.random_normal_initializer()([2], tf.int32)
    assert tf.random_uniform_initializer(0, 10, seed=1)([3], tf.int32).numpy().tolist() == [9, 4, 0]


def test_initializers_come_back_from_their_configuration():
    config = tf.random_normal_initializer(1.0, 2.0).get_config()
    assert config == {"mean": 1.0, "stddev": 2.0, "seed": None}
    assert tf.random_normal_initializer.from_config(config).get_config() == config
    assert tf.zeros_initializer().get_config() == {}
