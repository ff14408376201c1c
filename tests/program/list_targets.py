"""A list of targets is summed, not stacked; output_gradients weigh them; the jacobian is the other thing."""

import tensorflow as tf

inputs = tf.convert_to_tensor([[0.1, 0], [0.5, 0.51]])
w = tf.Variable(initial_value=inputs)
b = tf.Variable(tf.zeros((2,)))
labels = tf.convert_to_tensor([0, 1])


def forward():
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.matmul(inputs, w) + b)


with tf.GradientTape() as g:
    xentropy = forward()
grads = g.gradient(xentropy, [w, b])
with tf.GradientTape() as g:
    reduced = tf.reduce_mean(forward())
grads_reduced = g.gradient(reduced, [w, b])
print(xentropy.numpy(), reduced.numpy())
print(grads[0].numpy())
print(grads_reduced[0].numpy())
with tf.GradientTape(persistent=True) as g:
    y = forward()
    y1, y2 = y[0], y[1]
print(g.gradient([y1, y2], w).numpy())
print(g.gradient([y1, y2], w, output_gradients=[tf.constant(2.0), tf.constant(-1.0)]).numpy())
print(g.jacobian(y, [w, b])[0].shape, g.jacobian(y, b).numpy())
x = tf.reshape(tf.range(6, dtype=tf.float32), (2, 3))
with tf.GradientTape() as g:
    g.watch(x)
    y = tf.sin(x) * tf.reduce_sum(x, axis=1, keepdims=True)
print(g.batch_jacobian(y, x).numpy())
