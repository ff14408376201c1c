"""Learning rates handed to a decorated step: as Python numbers, as tensors, as a variable, and from a step counter."""

import math

import numpy as np
import tensorflow as tf

x = tf.constant(np.linspace(-1, 1, 20, dtype=np.float32))
y = 3 * x**3 - x
w = tf.Variable(tf.zeros([4]), name="w")
global_step = tf.Variable(0, trainable=False, dtype=tf.int64, name="global_step")
traced = []


def predict(x):
    return tf.linalg.matvec(tf.stack([tf.ones_like(x), x, x**2, x**3], axis=1), w)


@tf.function
def step(rate):
    traced.append(rate)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((predict(x) - y) ** 2)
    w.assign_sub(rate * tape.gradient(loss, w))
    return loss


for rate in (0.5, 0.5, 0.25, 0.25):
    step(rate)
print("numbers:", step.experimental_get_tracing_count(), "traces,", traced)

for i in range(20):
    loss = step(tf.constant(0.5 / (1 + 0.1 * i)))
print("tensors:", step.experimental_get_tracing_count(), "traces, loss %.5f" % loss)

rate = tf.Variable(0.5)
for i in range(20):
    rate.assign(0.5 * 0.95**i)
    loss = step(rate)
print("variable:", step.experimental_get_tracing_count(), "traces, loss %.5f" % loss)


def warmup_cosine(count, base=0.5, warmup=5.0, total=40.0):
    count = tf.cast(count, tf.float32)
    if count < warmup:
        return base * (count + 1.0) / warmup
    progress = tf.minimum((count - warmup) / (total - warmup), 1.0)
    return 0.5 * base * (1.0 + tf.cos(math.pi * progress))


def piecewise(count, boundaries=(10, 20, 30), values=(0.5, 0.25, 0.1, 0.05)):
    value = tf.constant(values[0])
    for boundary, later in zip(boundaries, values[1:]):
        value = tf.where(count >= boundary, later, value)
    return value


@tf.function
def scheduled_step(schedule):
    rate = schedule(global_step)
    loss = step(rate)
    global_step.assign_add(1)
    return loss, rate


for schedule in (warmup_cosine, piecewise):
    global_step.assign(0)
    w.assign(tf.zeros([4]))
    for i in range(45):
        loss, rate = scheduled_step(schedule)
        if i % 11 == 0:
            print(schedule.__name__, i, "rate %.4f loss %.5f" % (rate.numpy(), loss.numpy()))
print(global_step.numpy(), w.numpy(), scheduled_step.experimental_get_tracing_count())
