"""A variational autoencoder with given noise, then pictures that fool a classifier: gradients by the inputs."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(13)
bits = np.kron(rng.integers(0, 2, size=(48, 2, 2)), np.ones((2, 2))).reshape(48, 16).astype(np.float32)
data = tf.constant(np.abs(bits - (rng.uniform(size=bits.shape) < 0.05)).astype(np.float32))


class MLP(tf.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.ws = [tf.Variable((rng.normal(size=s) / np.sqrt(s[0])).astype("f")) for s in zip(sizes, sizes[1:])]
        self.bs = [tf.Variable(tf.zeros(n)) for n in sizes[1:]]

    def __call__(self, x):
        for i, (w, b) in enumerate(zip(self.ws, self.bs)):
            x = tf.matmul(x, w) + b
            if i < len(self.ws) - 1:
                x = tf.nn.leaky_relu(x)
        return x


encoder, decoder = MLP(16, 12, 4), MLP(2, 12, 16)
variables = encoder.trainable_variables + decoder.trainable_variables
slots = {v.ref(): tf.Variable(tf.zeros_like(v)) for v in variables}
for step in range(120):
    beta = min(1.0, step / 60)
    with tf.GradientTape() as tape:
        mean, logvar = tf.split(encoder(data), 2, axis=1)
        z = mean + tf.exp(0.5 * logvar) * rng.normal(size=(48, 2))
        logits = decoder(z)
        reconstruction = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=data, logits=logits), axis=1)
        kl = -0.5 * tf.reduce_sum(1 + logvar - mean**2 - tf.exp(logvar), axis=1)
        loss = tf.reduce_mean(reconstruction + beta * kl)
    for v, g in zip(variables, tape.gradient(loss, variables)):
        slots[v.ref()].assign(0.9 * slots[v.ref()] + 0.1 * g * g)
        v.assign_sub(0.01 * g / (tf.sqrt(slots[v.ref()]) + 1e-7))
    if step % 30 == 0:
        print(
            step, "loss %.3f reconstruction %.3f kl %.3f" % (loss, tf.reduce_mean(reconstruction), tf.reduce_mean(kl))
        )
clean = tf.cast(tf.nn.sigmoid(decoder(encoder(data)[:, :2])) > 0.5, tf.float32)
print("pixels right %.3f" % tf.reduce_mean(tf.cast(clean == bits, tf.float32)).numpy())

label = tf.constant(bits[:, 0] > 0.5)
w = tf.Variable(tf.zeros([16, 1]))
for _ in range(50):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(tf.cast(label, tf.float32)[:, None], data @ w))
    w.assign_sub(tape.gradient(loss, w))
for epsilon in (0.0, 0.1, 0.3):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(data)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(tf.cast(label, tf.float32)[:, None], data @ w))
    fooled = tf.clip_by_value(data + epsilon * tf.sign(tape.gradient(loss, data)), 0.0, 1.0)
    right = tf.reduce_mean(tf.cast((tf.squeeze(fooled @ w) > 0) == label, tf.float32))
    print("epsilon", epsilon, "right %.3f" % right)
