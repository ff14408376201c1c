"""The shapes that Keras infers for the results of layers."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

layers = tf.keras.layers

SELECTIONS = {
    "boolean_mask": (lambda x: tf.boolean_mask(x, x[:, 0] > 0.0), (None, 6)),
    "where": (lambda x: tf.where(x > 0.0), (None, 2)),
    "unique": (lambda x: tf.unique(tf.reshape(x, [-1]))[0], (None,)),
    "sum": (lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0.0), keepdims=True), (1,)),
    "histogram": (lambda x: tf.keras.ops.histogram(tf.reshape(x, [-1]), bins=5)[0], (5,)),
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_sizes_that_depend_on_values_are_open(name):
    function, shape = SELECTIONS[name]
    inputs = tf.keras.Input((6,))
    outputs = layers.Lambda(function)(inputs)
    assert outputs.shape == shape
    x = np.random.default_rng(0).normal(size=(2, 6)).astype(np.float32)
    assert tf.keras.Model(inputs, outputs)(x).numpy().tolist() == function(tf.constant(x)).numpy().tolist()
