"""Time of data-parallel training steps in two processes, beside `jax.shard_map` by hand in the same processes.

python -m benchmarks.processes [--models "small mlp" mlp] [--rounds 20]

Each figure is the median over the rounds of the wall time of a step, and its CPU time, in the first process.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.replicas import MODELS, RATE, Model, Ops, values

COUNT = 2
# The most that a step may take of the time of the hand-written one.
MOST = 1.2
# The steps of a round: all processes have to take as many.
STEPS = 3


def handwritten(model: Model) -> Callable[[], float]:
    """A step by `jax.shard_map`; returns the loss."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    ops = Ops(jax.nn.relu, jax.nn.softmax, jnp.reshape, jnp.transpose, jnp.mean, jnp.square)
    mesh = Mesh(np.array(jax.devices()), ("batch",))
    divided, copied = PartitionSpec("batch"), PartitionSpec()

    def loss_of(weights: Any, x: Any, y: Any) -> Any:
        return jnp.mean(jnp.square(model.outputs(ops, weights, x) - y)) / COUNT

    def step(weights: Any, x: Any, y: Any) -> Any:
        loss, slopes = jax.value_and_grad(loss_of)(weights, x, y)
        slopes = jax.lax.psum(slopes, "batch")
        new = [weight - RATE * slope for weight, slope in zip(weights, slopes, strict=True)]
        return new, jax.lax.psum(loss, "batch")

    run = jax.jit(
        jax.shard_map(step, mesh=mesh, in_specs=(copied, divided, divided), out_specs=copied, check_vma=False),
        donate_argnums=(0,),
    )
    weights, x, y = values(model)
    rows, first = model.batch // COUNT, model.batch // COUNT * jax.process_index()
    state = [[jax.make_array_from_process_local_data(NamedSharding(mesh, copied), weight) for weight in weights]]
    x, y = (
        jax.make_array_from_process_local_data(NamedSharding(mesh, divided), array[first : first + rows])
        for array in (x, y)
    )

    def call() -> float:
        state[0], loss = run(state[0], x, y)
        return float(loss.addressable_data(0))

    return call


def replicated(strategy: Any, model: Model, *, is_decorated: bool) -> Callable[[], float]:
    """A step of `tf.distribute.MultiWorkerMirroredStrategy`; returns the loss."""
    import tfcompat as tf

    ops = Ops(tf.nn.relu, tf.nn.softmax, tf.reshape, tf.transpose, tf.reduce_mean, tf.square)
    given, *arrays = values(model)
    with strategy.scope():
        weights = [tf.Variable(value) for value in given]
    rows, first = model.batch // COUNT, model.batch // COUNT * strategy.cluster_resolver.task_id
    x, y = (tf.constant(array[first : first + rows]) for array in arrays)

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model.outputs(ops, weights, x) - y)) / COUNT
        slopes = tf.distribute.get_replica_context().all_reduce("SUM", tape.gradient(loss, weights))
        for weight, slope in zip(weights, slopes, strict=True):
            weight.assign_sub(RATE * slope)
        return loss

    def everywhere(x: Any, y: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(step, (x, y)), axis=None)

    run = tf.function(everywhere) if is_decorated else everywhere
    return lambda: float(run(x, y))


def work(names: list[str], rounds: int) -> None:
    """Prints the measurements of the models in this process, which TF_CONFIG describes."""
    import tfcompat as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    found: dict[str, Any] = {}
    for name in names:
        model = MODELS[name]
        calls = {
            "shard_map": handwritten(model),
            "decorated": replicated(strategy, model, is_decorated=True),
            "undecorated": replicated(strategy, model, is_decorated=False),
        }
        losses = {form: [call() for _ in range(4)] for form, call in calls.items()}
        times: dict[str, list[tuple[float, float]]] = {form: [] for form in calls}
        for _ in range(rounds):
            for form, call in calls.items():
                wall, cpu = time.perf_counter(), time.process_time()
                for _ in range(STEPS):
                    call()
                times[form].append(((time.perf_counter() - wall) / STEPS, (time.process_time() - cpu) / STEPS))
        found[name] = {
            form: {
                "wall": 1e3 * statistics.median([wall for wall, _ in times[form]]),
                "cpu": 1e3 * statistics.median([cpu for _, cpu in times[form]]),
                "losses": losses[form],
            }
            for form in calls
        }
    print(json.dumps(found))


def started(arguments: list[str]) -> list[subprocess.Popen[str]]:
    """The processes of a cluster on this machine, each of which runs Python with `arguments`."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(COUNT)]
    addresses = [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]
    for each in sockets:
        each.close()
    found: list[subprocess.Popen[str]] = []
    for index in range(COUNT):
        config = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        environment = {**os.environ, "TF_CONFIG": json.dumps(config), "JAX_PLATFORMS": "cpu"}
        found.append(subprocess.Popen([sys.executable, *arguments], env=environment, stdout=subprocess.PIPE, text=True))
    return found


def main() -> None:
    """Prints a table of times in ms; fails if a loss is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", nargs="+", default=["small mlp", "mlp"])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.models, given.rounds)
        return
    names = ["--models", *given.models, "--rounds", str(given.rounds)]
    first, *_ = [each.communicate(timeout=600)[0] for each in started(["-m", "benchmarks.processes", "--work", *names])]
    for name, found in json.loads(first.splitlines()[-1]).items():
        own = found["shard_map"]
        for form, figures in found.items():
            np.testing.assert_allclose(figures["losses"], own["losses"], rtol=1e-5)
            ratios = [figures[kind] / own[kind] for kind in ("wall", "cpu")]
            mark = "" if ratios[0] <= MOST else "  slow"
            print(
                f"{name:12} {form:24} wall {figures['wall']:8.2f} cpu {figures['cpu']:8.2f} ms"
                f"  ratio {ratios[0]:5.2f} {ratios[1]:5.2f}{mark}"
            )


if __name__ == "__main__":
    main()
