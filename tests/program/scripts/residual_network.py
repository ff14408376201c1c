"""Layers as tf.Module: dense, normalisation, residual blocks, dropout by mask; clipped norms, momentum."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(3)


class Dense(tf.Module):
    def __init__(self, units, activation=None, name=None):
        super().__init__(name=name)
        self.units = units
        self.activation = activation
        self.is_built = False

    @tf.Module.with_name_scope
    def __call__(self, x):
        if not self.is_built:
            limit = np.sqrt(6.0 / (x.shape[-1] + self.units))
            self.w = tf.Variable(rng.uniform(-limit, limit, (x.shape[-1], self.units)), dtype=tf.float32, name="w")
            self.b = tf.Variable(tf.zeros([self.units]), name="b")
            self.is_built = True
        y = tf.nn.bias_add(x @ self.w, self.b)
        return y if self.activation is None else self.activation(y)


class LayerNorm(tf.Module):
    def __init__(self, size, eps=1e-5, name=None):
        super().__init__(name)
        self.gain = tf.Variable(tf.ones(size), name="gain")
        self.shift = tf.Variable(tf.zeros(size), name="shift")
        self.calls = tf.Variable(0, trainable=False, name="calls")
        self.eps = eps

    def __call__(self, x):
        self.calls.assign_add(1)
        mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
        return self.gain * (x - mean) / tf.sqrt(variance + self.eps) + self.shift


class Block(tf.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = LayerNorm(width)
        self.parts = [Dense(2 * width, tf.nn.gelu, name="up"), Dense(width, name="down")]

    def __call__(self, x, keep=None):
        h = self.norm(x)
        for part in self.parts:
            h = part(h)
        if keep is not None:
            h = tf.where(keep, h / 0.8, tf.zeros_like(h))
        return x + h


class Model(tf.Module):
    def __init__(self):
        super().__init__(name="model")
        self.stem = Dense(8, tf.nn.tanh, name="stem")
        self.blocks = {"first": Block(8), "second": Block(8)}
        self.head = Dense(1, name="head")

    def __call__(self, x, masks=(None, None)):
        x = self.stem(x)
        for block, keep in zip(self.blocks.values(), masks):
            x = block(x, keep)
        return tf.squeeze(self.head(x), -1)


x = rng.normal(size=(64, 3)).astype(np.float32)
y = np.sin(x[:, 0]) * x[:, 1] + x[:, 2] ** 2
x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y, dtype=tf.float32)
model = Model()
model(x)
for v in model.trainable_variables:
    print(v.name, v.shape)
print(len(model.variables), len(model.submodules), sum(int(tf.size(v)) for v in model.trainable_variables))
velocities = [tf.Variable(tf.zeros_like(v), trainable=False) for v in model.trainable_variables]
for step in range(60):
    masks = [tf.constant(rng.uniform(size=(64, 8)) < 0.8) for _ in range(2)]
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, masks) - y) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    grads, norm = tf.clip_by_global_norm(grads, 0.5)
    for v, m, g in zip(model.trainable_variables, velocities, grads):
        m.assign(0.9 * m - 0.02 * g)
        v.assign_add(m)
    if step % 10 == 0:
        print(f"{step:2d} loss {loss:.4f} norm {norm:.3f} clipped {tf.linalg.global_norm(grads):.3f}")
print("calls", [block.norm.calls.numpy() for block in model.blocks.values()])
print("final %.4f" % tf.reduce_mean(tf.square(model(x) - y)))
