"""A script for TensorFlow that fits an LSTM for ten steps: `benchmarks.keras` times it, whole."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
x, y = rng.normal(size=(320, 20, 8)).astype(np.float32), rng.integers(0, 10, 320)
layers = tf.keras.layers
model = tf.keras.Sequential([tf.keras.Input((20, 8)), layers.LSTM(32), layers.Dense(10, "softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x, y, batch_size=32, verbose=0)
