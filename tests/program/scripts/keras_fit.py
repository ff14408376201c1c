"""A subclassed and a functional Keras model are fitted, with callbacks, validation data and a custom training step."""

import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(2)
rng = np.random.default_rng(0)
inputs = rng.random((40, 4), np.float32)
labels = rng.integers(0, 3, 40)


class Network(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = [layers.Dense(8, activation="gelu") for _ in range(2)]
        self.head = layers.Dense(3)

    def call(self, x):
        for layer in self.hidden:
            x = layer(x)
        self.add_loss(0.01 * tf.reduce_mean(tf.square(x)))
        return self.head(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            predicted = self(x, training=True)
            loss = self.compute_loss(x, y, predicted)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"seen": tf.reduce_mean(predicted), **self.compute_metrics(x, y, predicted)}


def show(history):
    for name, values in sorted(history.history.items()):
        print(name, " ".join(f"{value:.5f}" for value in values))


cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
network = Network()
network.compile(keras.optimizers.SGD(0.1, momentum=0.9), cross_entropy, metrics=["accuracy"])
show(network.fit(inputs, labels, epochs=3, batch_size=16, shuffle=False, verbose=0))

left, right = keras.Input((4,)), keras.Input((4,))
joined = layers.Concatenate()([layers.Dense(4, "tanh")(left), layers.LayerNormalization()(right)])
model = keras.Model([left, right], layers.Dense(3)(layers.Dropout(0.2)(joined)))
model.compile("adam", cross_entropy, metrics=["accuracy"])
stops = keras.callbacks.EarlyStopping("val_loss", patience=1)
halves = keras.callbacks.LearningRateScheduler(lambda _, rate: rate / 2)
pairs = tf.data.Dataset.from_tensor_slices(((inputs, inputs), labels)).batch(16)
show(model.fit(pairs, epochs=3, validation_data=pairs, callbacks=[stops, halves], shuffle=False, verbose=0))
print("evaluate", " ".join(f"{value:.5f}" for value in model.evaluate(pairs, verbose=0)))
print("predict", model.predict([inputs, inputs], verbose=0)[-1].round(5))

with tempfile.TemporaryDirectory() as folder:
    model.save(f"{folder}/model.keras")
    model.save_weights(f"{folder}/model.weights.h5")
    loaded = keras.models.load_model(f"{folder}/model.keras")
    model.set_weights([0 * weight for weight in model.get_weights()])
    model.load_weights(f"{folder}/model.weights.h5")
for restored in (loaded, model):
    print("restored", restored([inputs[:1], inputs[:1]]).numpy().round(5))
