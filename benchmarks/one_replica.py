"""Training steps in replicas beside steps in one: the Python of a step, and a strategy with one device.

python -m benchmarks.one_replica [--models "small mlp" mlp] [--rounds 40]

The time of Python is the CPU time of a step whose compiled functions are replaced by functions that return at once.
Each figure is the median over the rounds. The forms take turns in one process, except for the number of replicas.

JAX itself needs more time to start a program on several devices. The CPU time of the calling thread is measured, too,
in a call of a function by `jax.shard_map` that takes and returns as many arrays as the model has weights, small ones,
and donated. On 8 simulated devices it is 2.8 to 4 times that on one device, for 5 arrays as for 60. In decorated steps,
which call no Python for a replica, the ratio is to stay below that of JAX.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.remote import found_by
from benchmarks.replicas import MODELS, RATE, Model, Ops, replicated, values

REPLICAS = 8
STEPS = 20
# The most that the Python of a step in all replicas may take of that in one, by form; None: as much as JAX's own call.
MOST_PYTHON = {"decorated": None, "undecorated": 8.0}
# The most that a step of a strategy with one device may take of one without a strategy.
MOST_ALONE = 1.05


def plain(model: Model, *, is_decorated: bool) -> Callable[[], float]:
    """A step without a strategy; returns the loss."""
    import tfcompat as tf

    ops = Ops(tf.nn.relu, tf.nn.softmax, tf.reshape, tf.transpose, tf.reduce_mean, tf.square)
    given, *arrays = values(model)
    weights = [tf.Variable(value) for value in given]
    x, y = map(tf.constant, arrays)

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            # The quotient as in the replicas, so that both compute the same.
            loss = tf.reduce_mean(tf.square(model.outputs(ops, weights, x) - y)) / 1
        for weight, slope in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(RATE * slope)
        return loss

    run = tf.function(step) if is_decorated else step
    return lambda: float(run(x, y))


class Placeholder:
    """Takes the place of an array that a compiled function returns."""

    def __init__(self, sharding: Any) -> None:
        self.sharding = sharding

    def block_until_ready(self) -> None:
        """Returns at once."""


def replaced(run: Callable[..., Any]) -> Callable[..., Any]:
    """A function that returns placeholders for the results of the compiled function `run`."""
    shardings: list[Any] = []

    def answer(*args: Any) -> list[Placeholder]:
        if not shardings:
            shardings.extend(array.sharding for array in run(*args))
        return list(map(Placeholder, shardings))

    return answer


def without_computations() -> None:
    """Replaces the compiled functions of all programs."""
    from tfcompat._core.programs.program import Program
    from tfcompat._core.programs.replicas.spread import Spread

    for program in gc.get_objects():
        if isinstance(program, Spread):
            program._functions.update({key: replaced(run) for key, run in program._functions.items()})
        elif isinstance(program, Program) and program._run is not None and not isinstance(program._run, Spread):
            program._run = replaced(program._run)


def timed(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The median CPU time of a step in microseconds, for each of `calls`, which take turns."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            began = time.process_time()
            for _ in range(STEPS):
                call()
            found[name].append((time.process_time() - began) / STEPS)
    return {name: 1e6 * statistics.median(times) for name, times in found.items()}


def started(count: int, arrays: int, rounds: int) -> float:
    """The median CPU time in microseconds in which this thread starts a program on `count` devices by JAX."""
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh, common = Mesh(np.array(jax.devices()[:count]), ("batch",)), PartitionSpec()

    def step(weights: Any) -> Any:
        total = jax.lax.psum(weights[0][0, 0], "batch")
        return [weight - RATE * total for weight in weights], total

    run = jax.jit(
        jax.shard_map(step, mesh=mesh, in_specs=common, out_specs=common, check_vma=False), donate_argnums=(0,)
    )
    weights = [jax.device_put(np.ones((8, 8), "f"), NamedSharding(mesh, common)) for _ in range(arrays)]
    found: list[float] = []
    for _ in range((rounds + 1) * STEPS):
        began = time.thread_time()
        weights, total = run(weights)
        found.append(time.thread_time() - began)
        jax.block_until_ready((weights, total))
    return 1e6 * statistics.median(found[STEPS:])


def python(name: str, count: int, rounds: int) -> None:
    """Prints the time of Python in a step in `count` replicas, by form, and that of a call of JAX."""
    own = started(count, len(MODELS[name].shapes), rounds)
    import tfcompat as tf

    calls = {
        form: partial(replicated, MODELS[name], count, is_decorated=form == "decorated", reads=False)()
        for form in MOST_PYTHON
    }
    timed(calls, 2)
    tf.sync()
    timed(calls, 2)
    without_computations()
    timed(calls, 2)
    print(json.dumps({**timed(calls, rounds), "JAX": own}))


def alone(name: str, rounds: int) -> None:
    """Prints the time of a step of a strategy with one device, and of one without a strategy, by form."""
    calls: dict[str, Callable[[], Any]] = {}
    for form in MOST_PYTHON:
        is_decorated = form == "decorated"
        calls[f"{form}, strategy"] = replicated(MODELS[name], 1, is_decorated=is_decorated)
        calls[f"{form}, none"] = plain(MODELS[name], is_decorated=is_decorated)
    timed(calls, 2)
    print(json.dumps(timed(calls, rounds)))


def in_process(arguments: list[str], devices: int) -> dict[str, float]:
    """The measurements of a process in which JAX has this number of `devices`."""
    flags = f"--xla_force_host_platform_device_count={devices}"
    command = [sys.executable, "-m", "benchmarks.one_replica", *arguments]
    return found_by(command, XLA_FLAGS=flags, JAX_PLATFORMS="cpu")


def main() -> None:
    """Prints tables of times in microseconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", nargs="+", default=["small mlp", "mlp"])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--python", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.python:
        python(given.models[0], given.python, given.rounds)
        return
    if given.alone:
        alone(given.models[0], given.rounds)
        return
    for name in given.models:
        rest = ["--models", name, "--rounds", str(given.rounds)]
        many, one = (in_process(["--python", str(count), *rest], count) for count in (REPLICAS, 1))
        ratios = {form: many[form] / one[form] for form in many}
        for form, ratio in ratios.items():
            most = MOST_PYTHON.get(form) or ratios["JAX"]
            times = f"{REPLICAS} replicas {many[form]:7.0f} us, one {one[form]:6.0f} us"
            print(f"{name:12} Python, {form:12} {times}  ratio {ratio:5.2f}{'' if ratio <= most else '  slow'}")
        found = in_process(["--alone", *rest], 1)
        for form in MOST_PYTHON:
            own, without = found[f"{form}, strategy"], found[f"{form}, none"]
            mark = "" if own / without <= MOST_ALONE else "  slow"
            times = f"one device {own:7.0f} us, no strategy {without:6.0f} us"
            print(f"{name:12} step, {form:12} {times}  ratio {own / without:5.2f}{mark}")


if __name__ == "__main__":
    main()
