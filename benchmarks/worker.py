"""One process that holds workloads of one environment and runs them on request.

    python -m benchmarks.worker tensorflow|tfcompat|decorated|jax

It reads one JSON request per line from standard input, and writes one JSON answer per line to standard output:
`{"do": "open", "workload": W, "variant": V}` builds a loop and takes its first steps, `{"do": "run", "steps": N}` times
N more, `{"do": "memory"}` returns resident and peak memory, `{"do": "reset_peak"}` resets the peak.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.catalogue import WORKLOADS

# After this number of steps a loop should have compiled all its programs.
SETTLED_STEPS = 3
COMPARED_STEPS = 5


class TensorRun:
    """A loop under TensorFlow, or under tfcompat, which is the same code."""

    def __init__(self, tf: ModuleType, workload: str, variant: str) -> None:
        """Builds `workload`, including its data and first values; `variant` determines how the step is decorated."""
        loop = WORKLOADS[workload].build(tf)
        self.variables = loop.variables
        if hasattr(tf, "sync"):
            tf.sync()
        if variant in ("eager", "tfcompat"):
            self.step, self.batch = loop.step, loop.batch
        else:
            self.step = tf.function(loop.step, jit_compile=True if variant == "jit_compile" else None)
            # A Python number would trace the function again at each step, so users pass tensors.
            self.batch = lambda i: tuple(tf.constant(a) if isinstance(a, float) else a for a in loop.batch(i))

    def run(self, first: int, steps: int) -> float:
        """Takes `steps` steps from number `first` on; the loss of the last, read when all is done."""
        loss = None
        for index in range(first, first + steps):
            loss = self.step(*self.batch(index))
        self.variables[-1].numpy()
        return float(loss.numpy())


class ArrayRun:
    """A loop in hand-written JAX."""

    def __init__(self, jax: ModuleType, workload: str, _variant: str) -> None:
        """Builds `workload`."""
        self.step, self.batch, self.state = WORKLOADS[workload].build_jax(jax)
        self.block = jax.block_until_ready

    def run(self, first: int, steps: int) -> float:
        """Takes `steps` steps from number `first` on; the loss of the last, read when all is done."""
        loss = None
        for index in range(first, first + steps):
            self.state, loss = self.step(self.state, *self.batch(index))
        self.block(self.state)
        return float(loss)


class Worker:
    """The open loops of this process, by variant."""

    def __init__(self, environment: str) -> None:
        """Imports the module to measure; `decorated` is tfcompat in a separate process."""
        self.module = importlib.import_module("tfcompat" if environment == "decorated" else environment)
        self.make: Callable[..., TensorRun | ArrayRun] = ArrayRun if environment == "jax" else TensorRun
        self.is_tfcompat = self.module.__name__ == "tfcompat"
        self.runs: dict[str, TensorRun | ArrayRun] = {}
        self.taken: dict[str, int] = {}
        self.compiled: dict[str, int] = {}

    def open(self, workload: str, variant: str) -> dict[str, Any]:
        """Builds a loop; returns the seconds of its first step, its first losses, and the programs of three steps."""
        run = self.make(self.module, workload, variant)
        before = self.compiles()
        started = time.perf_counter()
        losses = [run.run(0, 1)]
        first = time.perf_counter() - started
        losses += [run.run(index, 1) for index in range(1, SETTLED_STEPS)]
        settled = self.compiles() - before
        losses += [run.run(index, 1) for index in range(SETTLED_STEPS, COMPARED_STEPS)]
        self.runs[variant] = run
        self.taken[variant] = COMPARED_STEPS
        self.compiled[variant] = self.compiles() - before
        return {"first": first, "losses": losses, "compiled": settled}

    def run(self, variant: str, steps: int) -> dict[str, Any]:
        """Takes `steps` steps and reads the result; returns the mean seconds per step, and the programs so far."""
        before = self.compiles()
        started = time.perf_counter()
        loss = self.runs[variant].run(self.taken[variant], steps)
        seconds = (time.perf_counter() - started) / steps
        self.taken[variant] += steps
        self.compiled[variant] += self.compiles() - before
        return {"seconds": seconds, "loss": loss, "compiled": self.compiled[variant]}

    def compiles(self) -> int:
        """The number of programs that tfcompat has compiled; 0 for other modules."""
        return self.module.counters().compiles if self.is_tfcompat else 0

    def memory(self) -> dict[str, float]:
        """The current and the peak resident memory, in MB."""
        gc.collect()
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return {name: int(status[key].split()[0]) / 1024 for name, key in (("resident", "VmRSS"), ("peak", "VmHWM"))}

    def reset_peak(self) -> dict[str, float]:
        """Resets the peak to the current resident memory."""
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")
        return {}


def serve(environment: str) -> None:
    """Answers requests until standard input ends."""
    # Output of the libraries must not mix with the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def answer(content: dict[str, Any]) -> None:
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    def attempt(call: Callable[..., Any], **details: Any) -> Any:
        try:
            return call(**details)
        except Exception as error:  # The driver reports the error in the workload's row and continues.
            traceback.print_exc()
            return {"error": f"{type(error).__name__}: {error}".splitlines()[0]}

    worker = attempt(Worker, environment=environment)
    if isinstance(worker, dict):
        answer(worker)
        return
    answer({"ready": True})
    for line in sys.stdin:
        request = json.loads(line)
        answer(attempt(getattr(worker, request.pop("do")), **request))


if __name__ == "__main__":
    serve(sys.argv[1])
