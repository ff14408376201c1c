"""Double Q-learning from a fixed memory: a target network, chosen actions, a Huber loss, soft updates."""

import collections

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(14)
STATES, ACTIONS = 5, 2
Transition = collections.namedtuple("Transition", "state action reward next_state done")


def walk():
    """A corridor: action 1 goes right; the right end pays one."""
    memory, state = [], 2
    for _ in range(300):
        action = int(rng.integers(ACTIONS))
        following = max(0, state - 1) if action == 0 else state + 1
        done = following == STATES - 1
        memory.append(Transition(state, action, float(done), following, done))
        state = 2 if done else following
    return memory


class Network(tf.Module):
    def __init__(self):
        super().__init__()
        self.hidden = tf.Variable(np.random.RandomState(0).randn(STATES, 16).astype("float32") * 0.5)
        self.out = tf.Variable(np.random.RandomState(1).randn(16, ACTIONS).astype("float32") * 0.5)

    def __call__(self, state):
        return tf.nn.relu(tf.one_hot(state, STATES) @ self.hidden) @ self.out


memory = walk()
online, target = Network(), Network()
print("same start:", all(np.array_equal(a, b) for a, b in zip(online.variables, target.variables)))
errors = []
for step in range(150):
    batch = Transition(*map(np.array, zip(*[memory[i] for i in rng.integers(len(memory), size=32)])))
    best = tf.argmax(online(batch.next_state), axis=1)
    future = tf.reduce_sum(target(batch.next_state) * tf.one_hot(best, ACTIONS), axis=1)
    goal = batch.reward.astype(np.float32) + 0.9 * future * (1.0 - tf.cast(batch.done, tf.float32))
    with tf.GradientTape() as tape:
        q = tf.gather_nd(online(batch.state), np.stack([np.arange(32), batch.action], axis=1))
        error = q - tf.stop_gradient(goal)
        huber = tf.where(tf.abs(error) < 1.0, 0.5 * error**2, tf.abs(error) - 0.5)
        loss = tf.reduce_mean(huber)
    gradients = tape.gradient(loss, online.trainable_variables)
    [v.assign_sub(0.5 * g) for v, g in zip(online.trainable_variables, gradients)]
    for t, o in zip(target.variables, online.variables):
        t.assign(0.9 * t + 0.1 * o)
    errors.append(float(loss))
    if step % 50 == 49:
        print(step, "mean loss %.5f" % np.mean(errors[-50:]))
values = online(tf.range(STATES - 1))
print(values.numpy().round(2))
print("policy", tf.argmax(values, axis=1).numpy())
