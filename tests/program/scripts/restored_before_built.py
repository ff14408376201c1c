"""A model with layers in a list is restored before its first call, as tutorials do; training continues."""

import os
import tempfile
import warnings

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
# Of variables that Keras lists twice.
warnings.filterwarnings("ignore", "Gradients do not exist for variables")
inputs = tf.constant(np.linspace(-1.0, 1.0, 8).reshape(2, 4).astype(np.float32))


class Network(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(2)]
        self.scale = tf.keras.layers.LayerNormalization()

    def call(self, x):
        for block in self.blocks:
            x = block(x)
        return self.scale(x)


def made(seed, *, is_decorated):
    tf.keras.utils.set_random_seed(seed)
    model, optimizer = Network(), tf.keras.optimizers.Adam(0.01)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(inputs) - 1.0))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return tf.train.Checkpoint(model=model, optimizer=optimizer), tf.function(step) if is_decorated else step


def losses(step):
    return " ".join(f"{float(step()):.4f}" for _ in range(3))


for is_decorated in (False, True):
    checkpoint, step = made(1, is_decorated=is_decorated)
    print("first", losses(step))
    path = checkpoint.save(os.path.join(folder, f"ck{int(is_decorated)}"))
    print("on", losses(step))
    for is_built in (True, False):
        checkpoint, step = made(2, is_decorated=is_decorated)
        if is_built:
            checkpoint.model(inputs)
            checkpoint.optimizer.build(checkpoint.model.trainable_variables)
        status = checkpoint.restore(path)
        print("restored, built:", is_built, losses(step), "steps:", int(checkpoint.optimizer.iterations))
        print(len(checkpoint.model.trainable_variables), "variables, slots of", len(checkpoint.optimizer.variables) - 2)
        status.expect_partial()
