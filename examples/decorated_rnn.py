"""A recurrent network with loops on tensors: `for` over `tf.range` in training, `while` in prediction.

python examples/decorated_rnn.py              with TensorFlow
python -m tfcompat examples/decorated_rnn.py  with tfcompat, on JAX
"""

import numpy as np
import tensorflow as tf

UNITS, BATCH, LENGTH, STEPS, RATE = 16, 16, 24, 300, 0.02
rng = np.random.default_rng(0)


def waves(count, length):
    """Sines of one frequency with random phases: [time, batch, 1]."""
    start = rng.uniform(0.0, 2.0 * np.pi, size=(1, count, 1))
    return np.sin(0.4 * np.arange(length)[:, None, None] + start).astype(np.float32)


class Cell(tf.Module):
    """A recurrent cell that predicts the next value."""

    def __init__(self):
        super().__init__()
        scale = 1.0 / np.sqrt(UNITS)
        self.inward = tf.Variable(rng.uniform(-1, 1, (1, UNITS)).astype(np.float32))
        self.recurrent = tf.Variable(rng.uniform(-scale, scale, (UNITS, UNITS)).astype(np.float32))
        self.bias = tf.Variable(tf.zeros([UNITS]))
        self.outward = tf.Variable(rng.uniform(-scale, scale, (UNITS, 1)).astype(np.float32))

    def __call__(self, now, state):
        state = tf.tanh(now @ self.inward + state @ self.recurrent + self.bias)
        return state @ self.outward, state


cell = Cell()
weights = cell.trainable_variables
means = [tf.Variable(tf.zeros_like(w)) for w in weights]
squares = [tf.Variable(tf.zeros_like(w)) for w in weights]
count = tf.Variable(0.0)


def adam(gradients):
    count.assign_add(1.0)
    rate = RATE * tf.sqrt(1.0 - 0.999**count) / (1.0 - 0.9**count)
    for w, m, s, g in zip(weights, means, squares, gradients):
        m.assign(0.9 * m + 0.1 * g)
        s.assign(0.999 * s + 0.001 * g**2)
        w.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))


# In a decorated function, a `for` over a tensor is one op: the program has the same size for any number of steps.
@tf.function
def train_step(series):
    with tf.GradientTape() as tape:
        state = tf.zeros([BATCH, UNITS])
        loss = 0.0
        for t in tf.range(tf.shape(series)[0] - 1):
            predicted, state = cell(series[t], state)
            loss += tf.reduce_mean(tf.square(predicted - series[t + 1]))
        loss /= tf.cast(tf.shape(series)[0] - 1, tf.float32)
    gradients = tape.gradient(loss, weights)
    gradients, norm = tf.clip_by_global_norm(gradients, 1.0)
    adam(gradients)
    return loss, norm


@tf.function
def continuation(series, length):
    """The predicted continuation of `series`; each prediction is the next input."""
    state = tf.zeros([tf.shape(series)[1], UNITS])
    predicted = series[0]
    for now in series:
        predicted, state = cell(now, state)
    answer = tf.TensorArray(tf.float32, size=length)
    for t in tf.range(length):
        answer = answer.write(t, predicted[0, 0])
        predicted, state = cell(predicted, state)
    return answer.stack()


@tf.function
def moments_until_it_falls(series):
    """The number of predictions after `series` that rise; the length of this loop depends on the data."""
    state = tf.zeros([1, UNITS])
    before, now = series[0], series[0]
    for x in series:
        before = x
        now, state = cell(x, state)
    count = 0
    while tf.reduce_all(now > before) and count < 50:
        before = now
        now, state = cell(now, state)
        count += 1
    return count


for step in range(STEPS):
    loss, norm = train_step(waves(BATCH, LENGTH))
    if step % 50 == 49:
        print(f"step {step + 1:3}  loss {loss:.5f}")

series = np.sin(0.4 * np.arange(40)).astype(np.float32).reshape(40, 1, 1)
print("sine   ", series[20:26, 0, 0])
print("learned", continuation(series[:20], 6).numpy())
print("rising for", [int(moments_until_it_falls(series[:n])) for n in (14, 16, 18)], "more moments")
print("traces:", train_step.experimental_get_tracing_count(), moments_until_it_falls.experimental_get_tracing_count())
