"""Trains models of Keras 2, and prints numbers that agree with those of TensorFlow. `test_keras_2.py` runs it."""

import json
import os
import tempfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf

keras = tf.keras
random = np.random.default_rng(0)
X = random.normal(size=(64, 8)).astype("float32")
Y = (X[:, :1] * 2 - X[:, 1:2]).astype("float32")
LABELS = (Y[:, 0] > 0).astype("int64")
WORDS = random.integers(0, 10, (64, 7))


def sequential():
    model = keras.Sequential([keras.layers.Dense(16, "relu", input_shape=(8,)), keras.layers.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"])
    fitted = model.fit(X, Y, epochs=2, batch_size=16, verbose=0)
    return [*fitted.history["loss"], *model.evaluate(X, Y, verbose=0), float(model.predict(X[:1], verbose=0)[0, 0])]


def functional():
    assert keras.Input((8,), batch_size=4).shape == (4, 8)
    assert tf.convert_to_tensor(keras.Input((8,))).shape.as_list() == [None, 8]
    given = keras.Input((8,))
    hidden = keras.layers.Dropout(0.2)(keras.layers.BatchNormalization()(keras.layers.Dense(16, "tanh")(given)))
    scores = keras.layers.Dense(2)(tf.concat([hidden, 2.0 * given[:, ::2]], -1))
    model = keras.Model(given, scores)
    assert [layer.name for layer in model.layers if "tf." in layer.name] == [
        "tf.__operators__.getitem",
        "tf.math.multiply",
        "tf.concat",
    ]
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9), loss, metrics=["accuracy"])
    data = tf.data.Dataset.from_tensor_slices((X, LABELS)).shuffle(64).batch(16)
    fitted = model.fit(data, epochs=2, validation_data=data, verbose=0)
    copy = keras.Model.from_config(model.get_config())
    copy.set_weights(model.get_weights())
    assert np.allclose(copy.predict(X, verbose=0), model.predict(X, verbose=0), atol=1e-6)
    return fitted.history["loss"] + fitted.history["val_loss"]


def subclassed():
    class Words(keras.Model):
        def __init__(self):
            super().__init__()
            self.parts = [keras.layers.Embedding(10, 4), keras.layers.LSTM(5), keras.layers.Dense(1)]

        def call(self, words, training=False):
            for part in self.parts:
                words = part(words)
            if training:
                self.add_loss(0.01 * tf.reduce_sum(words**2))
            return words

        def train_step(self, data):
            words, truth = data
            with tf.GradientTape() as tape:
                loss = self.compiled_loss(truth, self(words, training=True), regularization_losses=self.losses)
            self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
            return {metric.name: metric.result() for metric in self.metrics}

    model = Words()
    model.compile(keras.optimizers.RMSprop(0.01), "mse")
    return model.fit(WORDS, Y, epochs=2, batch_size=32, verbose=0, shuffle=False).history["loss"]


def weights():
    model = keras.Sequential([keras.layers.GRU(3, input_shape=(8, 1)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.legacy.Adam(), "mse")
    model.fit(X[..., None], Y, verbose=0)
    before = model.predict(X[..., None], verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("weights", "weights.h5", "model.keras", "model.h5"):
            path = os.path.join(folder, name)
            (model.save_weights if "weights" in name else model.save)(path)
            other = keras.models.clone_model(model) if "weights" in name else keras.models.load_model(path)
            if "weights" in name:
                other.load_weights(path)
            assert np.allclose(other.predict(X[..., None], verbose=0), before)
    return [float(before[0, 0])]


def loop():
    model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
    optimizer, mean = keras.optimizers.Adam(0.01), keras.metrics.Mean()

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(keras.losses.mean_squared_error(y, model(x, training=True)))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        mean.update_state(loss)
        return loss

    return [float(step(X, Y)) for _ in range(3)] + [float(mean.result())]


def vectorization():
    layer = keras.layers.TextVectorization(max_tokens=10)
    layer.adapt(["a b c", "a b"])
    return layer(["a c"]).numpy().tolist()[0]


def saved_models():
    models = [
        keras.Sequential(
            [
                keras.layers.Conv2D(2, 3, padding="same", input_shape=(8, 8, 1)),
                *(keras.layers.MaxPooling2D(), keras.layers.Flatten(), keras.layers.Dense(1)),
            ]
        ),
        keras.Sequential([keras.Input((7,), dtype="int64"), keras.layers.Embedding(10, 3), keras.layers.LSTM(1)]),
    ]
    inputs = [tf.reshape(tf.repeat(X, 8, 1)[:4], [4, 8, 8, 1]), tf.constant(WORDS[:4])]
    found = []
    for model, x in zip(models, inputs, strict=True):
        model.compile("adam", "mse", metrics=["mae"])
        model.fit(x, Y[:4], verbose=0)
        with tempfile.TemporaryDirectory() as folder:
            model.save(folder, save_format="tf")
            loaded, raw = keras.models.load_model(folder), tf.saved_model.load(folder)
        before = np.asarray(model(x))
        assert np.allclose(loaded(x), before, atol=1e-6)
        assert np.allclose(raw(x), before, atol=1e-6)
        found.append(float(before[0, 0]))
        assert np.allclose(loaded.evaluate(x, Y[:4], verbose=0), model.evaluate(x, Y[:4], verbose=0), atol=1e-6)
        found += loaded.fit(x, Y[:4], verbose=0).history["loss"]
    return found


def lists():
    x = keras.Input([3])
    model = keras.Model(x, ([8, 16, 4] / x, (1, 2, 3) * x, [[1, 2, 3]] - x, [2, 2, 2] ** x))
    return [float(part) for made in model(tf.constant([[1.0, 2.0, 5.0]])) for part in made[0]]


def numbers():
    x, count = keras.Input([2]), keras.Input([2], dtype="int32")
    model = keras.Model((x, count), (1 - x, 2 * x, 3 / x, 2**x, 7 // count, 5 - count))
    made = model((tf.constant([[1.0, 4.0]]), tf.constant([[2, 3]])))
    return [float(each) for part in made for each in part[0]]


for function in (sequential, functional, subclassed, weights, loop, vectorization, saved_models, lists, numbers):
    keras.utils.set_random_seed(1)
    print(json.dumps([function.__name__, function()]))
