"""With automatic conversion of dtypes, all operands have TensorFlow's common dtype, or are refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import forked, oracle
from tests.conformance.promotion import MODES, NO_RULE, pairs
from tests.conformance.table import report

# The behaviour stays once it is asked for, so it is asked for in a process of its own.
PROGRAM = """
import json
import sys
import tfcompat as tf
from tests.conformance.promotion import answers
print(json.dumps(answers(tf, json.loads(sys.argv[1]))))
"""
# One of each kind: an operator, a function, a comparison; an op of one operand, a reduction.
SAMPLE = ("+", "pow", "equal", "sqrt", "reduce_mean")


@pytest.fixture(scope="module", params=[SAMPLE, pytest.param(None, marks=pytest.mark.thorough)], ids=["sample", "all"])
def asked(request: pytest.FixtureRequest) -> tuple[Sequence[str] | None, dict[str, dict[str, str]]]:
    """The functions that are asked, None for all, and their answers."""
    root = Path(__file__).resolve().parents[2]
    ran = forked.run(["-c", PROGRAM, json.dumps(request.param)], cwd=root)
    assert ran.returncode == 0, ran.stderr
    return request.param, json.loads(ran.stdout)


@pytest.mark.parametrize("mode", MODES)
def test_operands_come_to_tensorflows_dtypes(
    mode: str, asked: tuple[Sequence[str] | None, dict[str, dict[str, str]]]
) -> None:
    sample, found = asked
    failures: list[str] = []
    count = 0
    for key, entry in oracle.load("promotion").items():
        if not key.startswith(mode):
            continue
        got = {name: answer for answer, names in found[key].items() for name in names.split()}
        wanted = {name: answer for answer, names in entry.items() for name in names.split()}
        if sample is not None:
            wanted = {name: answer for name, answer in wanted.items() if name in sample}
        count += len(wanted)
        failures += [
            f"{key}: {name}: got {got[name]}, want {want}"
            for name, want in wanted.items()
            if got[name] != want and want not in NO_RULE
        ]
    report(failures, count)


def test_every_pair_is_recorded() -> None:
    recorded = oracle.load("promotion")
    assert all(f"{mode} {left} _ {right}" in recorded for mode in MODES for left, right in pairs())
