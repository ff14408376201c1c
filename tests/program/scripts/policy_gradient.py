"""REINFORCE with a baseline on recorded episodes: discounted returns, chosen log-probabilities, an entropy bonus."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(11)
T, STATES, ACTIONS, GAMMA = 40, 4, 3, 0.9
states = tf.constant(rng.normal(size=(T, STATES)), tf.float32)
actions = tf.constant(rng.integers(0, ACTIONS, size=T), tf.int32)
rewards = np.where(actions.numpy() == np.argmax(states.numpy()[:, :ACTIONS], 1), 1.0, -0.2)

returns, running = [], 0.0
for r in reversed(rewards):
    running = r + GAMMA * running
    returns.append(running)
returns = tf.reverse(tf.constant(returns, dtype=tf.float32), axis=[0])
print(tf.reduce_mean(returns), tf.math.reduce_std(returns).numpy())

policy = tf.Variable(rng.normal(scale=0.1, size=(STATES, ACTIONS)).astype(np.float32), name="policy")
value = tf.Variable(tf.zeros([STATES, 1]), name="value")
for step in range(40):
    with tf.GradientTape() as tape:
        log_p = tf.nn.log_softmax(states @ policy)
        chosen = tf.gather(log_p, actions, axis=1, batch_dims=1)
        same = tf.reduce_sum(log_p * tf.one_hot(actions, ACTIONS), axis=1)
        also = tf.gather_nd(log_p, tf.stack([tf.range(T), actions], axis=1))
        baseline = tf.squeeze(states @ value, [1])
        advantage = tf.stop_gradient(returns - baseline)
        mean, variance = tf.nn.moments(advantage, axes=0)
        advantage = (advantage - mean) * tf.math.rsqrt(variance + 1e-6)
        entropy = -tf.reduce_mean(tf.reduce_sum(tf.exp(log_p) * log_p, axis=1))
        policy_loss = -tf.reduce_mean(chosen * advantage)
        value_loss = 0.5 * tf.reduce_mean((returns - baseline) ** 2)
        total = policy_loss + value_loss - 0.01 * entropy
    gradients = tape.gradient(total, {"policy": policy, "value": value})
    policy.assign_sub(gradients["policy"] * 0.5)
    value.assign_sub(gradients["value"] * 0.1)
    if step % 10 == 0:
        print(f"{step} policy {policy_loss:.4f} value {value_loss:.4f} entropy {entropy:.4f}")
        assert np.allclose(chosen, same) and np.allclose(chosen, also)
greedy = tf.argmax(states @ policy, axis=1, output_type=tf.int32)
print("agrees with the recorded actions:", tf.reduce_sum(tf.cast(greedy == actions, tf.int32)).numpy(), "of", T)
