"""Training in several replicas: the losses of one device. Expected values are TensorFlow's."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import tfcompat as tf
from tests.distribute.replica import number, parts

D = tf.distribute
keras = tf.keras
CHANCE = np.random.default_rng(0)
INPUTS, TARGETS = CHANCE.normal(size=(40, 8)).astype("f"), CHANCE.normal(size=(40, 1)).astype("f")
# TensorFlow's losses without a strategy, and on four replicas.
LOSSES = [0.76967, 1.019139, 0.845265, 1.442133, 0.930901, 0.451552, 0.705222, 0.815737, 1.211186, 0.854715]


def network():
    keras.utils.set_random_seed(1)
    layers = [keras.Input((8,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)]
    return keras.Sequential(layers)


def train(strategy, *, is_decorated, make=lambda: keras.optimizers.Adam(0.01)):
    """The losses of ten steps."""
    with strategy.scope():
        model, optimizer = network(), make()
        optimizer.build(model.trainable_variables)

    def step(x, y):
        with tf.GradientTape() as tape:
            errors = tf.reduce_mean((model(x, training=True) - y) ** 2, axis=-1)
            loss = tf.nn.compute_average_loss(errors, global_batch_size=8)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    def everywhere(x, y):
        return strategy.reduce("SUM", strategy.run(step, (x, y)), axis=None)

    run = tf.function(everywhere) if is_decorated else everywhere
    rows = tf.data.Dataset.from_tensor_slices((INPUTS, TARGETS)).batch(8)
    dataset = strategy.experimental_distribute_dataset(rows)
    return [float(run(x, y)) for _ in range(2) for x, y in dataset]


@pytest.mark.parametrize("is_decorated", [False, True], ids=["eager", "decorated"])
def test_losses_are_those_of_one_device(strategy, is_decorated):
    assert train(strategy, is_decorated=is_decorated) == pytest.approx(LOSSES, rel=1e-5)


def test_losses_without_a_strategy_are_the_same():
    assert train(D.get_strategy(), is_decorated=True) == pytest.approx(LOSSES, rel=1e-5)


def test_moving_statistics_differ_between_replicas(strategy):
    with strategy.scope():
        layer = keras.layers.BatchNormalization(momentum=0.99)
        layer.build([None, 2])
    x = strategy.run(lambda: tf.ones([3, 2]) * (number() + 1.0) * [2.0, 3.0])
    strategy.run(lambda x: layer(x, training=True), (x,))
    expected = [[0.02, 0.03], [0.04, 0.06], [0.06, 0.09], [0.08, 0.12]]
    for found, wanted in zip(parts(layer.moving_mean.value), expected, strict=True):
        assert found == pytest.approx(wanted, rel=1e-4)
    assert layer.moving_mean.numpy().tolist() == pytest.approx([0.02, 0.03], rel=1e-4)


def test_metrics_are_summed_over_replicas(strategy):
    with strategy.scope():
        metric = keras.metrics.Mean()
    strategy.run(lambda: metric.update_state(number()))
    assert type(metric.total.value).__name__ == "SyncOnReadVariable"
    assert float(metric.result()) == 1.5
    metric.reset_state()
    assert parts(metric.total.value) == [0.0] * 4


def fitted(strategy, **options):
    """The losses of `fit`, those of `evaluate`, and the sum of the predictions."""
    with contextlib.nullcontext() if strategy is None else strategy.scope():
        model = network()
        model.compile(keras.optimizers.Adam(0.01), "mse", **options)
    history = model.fit(INPUTS, TARGETS, batch_size=8, epochs=3, verbose=0, shuffle=False).history["loss"]
    found = model.predict(INPUTS[:10], batch_size=8, verbose=0)
    assert found.shape == (10, 1)
    return [*history, model.evaluate(INPUTS, TARGETS, batch_size=8, verbose=0), float(found.sum())]


def test_fit_gives_the_losses_of_one_device(strategy):
    expected = [1.001422, 0.807682, 0.7165, 0.67787, 0.65836]
    assert fitted(None) == pytest.approx(expected, rel=1e-5)
    assert fitted(strategy) == pytest.approx(expected, rel=1e-5)


def test_replicas_without_a_row_of_the_last_batch_have_a_loss_of_0(strategy):
    x, y = np.ones([5, 2], "f"), np.ones([5, 1], "f")
    with strategy.scope():
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="zeros")])
        model.compile("sgd", "mse", metrics=["mae"])
    assert model.evaluate(x, y, batch_size=4, verbose=0) == [1.0, 1.0]
    history = model.fit(x, y, batch_size=4, epochs=2, verbose=0, shuffle=False).history
    assert history["loss"] == pytest.approx([0.97672, 0.837333], rel=1e-5)
    assert history["mae"] == pytest.approx([0.988, 0.914789], rel=1e-5)


def test_other_ways_to_train_give_the_losses_of_one_device(strategy):
    expected = [1.001422, 0.807682, 0.7165, 0.67787, 0.65836]
    assert fitted(strategy, run_eagerly=True) == pytest.approx(expected, rel=1e-5)
    losses: list[list[float]] = []
    for place in (contextlib.nullcontext(), strategy.scope()):
        with place:
            model = network()
            model.compile(keras.optimizers.Adam(0.01), "mse")
        losses.append([float(model.train_on_batch(INPUTS[:8], TARGETS[:8])) for _ in range(3)])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    assert losses[0][2] < losses[0][0]
