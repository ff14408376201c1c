"""Data-parallel training in two processes on this machine, started by one command.

python examples/two_workers.py              with TensorFlow
python -m tfcompat examples/two_workers.py  with tfcompat, on JAX

On several machines, start the same program on each, with its TF_CONFIG.
"""

import json
import os
import socket
import subprocess
import sys

WORKERS = 2
BATCH = 32


def start():
    """Starts a process for each worker, and waits for them; returns whether one has failed."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(WORKERS)]
    addresses = [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]
    for each in sockets:
        each.close()
    processes = []
    for index in range(WORKERS):
        config = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        environment = {**os.environ, "TF_CONFIG": json.dumps(config)}
        processes.append(subprocess.Popen([sys.executable, os.path.abspath(__file__)], env=environment))
    return any(status for status in [process.wait() for process in processes])


def train():
    """Trains a regression in this worker and the others; the chief prints the losses and saves a checkpoint."""
    import numpy as np
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    is_chief = strategy.cluster_resolver.task_id == 0
    chance = np.random.default_rng(0)
    inputs = chance.normal(size=(100, 8)).astype("float32")
    targets = np.sin(inputs @ chance.normal(size=(8, 1))).astype("float32")
    dataset = tf.data.Dataset.from_tensor_slices((inputs, targets)).batch(BATCH)
    distributed = strategy.experimental_distribute_dataset(dataset)

    with strategy.scope():
        first = tf.Variable(chance.normal(size=(8, 16)).astype("float32") * 0.3, name="first")
        second = tf.Variable(chance.normal(size=(16, 1)).astype("float32") * 0.3, name="second")

    def replica_step(x, y):
        with tf.GradientTape() as tape:
            errors = tf.reduce_mean(tf.square(tf.tanh(x @ first) @ second - y), axis=-1)
            loss = tf.nn.compute_average_loss(errors, global_batch_size=BATCH)
        gradients = tape.gradient(loss, [first, second])
        context = tf.distribute.get_replica_context()
        for variable, gradient in zip([first, second], context.all_reduce("SUM", gradients)):
            variable.assign_sub(0.2 * gradient)
        return loss

    @tf.function
    def step(x, y):
        return strategy.reduce("SUM", strategy.run(replica_step, args=(x, y)), axis=None)

    for epoch in range(5):
        losses = [float(step(x, y)) for x, y in distributed]
        if is_chief:
            print(f"epoch {epoch}: loss {np.mean(losses):.4f}", flush=True)
    if is_chief:
        print(strategy.num_replicas_in_sync, "workers")


if "TF_CONFIG" in os.environ:
    train()
else:
    sys.exit(start())
