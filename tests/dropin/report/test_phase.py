"""The activity of a program, from the files of its frames."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import jax
import pytest

import tfcompat
from tfcompat._dropin.report.phase import phase_of

OURS = Path(tfcompat.__file__).parent
JAX = Path(jax.__file__).parent
INSTALLED = sysconfig.get_paths()["purelib"]
PROGRAM = ("/home/user/train.py", "step")


@pytest.mark.parametrize(
    ("calls", "phase"),
    [
        ([], "Python"),
        ([(f"{INSTALLED}/keras/src/layer.py", "call")], "Python"),
        ([(f"{INSTALLED}/keras/src/layer.py", "call"), (f"{OURS}/_function/running/body.py", "trace")], "Python"),
        ([("<frozen importlib._bootstrap>", "_find_and_load"), (f"{OURS}/_dropin/absence.py", "f")], "importing"),
        ([(f"{OURS}/_core/operation/op.py", "record")], "recording"),
        ([(f"{JAX}/_src/pjit.py", "lower"), (f"{OURS}/_core/programs/program.py", "_started")], "compiling"),
        (
            [
                (f"{OURS}/_core/structure/interruption.py", "store_results"),
                (f"{OURS}/_core/tracing/flush.py", "__call__"),
            ],
            "running",
        ),
        ([(f"{JAX}/_src/array.py", "_value"), (f"{OURS}/_core/structure/tensor.py", "numpy")], "running"),
        ([(f"{JAX}/_src/pjit.py", "lower"), (f"{OURS}/_data/functional/mapping.py", "next")], "waiting for input"),
        ([("/home/user/reader.py", "read"), (f"{OURS}/_data/nodes/generator.py", "next")], "waiting for input"),
    ],
)
def test_phase_of_calls(calls, phase):
    assert phase_of([*calls, PROGRAM]) == phase
