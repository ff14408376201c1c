"""A net that is trained with weights and activations rounded to few levels, whose ranges are trained as well."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(1)
inputs = random.randn(64, 5).astype("float32")
labels = (inputs @ np.array([1.0, -2.0, 0.5, 0.0, 3.0], "float32") > 0).astype("float32")[:, None]

kernel = tf.Variable(tf.random.stateless_normal([5, 8], (1, 2)) * 0.5)
readout = tf.Variable(tf.random.stateless_normal([8, 1], (3, 4)) * 0.5)
low, high = tf.Variable(-3.0), tf.Variable(3.0)
lows, highs = tf.Variable(-2.0 * tf.ones([8])), tf.Variable(2.0 * tf.ones([8]))
variables = [kernel, readout, low, high, lows, highs]
quantization = tf.quantization


@tf.function
def step():
    with tf.GradientTape() as tape:
        weights = quantization.quantize_and_dequantize(kernel, [0.0] * 8, [0.0] * 8, num_bits=6, axis=1)
        x = quantization.fake_quant_with_min_max_vars(inputs, low, high, num_bits=6)
        hidden = quantization.fake_quant_with_min_max_vars_per_channel(
            tf.matmul(x, weights), lows, highs, num_bits=7, narrow_range=True
        )
        logits = quantization.fake_quant_with_min_max_args(tf.matmul(tf.nn.relu(hidden), readout), -8.1, 8.3)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
    for variable, gradient in zip(variables, tape.gradient(loss, variables)):
        variable.assign_sub(0.3 * gradient)
    return loss


for _ in range(12):
    print("loss", round(float(step()), 4))
print("range", np.round(low.numpy(), 3), np.round(high.numpy(), 3))
print("channels", np.round(highs.numpy(), 3))

small = tf.cast(kernel, tf.dtypes.experimental.float8_e4m3fn)
print(small.dtype, tf.reduce_max(tf.abs(kernel - tf.cast(small, tf.float32))).numpy().round(4))
