"""Several targets: `gradient` sums their gradients, output_gradients weight them, the jacobian separates them.

python examples/list_targets_and_jacobian.py              with TensorFlow
python -m tfcompat examples/list_targets_and_jacobian.py  with tfcompat, on JAX
"""

import numpy as np
import tensorflow as tf

points = tf.constant([[0.1, 0.0], [0.5, 0.51]])
labels = tf.constant([0, 1])
weights = tf.Variable(points)
bias = tf.Variable(tf.zeros([2]))


def losses():
    """One loss for each point."""
    logits = tf.matmul(points, weights) + bias
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


# ---------------------------------------------------------------------------------------------------------------------
print("A target with several elements: the gradient of its sum")

with tf.GradientTape(persistent=True) as tape:
    each = losses()
    total = tf.reduce_sum(each)
    mean = tf.reduce_mean(each)
    first, second = tf.unstack(each)
print("of the vector  ", tape.gradient(each, bias).numpy())
print("of its sum     ", tape.gradient(total, bias).numpy())
print("of its mean    ", tape.gradient(mean, bias).numpy())

# ---------------------------------------------------------------------------------------------------------------------
print("A list of targets: the same sum; output_gradients weigh its terms")

print("of the list    ", tape.gradient([first, second], bias).numpy())
weighed = tape.gradient([first, second], bias, output_gradients=[tf.constant(2.0), tf.constant(-1.0)])
print("2 and -1 times ", weighed.numpy())
by_hand = 2.0 * tape.gradient(first, bias) - tape.gradient(second, bias)
print("by hand        ", by_hand.numpy())

# ---------------------------------------------------------------------------------------------------------------------
print("Sources may be nested; the gradients have their structure")

by_name = tape.gradient(total, {"weights": weights, "rest": (bias,)})
print("of weights     ", by_name["weights"].numpy().tolist())
print("of the rest    ", by_name["rest"][0].numpy().tolist())

# ---------------------------------------------------------------------------------------------------------------------
print("The jacobian: one row for each element of the target")

jacobian = tape.jacobian(each, bias)
print(jacobian.numpy())
print("its rows add up to the gradient:", np.allclose(tf.reduce_sum(jacobian, axis=0), tape.gradient(each, bias)))
print("for the weights it has shape", tape.jacobian(each, weights).shape)
del tape

# ---------------------------------------------------------------------------------------------------------------------
print("batch_jacobian: where no row of the target depends on another row of the source")

rows = tf.reshape(tf.range(6.0), [2, 3])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(rows)
    waves = tf.sin(rows) * tf.reduce_sum(rows, axis=1, keepdims=True)
by_row = tape.batch_jacobian(waves, rows)
print(by_row.numpy())
full = tape.jacobian(waves, rows)
print("full:", full.shape, "by row:", by_row.shape)
print("the blocks on the diagonal agree:", np.allclose(by_row, tf.einsum("bibj->bij", full)))
