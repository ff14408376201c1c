"""Keras' callback for TensorBoard, and summaries in layers."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.summary.event_reader import events

keras = tf.keras
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


class Watched(keras.layers.Layer):
    """A layer that writes its input."""

    def call(self, x):
        tf.summary.histogram("input", x)
        return x


def fitted(folder, *, run_eagerly, **options):
    """Trains a small model for two epochs of three batches, with validation."""
    layers = [keras.Input((4,)), keras.layers.Dense(3, name="hidden"), Watched(name="watched"), keras.layers.Dense(1)]
    model = keras.Sequential(layers, name="model")
    model.compile("sgd", "mse", run_eagerly=run_eagerly, jit_compile=False)
    x = np.arange(96.0).reshape(24, 4).astype("float32") / 96.0
    callback = keras.callbacks.TensorBoard(str(folder), **options)
    return model.fit(
        x, x.sum(1, keepdims=True), 6, 2, validation_split=0.25, shuffle=False, callbacks=[callback], verbose=0
    ).history


def found(folder):
    return [(event.tag(), event.step) for event in events(folder)]


@pytest.mark.parametrize("run_eagerly", [False, True], ids=["compiled", "eagerly"])
def test_callback_writes_batches_epochs_and_weights(run_eagerly, tmp_path):
    history = fitted(tmp_path, run_eagerly=run_eagerly, update_freq=1, histogram_freq=1, write_images=True)
    train = found(tmp_path / "train")
    kinds = ("kernel/histogram", "kernel/image", "bias/histogram", "bias/image")
    weights = [f"model/hidden/{kind}" for kind in kinds] + [
        tag for tag, step in train if step == 0 and "/dense" in tag and "hidden" not in tag
    ]
    assert train[0] == ("keras", 0)
    assert {(tag, step) for tag, step in train if tag.startswith("batch")} == {("batch_loss", k) for k in range(1, 7)}
    # A trace keeps the step that is a number.
    steps = list(range(1, 7)) if run_eagerly else [1] * 6
    assert [step for tag, step in train if tag.endswith("/input")] == steps
    assert {tag for tag, step in train if step == 1} >= {"epoch_loss", "epoch_learning_rate", *weights}
    losses = [event.number() for event in events(tmp_path / "train") if event.tag() == "epoch_loss"]
    assert losses == pytest.approx(history["loss"])
    validation = [event.number() for event in events(tmp_path / "validation") if event.tag() == "epoch_loss"]
    assert validation == pytest.approx(history["val_loss"])


def test_callback_profiles_batches(tmp_path):
    fitted(tmp_path, run_eagerly=False, profile_batch=(2, 3))
    assert list(tmp_path.glob("train/plugins/profile/*/*.xplane.pb"))
    [event] = [event for event in events(tmp_path / "train") if event.tag().startswith("batch_3")]
    assert len(event.texts()) == 1


def test_epochs_are_enough_by_default(tmp_path):
    fitted(tmp_path, run_eagerly=False)
    tags = found(tmp_path / "train")
    assert tags == [("keras", 0), *[(tag, k) for k in (0, 1) for tag in ("epoch_loss", "epoch_learning_rate")]]
