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
