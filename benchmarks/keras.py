"""Times `fit` of four Keras models on tfcompat, on TensorFlow and on Keras' JAX backend, in turns, in one run.

    python -m benchmarks.keras [--tensorflow PYTHON] [--only mlp,cnn] [--rounds 7]

The epochs of the three processes alternate, after two that are not counted; the medians are compared. An epoch of
a fit is 30 to 200 steps of 32 examples, whose losses Keras reads at each step. Ratios are those of steps a second:
above 1 tfcompat is faster. The first epoch of ten steps includes the model's construction, but no imports. Imports and
the script are timed as whole processes; the second run of the script finds the programs of the first.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack

from benchmarks.bytecode import compile_package
from benchmarks.keras_worker import STEPS
from benchmarks.remote import ROOT

# Steps a second, relative to Keras on TensorFlow and on JAX.
TARGETS = {"mlp": (2.0, 0.9), "cnn": (1.0, 0.9), "lstm": (1.5, 0.9), "transformer": (1.0, 0.9)}
# The first epoch of an LSTM relative to TensorFlow; programs; MB.
COLD, PROGRAMS, MEMORY = 2.5, 4, 10.0
# Imports with Keras, and the second run of a script, relative to TensorFlow.
IMPORT, SECOND = 1.0, 1.2
# An undecorated step of a custom loop relative to a decorated one: their steps a second.
UNDECORATED = 0.5
UNCOUNTED = 2
# Hides what Keras imports only where it is installed: it may be so in one of the environments.
HIDING = "import sys; sys.modules.update(dict.fromkeys(['grain', 'pandas', 'sklearn', 'torch']))"


class Process:
    """A worker in one environment."""

    def __init__(self, environment: str, python: str, scene: str, model: str) -> None:
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.keras_worker", environment, scene, model],
            cwd=ROOT,
            env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "TFCOMPAT_COMPILATION_CACHE": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the worker."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def epoch(self) -> list[float]:
        """Lets it fit one epoch; returns the numbers that it prints."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self.numbers()

    def numbers(self) -> list[float]:
        """The numbers of the next line."""
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{' '.join(map(str, self._process.args[1:]))} ended with {self._process.wait()}")
        return list(map(float, line.split()))


def once(environment: str, python: str, scene: str, model: str) -> list[float]:
    """The numbers of a scene that runs once."""
    with Process(environment, python, scene, model) as worker:
        return worker.numbers()


def steady(model: str, pythons: dict[str, str], rounds: int) -> dict[str, tuple[float, float]]:
    """The seconds and the CPU seconds of a step in each environment."""
    taken: dict[str, list[list[float]]] = {name: [] for name in pythons}
    with ExitStack() as stack:
        workers = {
            name: stack.enter_context(Process(name, python, "steady", model)) for name, python in pythons.items()
        }
        for _ in range(rounds + UNCOUNTED):
            for name, worker in workers.items():
                taken[name].append(worker.epoch())
    columns = {name: list(zip(*epochs[UNCOUNTED:], strict=True)) for name, epochs in taken.items()}
    return {
        name: (statistics.median(wall) / STEPS[model], statistics.median(cpu) / STEPS[model])
        for name, (wall, cpu) in columns.items()
    }


def seconds(command: Sequence[str], cache: str) -> float:
    """The seconds of a process that keeps its compiled programs in the folder `cache`."""
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "TFCOMPAT_COMPILATION_CACHE": cache}
    began = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def in_turns(own: Sequence[str], other: Sequence[str], rounds: int) -> tuple[float, float]:
    """The median seconds of two commands, which run in turns, after a first run of each that is not counted."""
    with tempfile.TemporaryDirectory() as cache:
        taken = [(seconds(own, cache), seconds(other, cache)) for _ in range(rounds + 1)][1:]
    first, second = map(statistics.median, zip(*taken, strict=True))
    return first, second


def whole_processes(python: str, rounds: int) -> None:
    """Times imports and the second run of a script, here and on the TensorFlow of `python`."""
    script = "benchmarks/scripts/fit_lstm.py"
    measured = {
        "import with Keras": (
            ["-c", f"{HIDING}; import tfcompat as tf; tf.keras.layers"],
            ["-c", f"{HIDING}; import tensorflow as tf; tf.keras.layers"],
        ),
        "second run of a script": (["-m", "tfcompat", script], [script]),
    }
    for (label, (own, other)), target in zip(measured.items(), (IMPORT, SECOND), strict=True):
        here, there = in_turns([sys.executable, *own], [python, *other], rounds)
        missed = "" if here <= target * there else "  x"
        print(f"{label}: {here:.2f} s, TensorFlow {there:.2f} s: {here / there:.2f} (<= {target:g}){missed}")


def ratio(own: float, other: float, target: float) -> str:
    """How many times faster tfcompat is, and the target."""
    found = other / own
    return f"{found:5.2f} (>= {target:g}){'' if found >= target else '  x'}"


def main() -> None:
    """Prints the measurements and the targets."""
    parser = argparse.ArgumentParser(prog="benchmarks.keras", description="Times `fit` of Keras models.")
    parser.add_argument("--tensorflow", metavar="PYTHON", help="a Python that has TensorFlow and Keras")
    parser.add_argument("--only", default=",".join(TARGETS), help="models, separated by commas")
    parser.add_argument("--rounds", type=int, default=7, help="epochs of each environment")
    asked = parser.parse_args()
    compile_package()
    pythons = {"tfcompat": sys.executable, "jax": sys.executable}
    if asked.tensorflow:
        pythons["tensorflow"] = asked.tensorflow
    for model in asked.only.split(","):
        found = steady(model, pythons, asked.rounds)
        for name, (wall, cpu) in found.items():
            print(f"{model:<12}{name:<11}{1 / wall:>7.0f} steps a second, {cpu * 1e6:>7.0f} us of CPU time a step")
        for name, target in zip(("tensorflow", "jax"), TARGETS[model], strict=True):
            if name in found:
                (own, own_cpu), (other, other_cpu) = found["tfcompat"], found[name]
                print(f"{'':<12}to {name:<11}{ratio(own, other, target)}; of CPU time {other_cpu / own_cpu:.2f}")
    own, own_cpu, decorated, decorated_cpu = once("tfcompat", sys.executable, "loop", "cnn")
    print(
        f"custom loop, cnn: undecorated {own * 1e3:.2f} ms, decorated {decorated * 1e3:.2f} ms: "
        f"{ratio(own, decorated, UNDECORATED)}; of CPU time {decorated_cpu / own_cpu:.2f}"
    )
    own, _ = once("tfcompat", sys.executable, "cold", "lstm")
    print(f"first epoch of ten steps, lstm: {own:.2f} s")
    if asked.tensorflow:
        other, _ = once("tensorflow", asked.tensorflow, "cold", "lstm")
        missed = "" if own <= COLD * other else "  x"
        print(f"{'':<12}TensorFlow {other:.2f} s: {own / other:.2f} (<= {COLD:g}){missed}")
        whole_processes(asked.tensorflow, asked.rounds)
    compiled, alone = once("tfcompat", sys.executable, "programs", "lstm")
    missed = "" if compiled <= PROGRAMS else "  x"
    print(
        f"programs of 3 epochs with partial batches: {compiled:.0f} (<= {PROGRAMS}){missed}, and {alone:.0f} ops alone"
    )
    grown, resident = once("tfcompat", sys.executable, "memory", "mlp")
    missed = "" if grown <= MEMORY else "  x"
    print(f"memory from epoch 3 to 20: {grown:+.1f} MB of {resident:.0f} (<= {MEMORY:g}){missed}")


if __name__ == "__main__":
    main()
