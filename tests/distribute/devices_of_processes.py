"""Programs for processes with several devices each: `python -m tests.distribute.devices_of_processes` prints results.

Without TF_CONFIG they run in one process, in replicas on four simulated devices. So the results of two processes with
two devices each are to be the same: `own` those of the replicas of a process, `common` those of all.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np

import tfcompat as tf
from tfcompat._distribute import multi_worker

D = tf.distribute
COUNT = 4
IS_ALONE = "TF_CONFIG" not in os.environ
EACH = COUNT if IS_ALONE else COUNT // 2
if "TFCOMPAT_TEST_UNEQUAL" in os.environ:
    EACH += json.loads(os.environ["TF_CONFIG"])["task"]["index"]

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * EACH)
NAMES = [tf.config.LogicalDevice(f"/device:CPU:{number}", "CPU") for number in range(EACH)]
multi_worker._own_devices = lambda: NAMES  # GPUs, in place of which there are CPUs here
strategy = D.MirroredStrategy() if IS_ALONE else D.MultiWorkerMirroredStrategy()


def context() -> Any:
    return D.get_replica_context()


def number() -> Any:
    return tf.cast(context().replica_id_in_sync_group, tf.float32)


def own(value: Any) -> list[Any]:
    """The values of the replicas of this process."""
    return [np.asarray(part).tolist() for part in strategy.experimental_local_results(value)]


def collectives() -> Any:
    """Values of replicas, and their reductions and concatenations."""

    def step() -> Any:
        one = number() + 1.0
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            total = context().all_reduce("SUM", x * x * one)
            joined = context().all_gather(x * one, axis=0) * tf.range(8.0)
        return {
            "id": one,
            "sum": context().all_reduce("SUM", one),
            "mean": context().all_reduce("MEAN", {"a": one, "b": tf.cast(one, tf.int32)})["a"],
            "gathered": context().all_gather(tf.fill([int(tf.get_static_value(one))], one), axis=0),
            "slope": tape.gradient(total, x) * one,
            "slope of joined": tape.gradient(joined, x),
            "rows": tf.convert_to_tensor(
                context().all_reduce("SUM", tf.IndexedSlices(one[None, None], [1], tf.constant([2, 1])))
            ),
            "merged": context().merge_call(lambda given, y: given.reduce("SUM", y, axis=None), (one,)),
        }

    found = strategy.run(step)
    uneven = strategy.run(lambda: tf.range(number() + 1.0))
    return {
        "own": {name: own(value) for name, value in found.items()},
        "common": [
            strategy.reduce("SUM", found["id"], axis=None).numpy().tolist(),
            strategy.reduce("MEAN", uneven, axis=0).numpy().tolist(),
            strategy.reduce("MEAN", found["id"], axis=None).numpy().tolist(),
            strategy.gather(uneven, axis=0).numpy().tolist(),
            strategy.reduce("MEAN", tf.constant(3.0), axis=None).numpy().tolist(),
            strategy.num_replicas_in_sync,
        ],
    }


def variables() -> Any:
    """Assignments by each aggregation, undecorated and decorated."""
    found: dict[str, Any] = {}
    for name in ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        for is_decorated in (False, True):
            with strategy.scope():
                free = tf.Variable(1.0, aggregation=tf.VariableAggregation[name])

            def add(free: Any = free) -> Any:
                return strategy.run(lambda: free.assign_add(number() + 1.0))

            (tf.function(add) if is_decorated else add)()
            found[f"{name} {is_decorated}"] = own(free)
    with strategy.scope():
        late = tf.Variable(
            0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
        generator = tf.random.Generator.from_seed(3)
    strategy.run(lambda: late.assign_add(number() + 1.0))
    found["drawn"] = own(strategy.run(lambda: generator.normal([])))
    total = float(late.read_value())
    late.assign(8.0)
    found["late"] = own(late)
    made = strategy.run(lambda: tf.Variable(number() + 5.0))
    found["made"] = own(made)
    with strategy.scope():
        rows = tf.Variable([0.0, 2.0])
    strategy.run(lambda: rows[0].assign(number()))
    along = [strategy.reduce(op, rows, axis=0).numpy().tolist() for op in ("SUM", "MEAN")]
    inside = strategy.reduce("SUM", [rows], axis=None)[0].numpy().tolist()
    return {"own": found, "common": [total, float(late.read_value()), along, inside]}


def datasets() -> Any:
    """Pieces of batches, even and uneven."""
    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(22).batch(8))
    values = strategy.experimental_distribute_values_from_function(lambda given: given.replica_id_in_sync_group)
    pieces = [own(piece) for piece in batches]
    return {"own": {"pieces": [list(part) for part in zip(*pieces, strict=True)], "values": own(values)}, "common": []}


def training() -> Any:
    """Losses of undecorated and decorated steps, and of `fit`."""
    chance = np.random.default_rng(1)
    x, y = chance.normal(size=(48, 6)).astype("float32"), chance.normal(size=(48, 1)).astype("float32")
    initial = [chance.normal(size=shape).astype("float32") for shape in ((6, 16), (16, 1))]
    found: list[Any] = []
    spread: list[int] = []
    for is_decorated in (False, True):
        with strategy.scope():
            wide, narrow = map(tf.Variable, initial)

        def step(x: Any, y: Any, wide: Any = wide, narrow: Any = narrow) -> Any:
            with tf.GradientTape() as tape:
                errors = tf.reduce_mean(tf.square(tf.tanh(x @ wide) @ narrow - y), axis=-1)
                loss = tf.nn.compute_average_loss(errors, global_batch_size=16)
            slopes = context().all_reduce("SUM", tape.gradient(loss, [wide, narrow]))
            wide.assign_sub(0.05 * slopes[0])
            narrow.assign_sub(0.05 * slopes[1])
            return loss

        def everywhere(x: Any, y: Any, step: Any = step) -> Any:
            return strategy.reduce("SUM", strategy.run(step, (x, y)), axis=None)

        run = tf.function(everywhere) if is_decorated else everywhere
        rows = tf.data.Dataset.from_tensor_slices((x, y)).batch(16).repeat(3)
        with tf.counted() as counts:
            found.append([float(run(*batch)) for batch in strategy.experimental_distribute_dataset(rows)])
        found.append(float(wide.values[0].numpy().sum()))
        spread.append(counts.spread)
    return {"own": {}, "common": found, "spread": spread}


def fitted() -> Any:
    """The history of `fit`, and an evaluation."""
    chance = np.random.default_rng(1)
    x, y = chance.normal(size=(48, 6)).astype("float32"), chance.normal(size=(48, 1)).astype("float32")
    tf.keras.utils.set_random_seed(3)
    with strategy.scope():
        layers = [tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(1)]
        model = tf.keras.Sequential([tf.keras.Input((6,)), *layers])
        model.compile("adam", "mse", metrics=["mae"])
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)
    history = model.fit(dataset, epochs=2, verbose=0).history
    return {"own": {}, "common": [history["loss"], history["mae"], model.evaluate(dataset, verbose=0)]}


if __name__ == "__main__":
    programs = {each.__name__: each for each in (collectives, variables, datasets, training, fitted)}
    print(json.dumps({name: programs[name]() for name in sys.argv[1:] or programs}))
