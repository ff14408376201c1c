"""Warm-up and cosine decay of the rate, an exponential average of the weights, evaluation with either, snapshots."""

import copy
import math

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(2)
x = tf.constant(rng.normal(size=(256, 4)).astype(np.float32))
y = tf.constant(
    np.tanh(x.numpy() @ rng.normal(size=(4, 2))).astype(np.float32) + 0.3 * rng.normal(size=(256, 2)).astype("f")
)
w1 = tf.Variable(rng.normal(scale=0.5, size=(4, 16)).astype("f"), name="w1")
w2 = tf.Variable(rng.normal(scale=0.3, size=(16, 2)).astype("f"), name="w2")
weights = [w1, w2]
averages = [tf.Variable(w, trainable=False, name=w.name.split(":")[0] + "_avg") for w in weights]
print([(v.name, v.trainable) for v in averages])
DECAY, STEPS, WARMUP = 0.95, 100, 10


def rate(step):
    if step < WARMUP:
        return 0.2 * (step + 1) / WARMUP
    return 0.1 * (1 + math.cos(math.pi * (step - WARMUP) / (STEPS - WARMUP)))


def forward(inputs, params):
    return tf.matmul(tf.nn.relu(tf.matmul(inputs, params[0])), params[1])


snapshots, history = [], []
for step in range(STEPS):
    rows = rng.integers(0, 256, size=16)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.abs(forward(tf.gather(x, rows), weights) - tf.gather(y, rows)))
    for w, g in zip(weights, tape.gradient(loss, weights)):
        w.assign_sub(rate(step) * g)
    decay = tf.minimum(DECAY, (1.0 + step) / (10.0 + step))
    for avg, w in zip(averages, weights):
        avg.assign(decay * avg + (1.0 - decay) * w)
    history.append(loss)
    if step % 25 == 24:
        snapshots.append(w2.value())
        raw = tf.reduce_mean(tf.abs(forward(x, weights) - y))
        smooth = tf.reduce_mean(tf.abs(forward(x, averages) - y))
        print(f"{step} rate {rate(step):.4f} raw {float(raw):.4f} averaged {float(smooth):.4f}")
history = tf.stack(history)
print("window means", tf.reduce_mean(tf.reshape(history, [4, 25]), axis=1).numpy().round(4))
print("snapshots moved", [round(float(tf.norm(b - a)), 4) for a, b in zip(snapshots, snapshots[1:])])
kept = copy.deepcopy(w1)
w1.assign(averages[0])
print("swapped", bool(tf.reduce_all(w1 == averages[0])), bool(tf.reduce_all(kept == w1)))
w1.assign(kept)
print("and back %.4f" % tf.reduce_mean(tf.abs(forward(x, weights) - y)))
