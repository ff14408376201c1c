"""Times training loops whose shapes change at every step, under TensorFlow and tfcompat.

    python -m benchmarks.varying [--tensorflow PYTHON] [--only NAME] [--rounds 1]

Each measurement takes a new process, runs the whole loop, first steps included, and reads the loss of every step. In a
decorated loop the varying dimensions are open. `slowest` is the slowest step from the twentieth on, over the median of
these. The first and the last losses must agree with those of the first column to a thousandth.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benchmarks.remote import found_by
from benchmarks.workloads import varying


class Scene(NamedTuple):
    """A loop, and the number of its steps."""

    build: Callable[[Any], varying.VaryingLoop]
    steps: int


SCENES = {
    "attention, open length": Scene(varying.attention, 200),
    "LSTM, open length": Scene(varying.lstm, 100),
    "convolutions, open batch, height and width": Scene(varying.convolutions, 100),
    "policy gradient, open episode": Scene(varying.policy_gradient, 200),
    "translation, open source and target": Scene(varying.translation, 200),
}
WARM_UP = 20
TOLERANCE = 1e-3


def measure(package: str, name: str, *, is_decorated: bool) -> None:
    """Prints the results of the loop `name`."""
    tf = importlib.import_module(package)
    (tf.constant([1.0, 2.0]) + 3.0).numpy()
    scene = SCENES[name]
    (step, batch, _), signature = scene.build(tf)
    if is_decorated:
        step = tf.function(step, input_signature=[tf.TensorSpec(shape, dtype) for shape, dtype in signature])
    losses, seconds = [], []
    for index in range(scene.steps):
        arguments = batch(index)
        began = time.perf_counter()
        losses.append(float(step(*arguments).numpy()))
        seconds.append(time.perf_counter() - began)
    counts = tf.counters() if package == "tfcompat" else None
    found = {
        "seconds": sum(seconds),
        "slowest": max(seconds[WARM_UP:]) / statistics.median(seconds[WARM_UP:]),
        "compiled": counts and counts.compiles + counts.op_compiles,
        "padded": counts and counts.padded,
        "losses": (losses[0], losses[-1]),
    }
    print(json.dumps(found))


def measured(python: str, package: str, name: str, way: str) -> dict[str, Any]:
    """The results of `measure` in a new process; `way` is `eager` or `decorated`."""
    return found_by([python, "-m", "benchmarks.varying", "--measure", package, name, way])


def rows(name: str, tensorflow: str | None, rounds: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The ways to run the loop `name`, each with its results: those of the round with the median of seconds."""
    pythons = {"TensorFlow": (tensorflow, "tensorflow"), "tfcompat": (sys.executable, "tfcompat")}
    for label, (python, package) in pythons.items():
        for way in ("eager", "decorated"):
            if python is not None:
                found = [measured(python, package, name, way) for _ in range(rounds)]
                yield f"{label}, {way}", sorted(found, key=lambda each: each["seconds"])[(rounds - 1) // 2]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.varying", description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", metavar="PYTHON", help="a Python that has TensorFlow")
    parser.add_argument("--only", default="", help="a part of the names of the loops")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        package, name, way = asked.measure
        measure(package, name, is_decorated=way == "decorated")
        return
    differing = []
    for name in filter(lambda name: asked.only in name, SCENES):
        print(f"{name}, {SCENES[name].steps} steps")
        print(f"  {'':<24}{'seconds':>9}{'ratio':>8}{'compiled':>10}{'padded':>8}{'slowest':>9}  losses")
        first = None
        for label, found in rows(name, asked.tensorflow, asked.rounds):
            first = first or found
            is_alike = all(
                math.isclose(own, wanted, rel_tol=TOLERANCE)
                for own, wanted in zip(found["losses"], first["losses"], strict=True)
            )
            if not is_alike:
                differing.append(f"{name}, {label}")
            print(
                f"  {label:<24}{found['seconds']:>9.2f}{found['seconds'] / first['seconds']:>8.2f}"
                f"{_count(found['compiled']):>10}{_count(found['padded']):>8}{found['slowest']:>9.1f}"
                f"  {found['losses'][0]:.5f} {found['losses'][1]:.5f}{'' if is_alike else '  x'}",
                flush=True,
            )
    if differing:
        sys.exit(f"other losses: {'; '.join(differing)}")


def _count(number: int | None) -> str:
    return "" if number is None else str(number)


if __name__ == "__main__":
    main()
