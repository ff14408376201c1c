"""Loss curves in 1, 2, 4 and 8 replicas on simulated devices, beside the curve without a strategy.

python -m benchmarks.curves [--steps 100] [--tensorflow PYTHON]

Prints the greatest relative difference of a loss. With TensorFlow's Python, also that of TensorFlow in four replicas.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.remote import found_by

COUNTS = (1, 2, 4, 8)
BATCH, WIDTH = 64, 32
# The most that a loss may differ, relative to it.
MOST = {"float32": 1e-5, "float64": 1e-12}


def trained(tf: Any, scope: Any, kind: str) -> Callable[[Any, Any], Any]:
    """A step with momentum for variables of the dtype `kind` made in `scope`; returns the loss."""
    chance = np.random.default_rng(3)
    shapes = [(8, WIDTH), (WIDTH,), (WIDTH, WIDTH), (WIDTH, 1)]
    given = [chance.normal(size=shape, scale=shape[0] ** -0.5).astype(kind) for shape in shapes]
    with scope:
        weights = [tf.Variable(value) for value in given]
        speeds = [tf.Variable(np.zeros_like(value)) for value in given]

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            hidden = tf.tanh(tf.tanh(x @ weights[0] + weights[1]) @ weights[2])
            errors = tf.reduce_mean(tf.square(hidden @ weights[3] - y), axis=-1)
            loss = tf.nn.compute_average_loss(errors, global_batch_size=BATCH)
        slopes = tf.distribute.get_replica_context().all_reduce("SUM", tape.gradient(loss, weights))
        for weight, speed, slope in zip(weights, speeds, slopes, strict=True):
            speed.assign(0.9 * speed + slope)
            weight.assign_sub(0.02 * speed)
        return loss

    return step


def curve(tf: Any, kind: str, count: int, steps: int, *, is_decorated: bool) -> list[float]:
    """The losses of `steps` steps in `count` replicas; without a strategy if that is 0."""
    chance = np.random.default_rng(4)
    x = chance.normal(size=(4 * BATCH, 8)).astype(kind)
    y = np.sin(x.sum(1, keepdims=True)).astype(kind)
    rows = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH).repeat().take(steps)
    names = [f"CPU:{number}" for number in range(count)]
    strategy = tf.distribute.MirroredStrategy(names) if count else tf.distribute.get_strategy()
    step = trained(tf, strategy.scope(), kind)

    def everywhere(x: Any, y: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(step, (x, y)), axis=None)

    run = tf.function(everywhere) if is_decorated else everywhere
    return [float(run(*batch)) for batch in strategy.experimental_distribute_dataset(rows)]


def work(package: str, counts: list[int], steps: int) -> None:
    """Prints the curves of `package` in this process, by dtype and form, for each of `counts`."""
    tf = importlib.import_module(package)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * max(COUNTS))
    forms = {"decorated": True, "undecorated": False}
    found = {
        f"{kind} {form}": [curve(tf, kind, count, steps, is_decorated=flag) for count in counts]
        for kind in MOST
        for form, flag in forms.items()
        # TensorFlow's collectives work for one step in a process.
        if package == "tfcompat" or (flag and kind == "float32")
    }
    print(json.dumps(found))


def difference(curve: list[float], wanted: list[float]) -> float:
    """The greatest relative difference."""
    return float(np.max(np.abs(np.array(curve) / np.array(wanted) - 1.0)))


def found(python: str, package: str, counts: list[int], steps: int) -> Any:
    """The curves of `package` in a new process of `python`."""
    given = ["--work", package, "--counts", *map(str, counts), "--steps", str(steps)]
    return found_by([python, "-m", "benchmarks.curves", *given], JAX_PLATFORMS="cpu")


def main() -> None:
    """Prints a table of differences."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--tensorflow")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--counts", type=int, nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work, given.counts, given.steps)
        return
    own = found(sys.executable, "tfcompat", [0, *COUNTS], given.steps)
    for form, (alone, *curves) in own.items():
        most = MOST[form.split()[0]]
        differences = [difference(curve, alone) for curve in curves]
        listed = "  ".join(f"{count}: {value:.1e}" for count, value in zip(COUNTS, differences, strict=True))
        print(f"{form:20} replicas {listed}{'' if max(differences) <= most else '  too far'}")
    if given.tensorflow:
        theirs = found(given.tensorflow, "tensorflow", [4], given.steps)
        for form, (curve,) in theirs.items():
            value = difference(own[form][1 + COUNTS.index(4)], curve)
            print(f"{form:20} TensorFlow, 4 replicas: {value:.1e}{'' if value <= MOST['float32'] else '  too far'}")


if __name__ == "__main__":
    main()
