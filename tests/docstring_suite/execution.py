"""Runs examples: `python -m tests.docstring_suite.execution tensorflow|tfcompat EXAMPLES OUTCOMES`.

The outcome of an example is a pair: "printed" and the text, or the class of the error and its message. It runs under
TensorFlow, too, and imports nothing of the project but the library.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

_SECONDS = 30
_SEED = 1


class TimeOut(BaseException):
    """An example takes too long."""


def _end(number: int, frame: FrameType | None) -> None:
    raise TimeOut(f"signal {number} in {frame}")


def library(name: str) -> Any:
    """The module `tensorflow`, which is tfcompat if that is the `name`."""
    if name == "tfcompat":
        importlib.import_module("tfcompat._dropin.alias").install_as_tensorflow()
    return importlib.import_module("tensorflow")


def outcome(source: str, file: Path, names: dict[str, Any]) -> tuple[str, str]:
    """The printed text of the example `source`, or its error. AutoGraph reads it from `file`."""
    file.write_text(source)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            signal.alarm(_SECONDS)
            exec(compile(source, str(file), "single", dont_inherit=True), names)
    except (Exception, TimeOut) as error:
        return type(error).__name__, str(error)
    finally:
        signal.alarm(0)
    return "printed", printed.getvalue()


def outcomes(tf: Any, name: str, sources: Sequence[str]) -> list[tuple[str, str]]:
    """The outcomes of the examples of the symbol `name`, one after another."""
    tf.random.set_seed(_SEED)
    np.random.seed(_SEED)
    tf.config.run_functions_eagerly(False)
    tf.config.set_soft_device_placement(True)
    names = {"tf": tf, "np": np, "os": os, "__name__": "__main__"}
    return [outcome(source, Path(f"{name}_{place}.py").absolute(), names) for place, source in enumerate(sources)]


def main() -> None:
    """Runs the examples of one file, and writes their outcomes to another one."""
    name, source, answer = sys.argv[1:]
    signal.signal(signal.SIGALRM, _end)
    tf = library(name)
    examples = json.loads(Path(source).read_text())
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        found = {name: outcomes(tf, name, sources) for name, sources in examples.items()}
    Path(answer).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
