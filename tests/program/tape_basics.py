"""watch, intermediate gradients, persistent tapes, reset, stop_recording, unconnected sources, the errors."""

import tensorflow as tf

x = tf.ones((2, 2))
with tf.GradientTape(persistent=True) as t:
    t.watch(x)
    y = tf.reduce_sum(x)
    z = tf.multiply(y, y)
print(t.gradient(z, x).numpy().tolist(), t.gradient(z, y).numpy())
del t

x = tf.constant(3.0)
with tf.GradientTape() as t:
    t.watch(x)
    loss = x * x
    t.reset()
    t.watch(x)
    loss += 5.0 * x
print("after reset:", t.gradient(loss, x).numpy())

v = tf.Variable(2.0)
with tf.GradientTape() as t:
    a = v * v
    with t.stop_recording():
        hidden = v * v * v
    total = a + hidden
print("stop_recording:", t.gradient(total, v).numpy())

w = tf.Variable(1.0)
with tf.GradientTape(persistent=True) as t:
    y = v * 3.0
print("unconnected:", t.gradient(y, w), t.gradient(y, w, unconnected_gradients=tf.UnconnectedGradients.ZERO).numpy())
print("structure:", {k: (g if g is None else g.numpy()) for k, g in t.gradient(y, {"v": v, "w": w}).items()})
print("watched:", [u is v for u in t.watched_variables()])

with tf.GradientTape(watch_accessed_variables=False) as t:
    y = v * v
print("not watched:", t.gradient(y, v))

x = tf.constant(3.0)
with tf.GradientTape() as t:
    t.watch(x)
    y = x * x
t.gradient(y, x)
try:
    t.gradient(y, x)
except RuntimeError as e:
    print("RuntimeError:", e)
with tf.GradientTape() as t:
    t.watch(x)
    y = x * x
    try:
        t.gradient(y, x)
    except RuntimeError as e:
        print("RuntimeError inside:", type(e).__name__)
n = tf.constant(3)
with tf.GradientTape() as t:
    t.watch(n)
    y = n * n
print("integers:", t.gradient(y, n))
table = tf.Variable(tf.reshape(tf.range(8, dtype=tf.float32), (4, 2)))
with tf.GradientTape() as t:
    y = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 3, 1]) ** 2)
g = t.gradient(y, table)
print(type(g).__name__, g.indices.numpy().tolist(), g.values.numpy().tolist(), g.dense_shape.numpy().tolist())
