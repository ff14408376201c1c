"""Known differences from Keras on TensorFlow 2.21; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest

import tfcompat as tf

keras = tf.keras


def test_code_of_keras_optimizers_runs_once(monkeypatch):
    optimizer, weight = keras.optimizers.Adagrad(0.1), keras.Variable([1.0])
    optimizer.apply([tf.ones(1)], [weight])
    with monkeypatch.context() as patched:
        patched.setattr(keras.ops, "sqrt", lambda x: x * 0.0)
        patched.setattr(sys.modules[type(optimizer).__module__].ops, "sqrt", lambda x: x * 0.0)
        optimizer.apply([tf.ones(1)], [weight])
    # TensorFlow: -inf.
    assert 0.8 < weight.numpy()[0] < 0.9


def test_end_of_a_dataset_of_unknown_size_is_no_step():
    signature = (tf.TensorSpec([2, 1]), tf.TensorSpec([2, 1]))
    dataset = tf.data.Dataset.from_generator(
        lambda: itertools.repeat((np.ones((2, 1)), np.ones((2, 1))), 3), output_signature=signature
    )
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    with pytest.warns(UserWarning, match="ran out of data"):
        model.fit(dataset, epochs=2, shuffle=False, verbose=0)
    assert model.optimizer.iterations.numpy() == 6
