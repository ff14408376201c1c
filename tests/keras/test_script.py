"""Training scripts as people write them: the losses are those of TensorFlow 2.21."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import tfcompat as tf

# Keras' variables have an `__array__` without `copy`, about which NumPy warns, under TensorFlow too.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

keras = tf.keras
layers = keras.layers
CLOSE = 1e-4
# As TensorFlow gave them.
LOSSES = {
    "two inputs": [4.584473, 1.219298],
    "error": [1.162828, 0.4566793],
    "callbacks": [2.636051, 4.288655, 0.7925562, 0.725729, 0.6880549, 0.6765129, 0.6812014, 0.6372539, 0.633109],
    "rates": [0.3, 0.3, 0.15, 0.15, 0.15, 0.15, 0.15, 0.075, 0.075],
    "critic": [2.236205, 1.630737],
    "generator": [0.1646962, -0.3027613],
    "sources": [5.701543, 5.653738, 6.241573, 6.179116, 10.65937, 10.61956],
}


@pytest.fixture(autouse=True)
def _seed():
    keras.utils.set_random_seed(1)


def numbers():
    """Some vectors, and a class for each."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 6)).astype("float32"), rng.integers(0, 3, 60)


def test_two_inputs_and_two_outputs():
    x, y = numbers()
    words = np.random.default_rng(1).integers(0, 10, (60, 7)).astype("int32")
    words[:, 4:] = 0
    a, b = keras.Input((6,), name="a"), keras.Input((None,), dtype="int32", name="b")
    sequence = layers.LSTM(5)(layers.Embedding(10, 4, mask_zero=True)(b))
    dense = layers.Dense(5, kernel_regularizer="l2", kernel_constraint=keras.constraints.MaxNorm(1.0))(a)
    hidden = layers.Concatenate()([dense, sequence])
    outputs = {"c": layers.Dense(3, name="c", activation="softmax")(hidden), "r": layers.Dense(1, name="r")(hidden)}
    model = keras.Model({"a": a, "b": b}, outputs)
    rate = keras.optimizers.schedules.CosineDecay(0.1, 20)
    model.compile(
        keras.optimizers.SGD(rate, momentum=0.9, nesterov=True, clipnorm=1.0, use_ema=True),
        loss={"c": "sparse_categorical_crossentropy", "r": "mse"},
        loss_weights={"c": 0.5, "r": 2.0},
        metrics={"c": ["accuracy"], "r": ["mae"]},
    )
    pairs = ({"a": x, "b": words}, {"c": y, "r": x[:, :1]})
    dataset = tf.data.Dataset.from_tensor_slices(pairs).shuffle(60, seed=1).batch(16)
    history = model.fit(dataset, epochs=2, shuffle=False, verbose=0).history
    assert history["loss"] == pytest.approx(LOSSES["two inputs"], CLOSE)
    assert history["r_mae"] == pytest.approx(LOSSES["error"], CLOSE)


def test_callbacks(tmp_path):
    x, _ = numbers()
    y = x.sum(1, keepdims=True) + np.random.default_rng(1).normal(size=(60, 1)).astype("float32")
    model = keras.Sequential([keras.Input((6,)), layers.Dense(8, activation="tanh"), layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.3), "mse", metrics=["mae"])
    callbacks = [
        keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True),
        keras.callbacks.ReduceLROnPlateau(patience=1, factor=0.5),
        keras.callbacks.ModelCheckpoint(tmp_path / "best.keras", save_best_only=True),
        keras.callbacks.ModelCheckpoint(str(tmp_path / "last.weights.h5"), save_weights_only=True),
        keras.callbacks.CSVLogger(tmp_path / "log.csv"),
        keras.callbacks.TerminateOnNaN(),
    ]
    history = model.fit(x, y, epochs=9, validation_split=0.25, verbose=0, callbacks=callbacks).history
    assert history["val_loss"] == pytest.approx(LOSSES["callbacks"], CLOSE)
    assert history["learning_rate"] == pytest.approx(LOSSES["rates"])
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 1 + len(history["loss"])
    best = keras.models.load_model(tmp_path / "best.keras")
    assert best.evaluate(x[45:], y[45:], verbose=0)[0] == pytest.approx(min(history["val_loss"]), CLOSE)
    model.load_weights(tmp_path / "last.weights.h5")
    assert model.evaluate(x[45:], y[45:], verbose=0)[0] == pytest.approx(history["val_loss"][-1], CLOSE)


def test_critic_and_generator_in_one_training_step():
    class Gan(keras.Model):
        def __init__(self):
            super().__init__()
            self.made = keras.Sequential([keras.Input((4,)), layers.Dense(8), layers.LeakyReLU(), layers.Dense(6)])
            self.critic = keras.Sequential([keras.Input((6,)), layers.Dense(8), layers.LeakyReLU(), layers.Dense(1)])
            self.rates = [keras.optimizers.Adam(1e-3, beta_1=0.5) for _ in range(2)]

        def penalty(self, real, fake):
            between = real + tf.random.uniform([tf.shape(real)[0], 1], seed=1) * (fake - real)
            with tf.GradientTape() as tape:
                tape.watch(between)
                answer = self.critic(between, training=True)
            (slope,) = tape.gradient(answer, [between])
            return tf.reduce_mean((tf.sqrt(tf.reduce_sum(tf.square(slope), axis=1)) - 1.0) ** 2)

        def train_step(self, data):
            count = tf.shape(data)[0]
            for _ in range(2):
                with tf.GradientTape() as tape:
                    fake = self.made(tf.random.normal([count, 4], seed=2), training=True)
                    gap = tf.reduce_mean(self.critic(fake)) - tf.reduce_mean(self.critic(data))
                    gap += 10 * self.penalty(data, fake)
                weights = self.critic.trainable_variables
                self.rates[0].apply_gradients(zip(tape.gradient(gap, weights), weights, strict=True))
            with tf.GradientTape() as tape:
                fake = self.made(tf.random.normal([count, 4], seed=3), training=True)
                loss = -tf.reduce_mean(self.critic(fake))
            weights = self.made.trainable_variables
            self.rates[1].apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            return {"critic": gap, "loss": loss}

    model = Gan()
    model.compile()
    history = model.fit(numbers()[0], epochs=2, batch_size=16, verbose=0).history
    assert history["critic"] == pytest.approx(LOSSES["critic"], CLOSE)
    assert history["loss"] == pytest.approx(LOSSES["generator"], CLOSE)


def test_one_file_and_other_sources_of_batches():
    x, _ = numbers()
    y = x.sum(1, keepdims=True)
    model = keras.Sequential([keras.Input((6,)), layers.Dense(1)])
    model.compile("adam", "mse", steps_per_execution=3)
    weights = np.linspace(0, 1, 60)
    found = model.fit(x, y, epochs=2, batch_size=8, sample_weight=weights, verbose=0).history["loss"]

    def batches():
        while True:
            yield x[:7], y[:7]

    found += model.fit(batches(), steps_per_epoch=4, epochs=2, shuffle=False, verbose=0).history["loss"]

    class Rows(keras.utils.PyDataset):
        def __len__(self):
            return 3

        def __getitem__(self, place):
            return x[place * 10 : place * 10 + 10], y[place * 10 : place * 10 + 10]

    found += model.fit(Rows(), epochs=2, shuffle=False, verbose=0).history["loss"]
    assert found == pytest.approx(LOSSES["sources"], CLOSE)


def test_file_of_weights_has_the_groups_of_tensorflow(tmp_path):
    keras.Sequential([keras.Input((6,)), layers.Dense(4)]).save_weights(tmp_path / "a.weights.h5")
    with h5py.File(tmp_path / "a.weights.h5") as file:
        assert sorted(file) == ["layers", "vars"]


def test_weights_of_another_shape_are_refused_with_both_shapes(tmp_path):
    keras.Sequential([keras.Input((6,)), layers.Dense(4)]).save_weights(tmp_path / "a.weights.h5")
    other = keras.Sequential([keras.Input((5,)), layers.Dense(4)])
    with pytest.raises(ValueError, match=r"variable.shape=\(5, 4\), Received: value.shape=\(6, 4\)"):
        other.load_weights(tmp_path / "a.weights.h5")
