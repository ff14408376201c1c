"""The driver's interface to a worker process, which answers requests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def found_by(command: list[str], **environment: str) -> Any:
    """The value that a new process with these variables of the `environment` prints in its last line, as JSON.

    Raises: RuntimeError, with the end of its messages, if it fails.
    """
    variables = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **environment}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


class WorkerError(Exception):
    """Raised when a worker reports a failure of a request."""


class Remote:
    """A worker process of one environment; a context manager that ends it."""

    def __init__(self, environment: str, python: str = sys.executable) -> None:
        """Starts the worker without waiting until it is ready."""
        self.environment = environment
        self.process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", environment],
            cwd=ROOT,
            env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> Remote:
        """Waits until the worker is ready for requests, and returns it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the worker."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def answer(self) -> dict[str, Any]:
        """The worker's next answer."""
        line = self.process.stdout.readline()
        if not line:
            raise WorkerError(f"the process of {self.environment} ended with status {self.process.wait()}")
        content = json.loads(line)
        if "error" in content:
            raise WorkerError(content["error"])
        return content

    def ask(self, do: str, **details: Any) -> dict[str, Any]:
        """The answer to the request `do`."""
        try:
            self.process.stdin.write(json.dumps({"do": do, **details}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # The worker has ended; `answer` reports the reason.
        return self.answer()
