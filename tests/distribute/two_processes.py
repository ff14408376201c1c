"""Programs for each of two processes: `python -m tests.distribute.two_processes NAME` prints results as JSON."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from tests.distribute import process_data
from tests.distribute.cluster import LIMIT
from tests.distribute.own_process import INDEX, D, context, number, plain, raised, strategy, tf

if os.environ.get("TFCOMPAT_SUBJECT") != "tensorflow":
    from tfcompat._core.system.processes import group


def facts() -> Any:
    """Properties of the strategy, its variables and its replica (fact 64)."""
    with strategy.scope() as entered:
        own = [entered is strategy, D.has_strategy(), D.in_cross_replica_context(), context() is None]
        variable = tf.Variable(10.0 + INDEX, name="v")
    return {
        "class": type(strategy).__name__,
        "replicas": strategy.num_replicas_in_sync,
        "devices": list(strategy.extended.worker_devices),
        "task": [strategy.cluster_resolver.task_type, strategy.cluster_resolver.task_id],
        "task of the methods": [strategy.extended._task_type, strategy.extended._task_id],
        "chief": [strategy.extended.should_checkpoint, strategy.extended.should_save_summary],
        "modes": [strategy.extended._in_multi_worker_mode(), strategy.extended.experimental_between_graph],
        "scope": own,
        "variable": [type(variable).__name__, repr(variable), variable.device, len(variable.values)],
        "first value": plain(variable),
        "id": plain(strategy.run(number)),
        "count": strategy.run(lambda: context().num_replicas_in_sync),
        "local": plain(strategy.experimental_local_results(strategy.run(number))),
        "values": strategy.experimental_distribute_values_from_function(
            lambda given: given.replica_id_in_sync_group * 10 + given.num_replicas_in_sync
        ).values[0],
        "second": D.MultiWorkerMirroredStrategy().num_replicas_in_sync,
    }


def collectives() -> Any:
    """Reductions and concatenations over both processes, in replicas and elsewhere, undecorated and decorated."""

    def in_replica() -> Any:
        reduce, gather = context().all_reduce, context().all_gather
        one = number() + 1.0
        return {
            "sum": reduce("SUM", one),
            "mean": reduce("MEAN", one),
            "integers": reduce("MEAN", tf.constant(3)),
            "structure": reduce("SUM", {"a": one, "b": [2.0 * one, tf.ones([2])]}),
            "gather": gather(tf.fill([INDEX + 1], one), axis=0),
            "merged": context().merge_call(lambda given, x: given.reduce("SUM", x, axis=None), (one,)),
            "double": reduce("SUM", tf.cast(one, tf.float64)),
        }

    with strategy.scope():
        late = tf.Variable(
            0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
        rows = tf.Variable([1.0, 2.0])
    strategy.run(lambda: late.assign_add(number() + 1.0))

    def elsewhere(x: Any) -> Any:
        uneven = tf.range(INDEX + 1.0)
        return {
            "sum": strategy.reduce("SUM", x, axis=None),
            "along": strategy.reduce("SUM", x[None] + [2.0, 3.0], axis=0),
            "mean along": strategy.reduce("MEAN", uneven, axis=0),
            "gather": strategy.gather(uneven, axis=0),
            "matrix": strategy.gather(tf.ones([2, INDEX + 1]) * x, axis=1),
            "late": strategy.reduce("SUM", late, axis=None) if tf.executing_eagerly() else late + 0.0,
            "variable along": [strategy.reduce(op, rows, axis=0) for op in ("SUM", "MEAN")],
            "variable": strategy.reduce("MEAN", rows, axis=None),
        }

    def looped() -> Any:
        total = tf.constant(0.0)
        for _ in tf.range(3):
            total += strategy.run(lambda: context().all_reduce("SUM", number() + 1.0))
        return total

    return {
        "replica": plain(strategy.run(in_replica)),
        "decorated": plain(tf.function(lambda: strategy.run(in_replica))()),
        "decorated inside": plain(strategy.run(tf.function(in_replica))),
        "elsewhere": plain(elsewhere(strategy.run(number))),
        "elsewhere, decorated": plain(tf.function(elsewhere)(strategy.run(number))),
        "loop": plain(tf.function(looped)()),
        "python": plain(strategy.reduce("SUM", 3.0, axis=None)),
    }


def empty() -> Any:
    """Tensors without elements, with which TensorFlow's processes end with a segmentation fault."""
    found = [strategy.gather(tf.zeros(shape), axis=0) for shape in ([0, 2], [3 * INDEX, 2])]
    return [*[each.shape.as_list() for each in found], plain(strategy.reduce("SUM", tf.zeros([0]), axis=None))]


def errors() -> Any:
    """The classes of errors."""
    with strategy.scope():
        variable = tf.Variable(1.0)

    def reduce(x: Any) -> Any:
        return strategy.run(lambda: context().all_reduce("SUM", x))

    def loop() -> Any:
        total = tf.constant(0.0)
        for _ in tf.range(2):
            total += context().all_reduce("SUM", 1.0 + number())
        return total

    return {
        "none": raised(lambda: strategy.reduce("SUM", None, axis=None)),
        "bool": raised(lambda: reduce(tf.constant(True))),
        "int8": raised(lambda: reduce(tf.constant(1, tf.int8))),
        "python": raised(lambda: reduce(1.0)),
        "array": raised(lambda: reduce(np.ones(2, np.float32))),
        "text": raised(lambda: strategy.gather(tf.constant(["a"]), axis=0)),
        "scalar": raised(lambda: strategy.gather(tf.constant(1.0), axis=0)),
        "variable": raised(lambda: strategy.reduce("SUM", variable, axis=None)),
        "loop": raised(lambda: tf.function(lambda: strategy.run(loop))()),
        "run": raised(lambda: strategy.run(lambda: strategy.run(number))),
    }


def variables() -> Any:
    """Assignments in replicas by each aggregation, and the values read elsewhere (facts 18 and 19)."""
    found: dict[str, Any] = {}
    with strategy.scope():
        for name in ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"):
            variable = tf.Variable(1.0, aggregation=tf.VariableAggregation[name])
            found[name] = []
            for change in (variable.assign, variable.assign_add):
                found[name].append(plain(strategy.run(lambda change=change: change(number() + 1.0))))
            found[name].append(plain(variable))
        for name in ("SUM", "MEAN"):
            late = tf.Variable(
                0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation[name]
            )
            strategy.run(lambda late=late: late.assign_add(number() + 1.0))
            own = plain(strategy.run(lambda late=late: late + 0.0))
            read = plain(late)
            late.assign(8.0)
            found["late " + name] = [type(late).__name__, own, read, plain(late.values[0]), plain(late)]
    made = strategy.run(lambda: tf.Variable(number()))
    found["made in a replica"] = [type(made).__name__, plain(made)]
    lazy: list[Any] = []

    @tf.function
    def first_use() -> Any:
        def use() -> Any:
            if not lazy:
                lazy.append(tf.Variable(5.0 + INDEX))
            return lazy[0].read_value()

        return strategy.run(use)

    found["made in a function"] = plain(first_use())
    return found


def gradients() -> Any:
    """Gradients through collectives (fact 26), and of tapes outside of replicas (fact 25)."""

    def through(how: str) -> Any:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = context().all_reduce(how, x * x * (number() + 1.0))
        return tape.gradient(y, x, output_gradients=tf.ones([2]) * (number() + 1.0))

    def gathered() -> Any:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = context().all_gather(x * (number() + 1.0), axis=0)
        return tape.gradient(y, x, output_gradients=tf.range(4.0) * (number() + 1.0))

    with strategy.scope():
        variable = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = strategy.run(lambda: 3.0 * variable * variable)
    rows = strategy.run(
        lambda: context().all_reduce(
            "SUM", tf.IndexedSlices(tf.ones([INDEX + 1, 2]), tf.range(INDEX + 1), tf.constant([4, 2]))
        )
    )
    return {
        "sum": plain(strategy.run(through, ("SUM",))),
        "mean": plain(strategy.run(through, ("MEAN",))),
        "gather": plain(strategy.run(gathered)),
        "decorated": plain(tf.function(lambda: strategy.run(through, ("SUM",)))()),
        "outside": tape.gradient(y, variable),
        "rows": [plain(rows.values), plain(rows.indices)],
    }


def drawn() -> Any:
    """Random numbers in replicas (facts 43 and 45)."""
    tf.random.set_seed(42)
    stream = plain(strategy.run(lambda: tf.random.normal([1])))
    with strategy.scope():
        generator = tf.random.Generator.from_seed(1)
    return [stream, plain(strategy.run(lambda: generator.normal([1]))), plain(generator.normal([1]))]


def checkpoints() -> Any:
    """A checkpoint that each process saves in a folder of its own, and the restored values (fact 61)."""
    folder = Path(os.environ["TFCOMPAT_TEST_FOLDER"]) / f"checkpoint {INDEX}"
    with strategy.scope():
        weight = tf.Variable([1.0 + INDEX])
        late = tf.Variable(
            0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
    strategy.run(lambda: late.assign_add(number() + 1.0))
    checkpoint = tf.train.Checkpoint(weight=weight, late=late)
    path = checkpoint.save(str(folder / "saved"))
    stored = tf.train.load_checkpoint(path)
    late.assign(0.0)
    weight.assign([0.0])
    checkpoint.restore(path)
    name = "late/.ATTRIBUTES/VARIABLE_VALUE"
    keys = sorted(stored.get_variable_to_shape_map())
    return [keys, plain(stored.get_tensor(name)), plain(late), plain(late.values[0]), plain(weight)]


def data(count: int = 64) -> Any:
    """Inputs and targets of a regression."""
    chance = np.random.default_rng(1)
    return chance.normal(size=(count, 6)).astype("float32"), chance.normal(size=(count, 1)).astype("float32")


def weights() -> Any:
    """The variables of a small network, different at first in each process but for the first one's values."""
    chance = np.random.default_rng(2)
    first = [chance.normal(size=shape).astype("float32") for shape in ((6, 16), (16, 1))]
    with strategy.scope():
        return [tf.Variable(value + INDEX) for value in first]


def trainer(variables: Any, *, is_decorated: bool) -> Any:
    """The function that takes a data-parallel step, and returns the loss."""
    wide, narrow = variables

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            error = tf.reduce_mean(tf.square(tf.tanh(x @ wide) @ narrow - y), axis=-1)
            loss = tf.nn.compute_average_loss(error, global_batch_size=16)
        slopes = context().all_reduce("SUM", tape.gradient(loss, variables))
        for variable, slope in zip(variables, slopes, strict=True):
            variable.assign_sub(0.05 * slope)
        return loss

    def everywhere(x: Any, y: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(step, (x, y)), axis=None)

    return tf.function(everywhere) if is_decorated else everywhere


def trained(run: Any, steps: int) -> list[float]:
    """The losses of steps that `run` takes."""
    batches = tf.data.Dataset.from_tensor_slices(data()).batch(16).repeat().take(steps)
    return [float(run(x, y)) for x, y in strategy.experimental_distribute_dataset(batches)]


def training() -> Any:
    """Losses, undecorated and decorated, and the weights afterwards."""
    found: dict[str, Any] = {}
    for form in ("undecorated", "decorated"):
        variables = weights()
        found[form] = trained(trainer(variables, is_decorated=form == "decorated"), 12)
        found[form + " weights"] = [float(variable.numpy().sum()) for variable in variables]
    return found


def keras() -> Any:
    """`fit`, `evaluate` and `predict` of a model made in the scope."""
    x, y = data(70)
    tf.keras.utils.set_random_seed(3 + INDEX)
    with strategy.scope():
        layers = [tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(1)]
        model = tf.keras.Sequential([tf.keras.Input((6,)), *layers])
        model.compile("adam", "mse", metrics=["mae"])
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)
    history = model.fit(dataset, epochs=2, verbose=0).history
    return {
        "history": history,
        "evaluated": model.evaluate(dataset, verbose=0),
        "predicted": list(model.predict(dataset, verbose=0).shape),
        "weights": [float(weight.numpy().sum()) for weight in model.weights],
    }


def rows() -> Any:
    """The sum of rows in a traced function, where the number of rows in other processes is not known."""

    @tf.function
    def summed() -> Any:
        own = tf.IndexedSlices(tf.ones([INDEX + 1, 2]), tf.range(INDEX + 1), tf.constant([3, 2]))
        return strategy.run(lambda: context().all_reduce("SUM", own))

    return plain(tf.convert_to_tensor(summed()))


def mismatch() -> Any:
    """Collectives of different shapes, and a reduction after them."""
    sizes = (3 + INDEX, 3000 + INDEX)
    found = [raised(lambda size=size: strategy.reduce("SUM", tf.ones([size]), axis=None)) for size in sizes]
    return [*found, plain(strategy.reduce("SUM", tf.ones([2]), axis=None))]


def printing() -> Any:
    """Many steps, of which one process reads values at random; the other one reads nothing."""
    chance, variables = random.Random(7), weights()
    wide, narrow = variables
    count = int(os.environ["TFCOMPAT_TEST_STEPS"])
    rows = [tf.constant(array[INDEX * 8 :][:8]) for array in data()]

    def step(x: Any, y: Any, reads: bool) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.tanh(x @ wide) @ narrow - y))
            if reads and INDEX:
                print(loss, file=sys.stderr)
        slopes = tape.gradient(loss, variables)
        for variable, slope in zip(variables, context().all_reduce("MEAN", slopes), strict=True):
            variable.assign_sub(0.01 * slope)
        return loss

    run = tf.function(lambda: strategy.run(step, (*rows, False)))
    loss = tf.constant(0.0)
    with tf.counted() as counts:
        for _ in range(count):
            place = chance.randrange(6)
            loss = run() if place > 3 else strategy.run(step, (*rows, place == 0))
            if INDEX and place == 1:
                print(loss, wide[0, 0], file=sys.stderr)
    return {
        "exchanges": counts.exchanges,
        "compiles": counts.compiles,
        "weights": [float(variable.numpy().sum()) for variable in variables],
        "loss": float(loss),
    }


ENDS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "terminate": signal.SIGTERM}


def ends() -> None:
    """Steps for ever, until the process with the number TFCOMPAT_TEST_WHO ends in the way TFCOMPAT_TEST_END.

    With TFCOMPAT_TEST_DELAY a thread ends it after as many seconds, wherever the step is.
    """
    # Seconds that the first process waits for an exchange that the second one has left.
    group._GRACE = group._ENDING = 0.5
    how, delay = os.environ["TFCOMPAT_TEST_END"], os.environ.get("TFCOMPAT_TEST_DELAY")
    who = int(os.environ.get("TFCOMPAT_TEST_WHO", "1"))
    with strategy.scope():
        variable = tf.Variable(tf.ones([32, 32]))

    def step() -> Any:
        variable.assign(context().all_reduce("MEAN", tf.tanh(variable)))

    run = tf.function(lambda: strategy.run(step)) if how.startswith("decorated") else lambda: strategy.run(step)
    sign = ENDS.get(how.split()[-1])
    for k in range(1_000_000):
        run()
        if who != INDEX or k != 5:
            continue
        if delay is not None:
            threading.Timer(float(delay), os.kill, (os.getpid(), sign)).start()
        elif sign is not None:
            os.kill(os.getpid(), sign)
        elif how.endswith("raise"):
            raise ZeroDivisionError
        else:
            sys.exit(0)


def forked() -> Any:
    """Collectives after a fork of the second process: in its child, and in both processes after the child's end."""

    def total() -> Any:
        return plain(strategy.run(lambda: context().all_reduce("SUM", number() + 1.0)))

    def child(does_exit: bool) -> None:
        signal.alarm(60)  # a collective that is waited for ends the child
        is_refused = raised(lambda: strategy.gather(own, axis=0)) == "FailedPreconditionError"
        if does_exit:
            sys.exit(0)
        os._exit(0 if is_refused else 3)

    own = tf.constant([1.0])
    found = [total()]
    for does_exit in (False, True):
        if INDEX:
            number_of_child = os.fork()
            if not number_of_child:
                child(does_exit)
            found.append(os.waitstatus_to_exitcode(os.waitpid(number_of_child, 0)[1]))
        found.append(total())
    return found


def survived() -> None:
    """Steps until the second process ends, whose child continues. The child's number is written to a file."""
    how = strategy.run(lambda: context().all_reduce("SUM", tf.constant(1.0)))
    if INDEX:
        child = os.fork()
        if not child:
            for number_of_file in range(3):
                os.close(number_of_file)
            time.sleep(2 * LIMIT)
            os._exit(0)
        (Path(os.environ["TFCOMPAT_TEST_FOLDER"]) / "child").write_text(str(child))
        os.kill(os.getpid(), signal.SIGKILL)
    while True:
        strategy.reduce("SUM", how, axis=None)


def resumed() -> Any:
    """Training from the last checkpoint on; the second process is killed after the steps TFCOMPAT_TEST_STEPS."""
    folder = Path(os.environ["TFCOMPAT_TEST_FOLDER"])
    end = int(os.environ["TFCOMPAT_TEST_STEPS"])
    variables = weights()
    done = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(weights=variables, done=done)
    # The chief's folder is kept; TensorFlow advises the others to save elsewhere.
    saved = tf.train.CheckpointManager(checkpoint, str(folder / f"kept {INDEX}"), max_to_keep=2)
    checkpoint.restore(tf.train.latest_checkpoint(str(folder / "kept 0")))
    losses: dict[int, float] = {}
    run = trainer(variables, is_decorated=True)
    for k in range(int(done), 12):
        losses[k] = trained(run, 1)[0]
        done.assign_add(1)
        if k % 2:
            saved.save()
        if INDEX and k == end:
            os.kill(os.getpid(), signal.SIGKILL)
    return losses


def timing_out() -> Any:
    """A collective with a time limit to which the second process comes when the first has given up, and another one."""
    options = D.experimental.CommunicationOptions(timeout_seconds=None if INDEX else 1.0)
    given_up = Path(os.environ["TFCOMPAT_TEST_FOLDER"]) / "given up"
    while INDEX and not given_up.exists():
        time.sleep(0.01)
    error = raised(lambda: strategy.run(lambda: context().all_reduce("SUM", tf.constant(1.0), options)))
    given_up.touch()
    return [error, plain(strategy.run(lambda: context().all_reduce("SUM", tf.constant(2.0))))]


if __name__ == "__main__":
    programs = {**vars(process_data), **globals()}
    print(json.dumps({name: programs[name]() for name in sys.argv[1:]}))
