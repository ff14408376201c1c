"""Measures all variants of one workload: the first step, later steps in turns, and optionally peak memory."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field

from benchmarks.catalogue import WORKLOADS
from benchmarks.remote import Remote, WorkerError

# In the order in which one process opens them: the first one pays for starting TensorFlow. A decorated step would find
# the programs of an undecorated one, so each has its own process.
ENVIRONMENTS = {
    "jit_compile": "tensorflow",
    "function": "tensorflow",
    "eager": "tensorflow",
    "tfcompat": "tfcompat",
    "decorated": "decorated",
    "jax": "jax",
}
DECORATED = ("jit_compile", "function", "decorated")
BLOCK_SECONDS = 0.15
CALIBRATION_SECONDS = 0.03
MEMORY_STEPS = 10


@dataclass
class Result:
    """The measurements of one variant of a workload, in seconds and MB."""

    first: float = float("nan")
    losses: list[float] = field(default_factory=list)
    blocks: list[float] = field(default_factory=list)
    steps: int = 1
    compiled_early: int = 0
    compiled_late: int = 0
    peak: float = float("nan")
    error: str | None = None

    @property
    def step(self) -> float:
        """The median over the rounds of the seconds per step."""
        return statistics.median(self.blocks) if self.blocks else float("nan")


def variants(workload: str, environments: Iterable[str]) -> list[str]:
    """The variants of `workload` that the `environments` can run."""
    chosen = [variant for variant, environment in ENVIRONMENTS.items() if environment in environments]
    return chosen if WORKLOADS[workload].is_decorated else [v for v in chosen if v not in DECORATED]


def calibrate(worker: Remote, variant: str, warm_up: int) -> int:
    """Warms up the loop; returns the number of steps in a block."""
    worker.ask("run", variant=variant, steps=warm_up)
    steps = 1
    while (seconds := steps * worker.ask("run", variant=variant, steps=steps)["seconds"]) < CALIBRATION_SECONDS:
        steps *= 2
    return max(3, round(steps * BLOCK_SECONDS / seconds))


def prepare(worker: Remote, workload: str, variant: str) -> Result:
    """Opens a loop and warms it up."""
    try:
        opened = worker.ask("open", workload=workload, variant=variant)
        result = Result(first=opened["first"], losses=opened["losses"])
        result.compiled_early = opened["compiled"]
        result.steps = calibrate(worker, variant, WORKLOADS[workload].warm_up)
    except WorkerError as error:
        return Result(error=str(error))
    return result


def time_steps(workload: str, interpreters: dict[str, str], rounds: int) -> dict[str, Result]:
    """Times every variant of `workload`: each in `rounds` blocks, which alternate between the variants."""
    with ExitStack() as stack:
        workers, failed = {}, {}
        for environment, python in interpreters.items():
            workers[environment] = stack.enter_context(Remote(environment, python))
        for environment, worker in workers.items():
            try:
                worker.answer()
            except WorkerError as error:
                failed[environment] = Result(error=str(error))
        results = {}
        for variant in variants(workload, interpreters):
            environment = ENVIRONMENTS[variant]
            results[variant] = failed.get(environment) or prepare(workers[environment], workload, variant)
        for _ in range(rounds):
            for variant, result in results.items():
                if result.error is None:
                    take_block(workers[ENVIRONMENTS[variant]], variant, result)
    return results


def take_block(worker: Remote, variant: str, result: Result) -> None:
    """Times one block of steps and stores the result in `result`."""
    try:
        answer = worker.ask("run", variant=variant, steps=result.steps)
    except WorkerError as error:
        result.error = str(error)
        return
    result.blocks.append(answer["seconds"])
    result.compiled_late = answer["compiled"] - result.compiled_early


def peak_memory(workload: str, variant: str, python: str) -> float:
    """The peak memory in MB of a warm loop of `variant`, in its own process, minus the memory of the imports."""
    with Remote(ENVIRONMENTS[variant], python) as worker:
        worker.answer()
        before = worker.ask("memory")["resident"]
        worker.ask("open", workload=workload, variant=variant)
        worker.ask("reset_peak")
        worker.ask("run", variant=variant, steps=MEMORY_STEPS)
        return worker.ask("memory")["peak"] - before
