"""TensorFlow in a separate process, which runs the same programs.

As a module (`python -m tests.fuzz.oracle`, by an interpreter that has TensorFlow) it answers pickled programs from its
input with pickled outcomes.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

from tests.fuzz.machine import outcome
from tests.fuzz.program import Program

ROOT = Path(__file__).parents[2]


def interpreter() -> Path | None:
    """The Python that has TensorFlow: the one named in TENSORFLOW_PYTHON, or that of `make fuzz`."""
    named = os.environ.get("TENSORFLOW_PYTHON")
    python = Path(named) if named else ROOT / ".venv-tensorflow" / "bin" / "python"
    return python if python.exists() else None


class Oracle:
    """The process."""

    def __init__(self, python: Path) -> None:
        self._process = subprocess.Popen(
            [python, "-m", "tests.fuzz.oracle"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""},
        )

    def outcome(self, program: Program) -> dict[str, Any]:
        """The results of `program` under TensorFlow."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump(program, self._process.stdin)
        self._process.stdin.flush()
        return pickle.load(self._process.stdout)

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate(timeout=30)


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Runs programs until the end of the input."""
    import tensorflow as tf

    while True:
        try:
            program = pickle.load(source)
        except EOFError:
            return
        pickle.dump(outcome(tf, program), sink)
        sink.flush()


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "wb")
    # TensorFlow's output must not mix with the outcomes.
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers)
