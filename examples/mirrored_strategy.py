"""Training on several replicas: a regression with `tf.distribute.MirroredStrategy` on two logical CPU devices.

python examples/mirrored_strategy.py              with TensorFlow
python -m tfcompat examples/mirrored_strategy.py  with tfcompat, on JAX
"""

import numpy as np
import tensorflow as tf

BATCH = 32

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
print(strategy.num_replicas_in_sync, "replicas")

chance = np.random.default_rng(0)
inputs = chance.normal(size=(100, 8)).astype("float32")
targets = np.sin(inputs @ chance.normal(size=(8, 1))).astype("float32")
dataset = tf.data.Dataset.from_tensor_slices((inputs, targets)).batch(BATCH)
distributed = strategy.experimental_distribute_dataset(dataset)

with strategy.scope():
    first = tf.Variable(chance.normal(size=(8, 16)).astype("float32") * 0.3, name="first")
    second = tf.Variable(chance.normal(size=(16, 1)).astype("float32") * 0.3, name="second")
    examples = tf.Variable(
        0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
    )


def replica_step(x, y):
    """One step of gradient descent, in each replica for its part of the batch."""
    with tf.GradientTape() as tape:
        errors = tf.reduce_mean(tf.square(tf.tanh(x @ first) @ second - y), axis=-1)
        loss = tf.nn.compute_average_loss(errors, global_batch_size=BATCH)
    gradients = tape.gradient(loss, [first, second])
    context = tf.distribute.get_replica_context()
    for variable, gradient in zip([first, second], context.all_reduce("SUM", gradients)):
        variable.assign_sub(0.2 * gradient)
    examples.assign_add(tf.cast(tf.shape(x)[0], tf.float32))
    return loss


@tf.function
def step(x, y):
    """The loss of the whole batch."""
    losses = strategy.run(replica_step, args=(x, y))
    return strategy.reduce("SUM", losses, axis=None)


for epoch in range(5):
    losses = [float(step(x, y)) for x, y in distributed]
    print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}")

print("examples:", int(examples.numpy()), "of which", [int(part.numpy()) for part in examples.values])
print("equal in all replicas:", bool(np.allclose(first.values[0].numpy(), first.values[1].numpy())))
