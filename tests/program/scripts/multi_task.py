"""Two tasks, one trunk: a gradient for each from a persistent tape, their angle, and the conflict projected away."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(4)
x = tf.constant(rng.normal(size=(100, 6)).astype(np.float32))
target_a = tf.constant((rng.normal(size=(100,)) * 0.1).astype(np.float32)) + x[:, 0] - x[:, 1]
target_b = tf.cast(x[:, 1] + 0.5 * x[:, 2] > 0, tf.float32)
trunk = tf.Variable(rng.normal(scale=0.4, size=(6, 8)).astype(np.float32))
head_a = tf.Variable(rng.normal(scale=0.4, size=(8, 1)).astype(np.float32))
head_b = tf.Variable(rng.normal(scale=0.4, size=(8, 1)).astype(np.float32))
log_vars = tf.Variable([0.0, 0.0])


def flat(g):
    return tf.reshape(g, [-1])


conflicts = 0
for step in range(80):
    with tf.GradientTape(persistent=True) as tape:
        features = tf.nn.elu(x @ trunk)
        loss_a = tf.reduce_mean((tf.squeeze(features @ head_a) - target_a) ** 2)
        logits = tf.squeeze(features @ head_b)
        loss_b = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=target_b, logits=logits))
        weighted = tf.reduce_sum(tf.exp(-log_vars) * tf.stack([loss_a, loss_b]) + 0.5 * log_vars)
    ga, gb = tape.gradient(loss_a, trunk), tape.gradient(loss_b, trunk)
    assert tape.gradient(loss_a, head_b) is None
    dot = tf.tensordot(flat(ga), flat(gb), axes=1)
    cosine = dot / (tf.norm(ga) * tf.norm(gb))
    if dot < 0:
        conflicts += 1
        ga, gb = ga - dot / tf.reduce_sum(gb**2) * gb, gb - dot / tf.reduce_sum(ga**2) * ga
    trunk.assign_sub(0.1 * (ga + gb))
    head_a.assign_sub(0.1 * tape.gradient(loss_a, head_a))
    head_b.assign_sub(0.1 * tape.gradient(loss_b, head_b))
    log_vars.assign_sub(0.05 * tape.gradient(weighted, log_vars))
    del tape
    if step % 20 == 0:
        correct = tf.equal(logits > 0, target_b > 0.5)
        print(
            step,
            "a %.6f b %.6f cosine %.5f accuracy %.2f"
            % (loss_a, loss_b, cosine, tf.reduce_mean(tf.cast(correct, tf.float32))),
        )
print("conflicts", conflicts, "log variances", log_vars.numpy().round(3))
