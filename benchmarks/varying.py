"""Times training loops whose shapes change at every step, under TensorFlow and tfcompat.

    python -m benchmarks.varying [--tensorflow PYTHON] [--only NAME] [--rounds 1]

Each measurement takes a new process, runs the whole loop, first steps included, and reads the loss of every step. In a
decorated loop the varying dimensions are open. `slowest` is the slowest step from the twentieth on, over the median of
these; `unpaused` is the same without the seconds in which Python's garbage collector paused a step (`gc.freeze()` after
the imports avoids most of them). The first and the last losses must agree with those of the first line to a thousandth.

The first epoch of a loop like Keras' `fit` has a partial last batch, and evaluates on batches of other sizes. There the
seconds in which it waits for compilers are compared with those that exact programs for all sizes take.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks.remote import found_by
from benchmarks.workloads import varying
from benchmarks.workloads.epoch import first_epoch


class Scene(NamedTuple):
    """A loop, the number of its steps, and the way of TensorFlow's whose seconds are those of the ratios."""

    build: Callable[[Any], varying.VaryingLoop]
    steps: int
    reference: str = "eager"


SCENES = {
    "attention, open length": Scene(varying.attention, 200),
    "LSTM, open length": Scene(varying.lstm, 100),
    "convolutions, open batch, height and width": Scene(varying.convolutions, 100),
    "policy gradient, open episode": Scene(varying.policy_gradient, 200),
    "translation, open source and target": Scene(varying.translation, 200),
    "attention, many steps": Scene(varying.attention, 1000, "decorated"),
}
EPOCH = "first epoch"
EXACT = {"TFCOMPAT_HOST": "0", "TFCOMPAT_PADDING": "0"}
WARM_UP = 20
TOLERANCE = 1e-3


class Pauses:
    """The `seconds` in which Python's garbage collector has paused the process."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._began = 0.0
        gc.callbacks.append(self._note)

    def _note(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._began = time.perf_counter()
        else:
            self.seconds += time.perf_counter() - self._began


def measure(package: str, name: str, *, is_decorated: bool) -> None:
    """Prints the results of the loop `name`."""
    tf = importlib.import_module(package)
    (tf.constant([1.0, 2.0]) + 3.0).numpy()
    scene = SCENES[name]
    (step, batch, _), signature = scene.build(tf)
    if is_decorated:
        step = tf.function(step, input_signature=[tf.TensorSpec(shape, dtype) for shape, dtype in signature])
    losses, seconds, unpaused, pauses = [], [], [], Pauses()
    for index in range(scene.steps):
        arguments = batch(index)
        pauses.seconds = 0.0
        began = time.perf_counter()
        losses.append(float(step(*arguments).numpy()))
        seconds.append(time.perf_counter() - began)
        unpaused.append(seconds[-1] - pauses.seconds)
    counts = tf.counters() if package == "tfcompat" else None
    found = {
        "seconds": sum(seconds),
        "slowest": max(seconds[WARM_UP:]) / statistics.median(seconds[WARM_UP:]),
        "unpaused": max(unpaused[WARM_UP:]) / statistics.median(unpaused[WARM_UP:]),
        "compiled": counts and counts.compiles + counts.op_compiles,
        "padded": counts and counts.padded,
        "losses": (losses[0], losses[-1]),
    }
    print(json.dumps(found))


def measured(python: str, package: str, name: str, way: str) -> dict[str, Any]:
    """The results of `measure` in a new process; `way` is `eager` or `decorated`."""
    return found_by([python, "-m", "benchmarks.varying", "--measure", package, name, way])


def measure_epoch(package: str) -> None:
    """Prints the results of the first epoch."""
    tf = importlib.import_module(package)
    (tf.constant([1.0, 2.0]) + 3.0).numpy()
    began = time.perf_counter()
    losses = first_epoch(tf)
    seconds = time.perf_counter() - began
    waited = tf.counters().compile_seconds if package == "tfcompat" else None
    print(json.dumps({"seconds": seconds, "waited": waited, "losses": losses}))


def show_epoch(tensorflow: str | None, rounds: int) -> list[str]:
    """Prints the table of the first epoch: medians of `rounds`. Returns the lines whose losses are wrong."""
    ways = {
        "tfcompat": (sys.executable, "tfcompat", {}),
        "tfcompat, exact programs": (sys.executable, "tfcompat", EXACT),
    }
    if tensorflow is not None:
        ways = {"TensorFlow": (tensorflow, "tensorflow", {}), **ways}
    print(f"{EPOCH}, decorated\n  {'':<24}{'seconds':>9}{'waited for compilers':>22}")
    differing, wanted = [], None
    for label, (python, package, environment) in ways.items():
        command = [python, "-m", "benchmarks.varying", "--measure", package, EPOCH, "decorated"]
        found = [found_by(command, **environment) for _ in range(rounds)]
        wanted = wanted or found[0]["losses"]
        if not _are_alike(found[0]["losses"], wanted):
            differing.append(f"{EPOCH}, {label}")
        seconds, waited = (
            sorted(each[key] or 0.0 for each in found)[(rounds - 1) // 2] for key in ("seconds", "waited")
        )
        print(f"  {label:<24}{seconds:>9.2f}{waited:>22.2f}", flush=True)
    return differing


def _are_alike(own: Sequence[float], wanted: Sequence[float]) -> bool:
    return all(math.isclose(*pair, rel_tol=TOLERANCE) for pair in zip(own, wanted, strict=True))


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
        measure_epoch(package) if name == EPOCH else measure(package, name, is_decorated=way == "decorated")
        return
    differing = show_epoch(asked.tensorflow, asked.rounds) if asked.only in EPOCH else []
    for name in filter(lambda name: asked.only in name, SCENES):
        print(f"{name}, {SCENES[name].steps} steps")
        print(
            f"  {'':<24}{'seconds':>9}{'ratio':>8}{'compiled':>10}{'padded':>8}{'slowest':>9}{'unpaused':>10}  losses"
        )
        table = dict(rows(name, asked.tensorflow, asked.rounds))
        reference = table.get(f"TensorFlow, {SCENES[name].reference}") or next(iter(table.values()))
        for label, found in table.items():
            is_alike = _are_alike(found["losses"], reference["losses"])
            if not is_alike:
                differing.append(f"{name}, {label}")
            print(
                f"  {label:<24}{found['seconds']:>9.2f}{found['seconds'] / reference['seconds']:>8.2f}"
                f"{_count(found['compiled']):>10}{_count(found['padded']):>8}{found['slowest']:>9.1f}"
                f"{found['unpaused']:>10.1f}"
                f"  {found['losses'][0]:.5f} {found['losses'][1]:.5f}{'' if is_alike else '  x'}",
                flush=True,
            )
    if differing:
        sys.exit(f"other losses: {'; '.join(differing)}")


def _count(number: int | None) -> str:
    return "" if number is None else str(number)


if __name__ == "__main__":
    main()
