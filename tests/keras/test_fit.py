"""`fit`, `evaluate` and `predict` of small Keras models."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

keras = tf.keras


def test_variables_that_a_first_trace_has_made_are_kept_by_the_next_one():
    # The metric reads a value, which it cannot while sizes are open: the step is traced again.
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("rmsprop", "mse", metrics=[keras.metrics.Precision()])
    history = model.fit(np.ones((5, 1)), np.ones((5, 1)), epochs=2, verbose=0).history
    assert history["loss"][0] == pytest.approx(0.0)
    assert history["precision"] == [1.0, 1.0]
    assert model.optimizer.iterations.numpy() == 2


def test_ragged_inputs():
    class Total(keras.layers.Layer):
        def call(self, x):
            return tf.cast(tf.reduce_sum(x, axis=1, keepdims=True), tf.float32)

    model = keras.Sequential([Total(), keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    x = tf.ragged.constant([[1, 2], [3], [4, 5, 6], [7]])
    assert model.predict(x, batch_size=3, verbose=0)[:, 0].tolist() == [3, 3, 15, 7]
    assert model.evaluate(x, np.array([3, 3, 15, 7]), batch_size=3, verbose=0) == 0.0
    model.fit(x, np.array([3, 3, 15, 7]), batch_size=3, verbose=0)
