"""Training that is killed continues from its last checkpoint, with the same losses as training that is not.

A checkpoint holds the network, the velocities of the optimizer, the generator of the noise, the place in the shuffled
dataset, and the number of steps. The program trains once without interruption. Then it starts a second process, which
kills itself between two checkpoints, and continues where that process left off.

python examples/interrupted_training.py              with TensorFlow
python -m tfcompat examples/interrupted_training.py  with tfcompat, on JAX
"""

import os
import signal
import subprocess
import sys
import tempfile

import tensorflow as tf

STEPS, INTERVAL, KILLED_AFTER = 12, 3, 8
RATE, MOMENTUM = 0.05, 0.9
# The environment variable with the folder of checkpoints of the process that kills itself.
FOLDER = "INTERRUPTED_TRAINING_FOLDER"


class Network(tf.Module):
    def __init__(self):
        super().__init__()
        self.generator = tf.random.Generator.from_seed(1)
        self.layers = [
            {"weights": tf.Variable(self.generator.normal([rows, columns])), "bias": tf.Variable(tf.zeros([columns]))}
            for rows, columns in ((1, 8), (8, 1))
        ]

    def __call__(self, inputs):
        noise = self.generator.normal(inputs.shape, stddev=0.05)
        first, second = self.layers
        hidden = tf.tanh((inputs + noise) @ first["weights"] + first["bias"])
        return hidden @ second["weights"] + second["bias"]


def train(folder, killed_after=None):
    """Trains from the last checkpoint in `folder`; returns the number of its step, and the losses of later steps."""
    network = Network()
    velocities = [tf.Variable(tf.zeros_like(each)) for each in network.trainable_variables]
    angles = tf.data.Dataset.range(64).shuffle(64, seed=2).repeat().batch(16)
    batches, step = iter(angles), tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(network=network, velocities=velocities, batches=batches, step=step)
    manager = tf.train.CheckpointManager(
        checkpoint, folder, max_to_keep=2, step_counter=step, checkpoint_interval=INTERVAL, last_checkpoint_step=0
    )
    manager.restore_or_initialize()

    first, losses = int(step), []
    while int(step) < STEPS:
        inputs = tf.reshape(tf.cast(next(batches), tf.float32) / 16.0, [-1, 1])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(network(inputs) - tf.sin(inputs)))
        variables = network.trainable_variables
        for variable, velocity, gradient in zip(variables, velocities, tape.gradient(loss, variables)):
            velocity.assign(MOMENTUM * velocity - RATE * gradient)
            variable.assign_add(velocity)
        losses.append(float(loss))
        step.assign_add(1)
        manager.save()
        if int(step) == killed_after:
            os.kill(os.getpid(), signal.SIGKILL)
    return first, losses


def main():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        _, expected = train(folder)
        runner = ["-m", "tfcompat"] if tf.__name__ == "tfcompat" else []
        killed = subprocess.run([sys.executable, *runner, __file__], env={**os.environ, FOLDER: other}, check=False)
        print("killed by a signal:", killed.returncode == -signal.SIGKILL)
        first, losses = train(other)
        print(f"continues after step {first} of {STEPS}")
        print("the losses are the same, bit for bit:", losses == expected[first:])
        print(f"loss at the end: {losses[-1]:.4f}")


if __name__ == "__main__":
    if FOLDER in os.environ:
        train(os.environ[FOLDER], KILLED_AFTER)
    else:
        main()
