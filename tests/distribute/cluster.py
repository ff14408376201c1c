"""Starts the processes of a cluster on this machine, and waits for them with a time limit.

A process runs `python -m tests.distribute.two_processes NAME`, with TF_CONFIG.

`TFCOMPAT_SUBJECT=tensorflow .venv-tensorflow/bin/python -m tests.distribute.cluster` records the results of TensorFlow.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.forked import Forked

ROOT = Path(__file__).resolve().parents[2]
# Seconds. Processes that wait for each other never end.
LIMIT = 240


class Ended(NamedTuple):
    """How a process ended."""

    status: int
    output: str
    errors: str

    @property
    def results(self) -> Any:
        """The results that it has printed."""
        assert self.status == 0, self.output[-3000:] + self.errors[-6000:]
        # Gloo prints a line for each set of simulated devices in a process.
        return json.loads(next(line for line in self.output.splitlines() if line.startswith("{")))


@contextlib.contextmanager
def addresses(count: int) -> Iterator[list[str]]:
    """Addresses of this machine with free ports, which the system gives to no other program meanwhile."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            # Servers that set one of these options may listen at a port that is only held.
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if hasattr(socket, "SO_REUSEPORT"):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            each.bind(("127.0.0.1", 0))
        yield [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]


def run(
    *names: str,
    count: int = 2,
    limit: float = LIMIT,
    wait_for: int | None = None,
    module: str = "tests.distribute.two_processes",
    **environment: str,
) -> list[Ended]:
    """The ends of `count` processes that run `names` of `module`, the first `wait_for` of which are waited for.

    The others are killed then, and all if the waiting exceeds the limit, which is an error.
    """
    with addresses(count) as places:
        processes: list[Forked] = []
        for index in range(count):
            config = {"cluster": {"worker": places}, "task": {"type": "worker", "index": index}}
            processes.append(
                Forked(
                    ["-m", module, *names],
                    cwd=ROOT,
                    environment={**os.environ, "JAX_PLATFORMS": "cpu", "TF_CONFIG": json.dumps(config), **environment},
                )
            )
        return _ends(processes, limit, wait_for)


def _ends(processes: Sequence[Forked], limit: float, wait_for: int | None) -> list[Ended]:
    try:
        end = time.monotonic() + limit
        outputs = [process.communicate(end - time.monotonic()) for process in processes[:wait_for]]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    outputs += [process.communicate() for process in processes[len(outputs) :]]
    return [Ended(process.wait(), *output) for process, output in zip(processes, outputs, strict=True)]


# The programs whose results are those of TensorFlow, and where they are recorded.
RECORDED = ("facts", "collectives", "errors", "variables", "gradients", "drawn", "datasets", "checkpoints", "training")
RECORD = Path(__file__).with_name("two_processes.json")


def recorded_programs(folder: Path) -> list[Any]:
    """The results of the programs `RECORDED` in two processes, by name. Files are made in `folder`."""
    for k in range(4):
        (folder / f"{k}.txt").write_text("".join(f"{k}{line}\n" for line in range(3)))
    return [ended.results for ended in run(*RECORDED, TFCOMPAT_TEST_FOLDER=str(folder))]


def close(value: Any) -> Any:
    """`value`, whose numbers equal others up to rounding."""
    if isinstance(value, dict):
        return {key: close(part) for key, part in value.items()}
    if isinstance(value, list):
        return [close(part) for part in value]
    return pytest.approx(value, rel=1e-5, abs=1e-6) if isinstance(value, float) else value


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        RECORD.write_text(json.dumps(recorded_programs(Path(made))) + "\n")
