"""`fit` with a training step of one's own and callbacks: an autoencoder that is asked for sparse codes.

python examples/custom_train_step.py              with TensorFlow
python -m tfcompat examples/custom_train_step.py  with tfcompat, on JAX
"""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras


class SparseAutoencoder(keras.Model):
    """Reconstructs its inputs; `train_step` adds a penalty on the codes and clips the gradients."""

    def __init__(self, units, width, penalty):
        super().__init__()
        self.encoder = keras.layers.Dense(units, activation="relu")
        self.decoder = keras.layers.Dense(width)
        self.penalty = penalty
        self.loss_tracker = keras.metrics.Mean(name="loss")
        self.code_tracker = keras.metrics.Mean(name="code")

    @property
    def metrics(self):
        return [self.loss_tracker, self.code_tracker]

    def call(self, inputs):
        return self.decoder(self.encoder(inputs))

    def train_step(self, inputs):
        with tf.GradientTape() as tape:
            codes = self.encoder(inputs)
            error = tf.reduce_mean(tf.square(self.decoder(codes) - inputs))
            code = tf.reduce_mean(tf.abs(codes))
            loss = error + self.penalty * code
        gradients = tape.gradient(loss, self.trainable_variables)
        gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.loss_tracker.update_state(loss)
        self.code_tracker.update_state(code)
        return {metric.name: metric.result() for metric in self.metrics}

    def test_step(self, inputs):
        self.loss_tracker.update_state(tf.reduce_mean(tf.square(self(inputs) - inputs)))
        return {"loss": self.loss_tracker.result()}


class Report(keras.callbacks.Callback):
    """Prints the numbers of every second epoch."""

    def on_epoch_end(self, epoch, logs=None):
        if epoch % 2 == 1:
            print(f"epoch {epoch + 1}:", ", ".join(f"{name} {logs[name]:.4f}" for name in sorted(logs)))

    def on_train_end(self, logs=None):
        print(f"ended after {self.model.optimizer.iterations.numpy()} steps, loss {logs['loss']:.4f}")


keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
examples = (rng.normal(size=(200, 4)) @ rng.normal(size=(4, 12))).astype(np.float32)
examples += 0.05 * rng.normal(size=examples.shape).astype(np.float32)

model = SparseAutoencoder(16, 12, 0.01)
model.compile(optimizer=keras.optimizers.RMSprop(0.01))
with tempfile.TemporaryDirectory() as folder:
    best = os.path.join(folder, "best.weights.h5")
    callbacks = [
        Report(),
        keras.callbacks.ReduceLROnPlateau(factor=0.5, patience=1, min_delta=0.05),
        keras.callbacks.EarlyStopping(patience=4, min_delta=0.02),
        keras.callbacks.ModelCheckpoint(best, save_best_only=True, save_weights_only=True),
        keras.callbacks.CSVLogger(os.path.join(folder, "log.csv")),
    ]
    model.fit(
        examples[:160], validation_data=(examples[160:],), epochs=20, batch_size=32, callbacks=callbacks, verbose=0
    )
    with open(os.path.join(folder, "log.csv")) as log:
        print("columns of the log:", next(log).strip())
    model.load_weights(best)
print(f"best weights: validation loss {model.evaluate(examples[160:], verbose=0, return_dict=True)['loss']:.4f}")
