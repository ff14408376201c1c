"""k-means and a Gaussian mixture by expectation and maximisation: no gradients, variables assigned until they rest."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(9)
K = 3
points = tf.constant(
    np.concatenate([rng.normal(c, 0.4, size=(40, 2)) for c in ([0, 0], [3, 1], [1, 4])]).astype(np.float32)
)
centers = tf.Variable(tf.gather(points, [0, 50, 100]))
assigned = tf.Variable(tf.zeros([120], tf.int32), trainable=False)
iteration = 0
while True:
    distances = tf.reduce_sum((points[:, None, :] - centers[None, :, :]) ** 2, axis=-1)
    nearest = tf.argmin(distances, axis=1, output_type=tf.int32)
    moved = tf.reduce_sum(tf.cast(nearest != assigned, tf.int32))
    assigned.assign(nearest)
    sums = tf.math.unsorted_segment_sum(points, assigned, K)
    sizes = tf.math.unsorted_segment_sum(tf.ones([120]), assigned, K)
    centers.assign(sums / sizes[:, tf.newaxis])
    iteration += 1
    inertia = tf.reduce_sum(tf.reduce_min(distances, axis=1))
    print(iteration, "moved", int(moved), "inertia %.3f" % inertia.numpy())
    if not moved:
        break
    if iteration > 20:
        raise RuntimeError("no convergence")
print(centers.numpy().round(3), tf.math.bincount(assigned).numpy())
order = tf.argsort(centers[:, 0])
print(tf.gather(centers, order)[:, 0].numpy().round(3), order.numpy())

log_pi = tf.Variable(tf.fill([K], -tf.math.log(float(K))))
means = tf.Variable(centers)
log_var = tf.Variable(tf.zeros([K, 2]))
last = -np.inf
for step in range(50):
    z = (points[:, tf.newaxis] - means) ** 2 / tf.exp(log_var)
    log_p = log_pi - 0.5 * tf.reduce_sum(z + log_var + np.log(2 * np.pi), axis=2)
    evidence = tf.reduce_logsumexp(log_p, axis=1, keepdims=True)
    responsibility = tf.exp(log_p - evidence)
    weight = tf.reduce_sum(responsibility, axis=0)
    means.assign(tf.linalg.matmul(responsibility, points, transpose_a=True) / weight[:, None])
    spread = tf.einsum("nk,nkd->kd", responsibility, (points[:, None] - means) ** 2)
    log_var.assign(tf.math.log(spread / weight[:, None] + 1e-6))
    log_pi.assign(tf.math.log(weight / tf.reduce_sum(weight)))
    likelihood = float(tf.reduce_mean(evidence))
    if likelihood - last < 1e-6:
        break
    last = likelihood
print("steps", step, "log likelihood %.4f" % likelihood)
print(means.numpy().round(3))
print(tf.exp(log_pi).numpy().round(3), tf.sqrt(tf.exp(log_var)).numpy().round(2).tolist())
