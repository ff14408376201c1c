"""Programs on eight simulated devices: `python -m tests.distribute.several_devices NAME` prints results as JSON."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import threading
from typing import Any

import jax
import numpy as np

import tfcompat as tf
from tfcompat._core.operation.op import Op
from tfcompat._core.programs.replicas.body import Body
from tfcompat._core.programs.replicas.exchange import OWN
from tfcompat._core.structure.sharding import running
from tfcompat._core.system.config import settings
from tfcompat._core.system.device import REPLICAS
from tfcompat._core.tracing.trace import record
from tfcompat._function.running.execution import Execution

D = tf.distribute
WIDTH = 64


def strategy(count: int) -> Any:
    return D.MirroredStrategy([f"CPU:{number}" for number in range(count)])


def context() -> Any:
    return D.get_replica_context()


def curve(count: int, dtype: str, *, is_decorated: bool) -> tuple[list[float], int]:
    """The losses of eight steps in `count` replicas, and the number of them that ran on several devices."""
    chance = np.random.default_rng(1)
    replicas = strategy(count)
    with replicas.scope():
        wide, narrow = (tf.Variable(chance.normal(size=shape).astype(dtype)) for shape in ((6, 16), (16, 1)))
    x, y = (chance.normal(size=shape).astype(dtype) for shape in ((64, 6), (64, 1)))

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            errors = tf.reduce_mean(tf.square(tf.tanh(x @ wide) @ narrow - y), axis=-1)
            loss = tf.nn.compute_average_loss(errors, global_batch_size=16)
        slopes = context().all_reduce("SUM", tape.gradient(loss, [wide, narrow]))
        wide.assign_sub(0.05 * slopes[0])
        narrow.assign_sub(0.05 * slopes[1])
        return loss

    def everywhere(x: Any, y: Any) -> Any:
        return replicas.reduce("SUM", replicas.run(step, (x, y)), axis=None)

    run = tf.function(everywhere) if is_decorated else everywhere
    rows = tf.data.Dataset.from_tensor_slices((x, y)).batch(16).repeat(2)
    with tf.counted() as counts:
        losses = [float(run(*batch)) for batch in replicas.experimental_distribute_dataset(rows)]
    return losses, counts.spread


def curves() -> Any:
    """The losses in 1, 2, 4 and 8 replicas."""
    return {
        f"{dtype} {form}": [curve(count, dtype, is_decorated=form == "decorated") for count in (1, 2, 4, 8)]
        for dtype, form in (("float32", "decorated"), ("float32", "eager"), ("float64", "decorated"))
    }


def nbytes() -> list[int]:
    """The bytes of the arrays on each device."""
    found = dict.fromkeys(jax.devices(), 0)
    buffers = {}
    for array in jax.live_arrays():
        for shard in array.addressable_shards:
            buffers[shard.device, shard.data.unsafe_buffer_pointer()] = shard.data.nbytes
    for (device, _), size in buffers.items():
        found[device] += size
    return list(found.values())


def memory() -> Any:
    """The bytes on each device while a large variable is trained, and the values of its components."""
    replicas = strategy(8)
    with replicas.scope():
        weights = tf.Variable(np.ones([WIDTH, WIDTH, WIDTH], np.float32))
    step = tf.function(lambda: replicas.run(lambda: weights.assign_sub(context().all_reduce("SUM", 0.01 * weights))))
    for _ in range(4):
        step()
    return {"bytes": nbytes(), "values": [float(part[0, 0, 0]) for part in weights.values]}


def values() -> Any:
    """Values that differ between replicas, and their use elsewhere."""
    replicas = strategy(8)
    with replicas.scope():
        own = tf.Variable(tf.zeros([2]))
        total = tf.Variable(
            0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
        shared = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)

    def step() -> Any:
        number = tf.cast(context().replica_id_in_sync_group, tf.float32)
        own.assign_add([number, 1.0])
        total.assign_add(number)
        shared.assign_add(number)
        return number * shared, tf.random.normal([]), context().all_gather(own[None], axis=0)

    tf.random.set_seed(42)
    drawn = [[float(part) for part in replicas.run(step)[1].values] for _ in range(3)]
    product, _, gathered = replicas.run(step)
    with tf.counted() as counts:
        product, _, gathered = replicas.run(step)
        found = {
            "own": [part.numpy().tolist() for part in own.values],
            "total": float(total.read_value()),
            "shared": [float(part) for part in shared.values],
            "product": [float(part) for part in product.values],
            "gathered": gathered.values[3].numpy().tolist(),
            "sum": float(tf.reduce_sum(own.values[1] * shared.values[2] + own.values[7])),
            "mean": float(replicas.reduce("MEAN", product, axis=None)),
        }
    tf.random.set_seed(42)
    found["successive"] = [[float(tf.random.normal([])) for _ in range(8)] for _ in range(3)]
    return {**found, "drawn": drawn, "spread": counts.spread}


def uneven() -> Any:
    """The sums of batches of 16, 16 and 6 rows, the number of steps on several devices, and the programs by epoch."""
    replicas = strategy(8)
    with replicas.scope():
        seen = tf.Variable(tf.zeros([3]), aggregation=tf.VariableAggregation.SUM)
    rows = tf.data.Dataset.from_tensor_slices(np.arange(38 * 3, dtype="f").reshape(38, 3)).batch(16)
    found: list[list[float]] = []
    step = tf.function(lambda x: replicas.run(lambda x: seen.assign_add(tf.reduce_sum(x, 0)), (x,)))
    counted: list[Any] = []
    for _ in range(2):
        with tf.counted() as counts:
            for x in replicas.experimental_distribute_dataset(rows):
                step(x)
                found.append(seen.numpy().tolist())
        counted.append(counts)
    spread, compiles = ([getattr(counts, name) for counts in counted] for name in ("spread", "compiles"))
    return {"sums": found, "spread": sum(spread), "compiles": compiles}


def checked() -> Any:
    """A step in which one replica reads a row that does not exist: the error, and the variables after it."""
    replicas = strategy(8)
    with replicas.scope():
        table, count = tf.Variable(tf.reshape(tf.range(8.0), [8, 1])), tf.Variable(0.0)

    def step(x: Any) -> Any:
        count.assign_add(1.0)
        return tf.gather(table, x)

    run = tf.function(lambda x: replicas.run(step, (x,)))
    found: list[Any] = []
    for offset in (0, 0, 1, 0):
        given = replicas.experimental_distribute_values_from_function(
            lambda context, offset=offset: tf.constant([context.replica_id_in_sync_group + offset])
        )
        try:
            found.append([part.numpy().tolist() for part in run(given).values])
        except tf.errors.InvalidArgumentError as error:
            found.append(type(error).__name__)
        found.append(float(count.numpy()))
    return found


def raised() -> Any:
    """Steps after which each replica raises an error, and others: the variable, and its expected value."""
    replicas = strategy(4)
    with replicas.scope():
        weights = tf.Variable(tf.eye(64))

    def step(does_fail: bool) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(weights @ weights))
        gradient = tape.gradient(loss, weights)
        if does_fail:
            raise ValueError
        weights.assign_sub(context().all_reduce("SUM", gradient))

    found: list[Any] = []
    for _ in range(4):
        before = weights.values[0].numpy()
        with contextlib.suppress(ValueError):
            replicas.run(step, (True,))
        replicas.run(step, (False,))
        slopes = 1 - np.tanh(before @ before) ** 2
        wanted = before - 4 * (slopes @ before.T + before.T @ slopes)
        found.append(max(float(abs(part.numpy() - wanted).max()) for part in weights.values))
    return found


def parted() -> Any:
    """A variable that was the same in all replicas, after steps in which only some of them assign it."""
    replicas = strategy(4)
    with replicas.scope():
        counts = tf.Variable(
            tf.zeros([1024]), synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )

    def step(some: int) -> None:
        if int(tf.get_static_value(context().replica_id_in_sync_group)) < some:
            counts.assign_add(tf.ones([1024]))

    found: list[list[float]] = []
    for some in (4, 4, 2, 2, 4, 4):
        replicas.run(step, (some,))
        tf.sync()
        found.append([float(part[0]) for part in replicas.experimental_local_results(counts)])
    return found


def shared() -> Any:
    """A large variable that replicas change, and that the step reads for all of them: means, values, the first one."""
    replicas = strategy(4)
    with replicas.scope():
        weights = tf.Variable(tf.ones([64, 64]))
    tf.sync()
    before = weights.read_value()

    def step() -> Any:
        total = context().merge_call(lambda _: tf.reduce_mean(weights))
        weights.assign_add(context().all_reduce("MEAN", tf.ones([64, 64])))
        return total

    run = tf.function(lambda: replicas.run(step))
    means = [float(run()) for _ in range(4)]
    return [means, [float(part[0, 0]) for part in weights.values], float(before[0, 0])]


def unequal() -> str:
    """The error for a value that replicas share, and that each device has computed in another way."""
    replicas = strategy(4)
    with replicas.scope():
        weights = tf.Variable(tf.ones([4]))
    wrong = Op("wrong", lambda x: x + jax.lax.axis_index(REPLICAS))
    aval = weights.read_value()._aval
    wrong.inferred[aval,] = (aval,)
    step = tf.function(lambda: replicas.run(lambda: weights.assign(record(wrong, (weights.read_value(),)))))
    settings.is_checking = True
    try:
        for _ in range(2):
            step()
    except AssertionError as error:
        return str(error)
    finally:
        settings.is_checking = False
    return f"not found: {[part.numpy().tolist() for part in weights.values]}"


def launched() -> list[int]:
    """How often each of eight decorated steps had to find its program and its buffers again."""
    replicas = strategy(4)
    with replicas.scope():
        weights, total = tf.Variable(tf.ones([64, 64])), tf.Variable(0.0)
        mean = tf.Variable(tf.zeros([4]))

    def step(x: Any) -> Any:
        mean.assign(tf.reduce_mean(x, 0))
        total.assign_add(tf.reduce_sum(x))
        weights.assign_sub(context().all_reduce("SUM", 0.01 * weights))
        return tf.reduce_sum(x)

    run = tf.function(lambda x: replicas.run(step, (x,)))
    flush, flushes = Execution._flush, []

    def counting(self: Execution, flat: Any, drawn: Any) -> Any:
        flushes.append(self)
        return flush(self, flat, drawn)

    Execution._flush = counting
    found: list[int] = []
    for k in range(8):
        given = replicas.experimental_distribute_values_from_function(
            lambda given, k=k: tf.fill([2, 4], tf.cast(given.replica_id_in_sync_group + k, tf.float32))
        )
        run(given)
        found.append(len(flushes))
        flushes.clear()
    Execution._flush = flush
    return found


def trained(replicas: int, count: int, *, is_decorated: bool) -> Any:
    """A step that trains `count` variables. Of its two arguments one is equal in all replicas."""
    everywhere = strategy(replicas)
    with everywhere.scope():
        weights = [tf.Variable(tf.ones([64, 64])) for _ in range(count)]
    x, y = (
        everywhere.experimental_distribute_values_from_function(
            lambda given, scale=scale: tf.fill([2, 64], scale * given.replica_id_in_sync_group)
        )
        for scale in (1.0, 0.0)
    )

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.add_n([tf.reduce_sum((x + y) @ weight) for weight in weights])
        slopes = context().all_reduce("SUM", tape.gradient(loss, weights))
        for weight, slope in zip(weights, slopes, strict=True):
            weight.assign_sub(0.01 * slope)

    def run() -> None:
        everywhere.run(step, (x, y))

    return tf.function(run) if is_decorated else run


def calls() -> dict[str, list[float]]:
    """How many functions of tfcompat a step calls: decorated, for 2 and 12 variables; else in 1 and in 8 replicas."""
    number = 0

    def count(frame: Any, event: str, _: Any) -> None:
        nonlocal number
        number += event == "call" and "tfcompat" in frame.f_code.co_filename

    def counted(run: Any) -> float:
        nonlocal number
        for _ in range(6):
            run()
        number = 0
        for _ in range(4):
            run()
        return number / 4

    found: dict[str, list[float]] = {}
    try:
        threading.setprofile(count)
        sys.setprofile(count)
        found["decorated"] = [counted(trained(8, variables, is_decorated=True)) for variables in (2, 12)]
        found["undecorated"] = [counted(trained(replicas, 12, is_decorated=False)) for replicas in (1, 8)]
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return found


def awaited() -> dict[str, int]:
    """How often programs on these devices have waited, at their start, for a step of another strategy to end."""
    first, other = (D.MirroredStrategy([f"CPU:{number}" for number in numbers]) for numbers in (range(4), range(2, 6)))
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("batch",))
    rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))
    whole = tf.shard(tf.ones([8, 2]), rows)
    waits: list[int] = []

    class Step:
        """A result of a step."""

        def block_until_ready(self) -> None:
            waits.append(1)

    def everywhere(replicas: Any) -> Any:
        return replicas.run(lambda: context().all_reduce("SUM", tf.ones([]))).values[0]

    @tf.function
    def decorated() -> Any:
        return everywhere(other)

    programs = {
        "strategy": lambda: float(everywhere(other)),
        "decorated": decorated,
        "mesh": lambda: float(tf.reduce_sum(whole * 2.0)),
        "placed": lambda: tf.shard(np.zeros([16]), rows),
    }
    float(everywhere(first))
    found: dict[str, int] = {}
    for name, program in programs.items():
        program()
        running.latest._array = Step()
        waits.clear()
        program()
        found[name] = len(waits)
    return found


def interrupted() -> Any:
    """The components of a variable after steps that a signal has interrupted."""
    replicas = strategy(8)
    with replicas.scope():
        weights = tf.Variable(tf.ones([32, 32]))

    class Interrupt(BaseException):
        """Raised by the handler of a signal."""

    signals: list[int] = []
    caught = 0

    def interrupt(number: int, _: Any) -> None:
        signals.append(number)
        raise Interrupt

    def step() -> None:
        weights.assign(context().all_reduce("MEAN", weights))

    decorated = tf.function(lambda: replicas.run(step))

    def run(seconds: float, *, is_decorated: bool) -> None:
        """Runs steps until a signal comes, `seconds` later."""
        count = len(signals)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        while len(signals) == count:
            if is_decorated:
                decorated()
            else:
                replicas.run(step)
            tf.sync()

    decorated()

    signal.signal(signal.SIGALRM, interrupt)
    for k in range(60):
        try:
            run(0.001 + 0.0007 * k, is_decorated=k % 2 == 1)
        except Interrupt:
            caught += 1
    return {"caught": caught, "values": sorted({float(part.numpy().sum()) for part in weights.values})}


def keras_losses(count: int, *, is_decorated: bool) -> tuple[list[float], int]:
    """The losses of four steps of a Keras model, whose optimizer is made in the first one, and those on devices."""
    keras = tf.keras
    keras.utils.set_random_seed(0)
    replicas = strategy(count)
    with replicas.scope():
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(1)])
        optimizer = keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5))
    x = np.random.default_rng(0).normal(size=(32, 3)).astype("float32")

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            losses = tf.square(model(x) - tf.reduce_sum(x, axis=1, keepdims=True))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=8)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.weights), model.weights, strict=True))
        return loss

    def everywhere(x: Any) -> Any:
        return replicas.reduce("SUM", replicas.run(step, (x,)), axis=None)

    run = tf.function(everywhere) if is_decorated else everywhere
    rows = replicas.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(x).batch(8))
    with tf.counted() as counts:
        losses = [float(run(batch)) for batch in rows]
    return losses, counts.spread


def keras_steps() -> Any:
    """The losses of a Keras model in 1 and 4 replicas, decorated and undecorated."""
    return [[keras_losses(count, is_decorated=is_decorated) for count in (1, 4)] for is_decorated in (True, False)]


def made() -> Any:
    """The number of programs that the first values of variables need, and the sum of the components of a variable."""
    replicas = strategy(8)
    tf.sync()
    with tf.counted() as counts, replicas.scope():
        weights = [tf.Variable(tf.random.normal([k, 3]) * 0.5 + 1.0) for k in range(1, 9)]
        ones = tf.Variable(tf.zeros([3]))
        ones.assign(tf.ones([3]))
        [each.numpy() for each in (*weights, *ones.values)]
    return {"compiles": counts.compiles, "sum": sum(float(part.numpy().sum()) for part in ones.values)}


def chosen() -> list[int]:
    """The number of values that a program chooses by the number of the replica, where all replicas have equal ones."""
    found: list[int] = []
    compiled = Body.compiled

    def counted(body: Body, layout: Any, *args: Any, **kwargs: Any) -> Any:
        found.append(sum(step.op is OWN for step in body._planned(layout).steps))
        return compiled(body, layout, *args, **kwargs)

    replicas = strategy(8)
    with replicas.scope():
        weights = tf.Variable(tf.ones([3]))

    def step(rate: Any) -> None:
        weights.assign_sub(context().all_reduce("SUM", rate * 0.5 * weights + 0.25))

    Body.compiled = counted
    try:
        replicas.run(step, (0.125,))
        replicas.run(step, (0.25,))
        tf.sync()
    finally:
        Body.compiled = compiled
    return found


if __name__ == "__main__":
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 8)
    print(json.dumps({name: globals()[name]() for name in sys.argv[1:]}))
