"""Python's operators between tensors and other values have TensorFlow's dtypes and refusals."""

from __future__ import annotations

import itertools

import pytest

from tests import oracle
from tests.conformance.operand import DTYPES, NO_RULE, OPERATORS, answer, operand, pairs
from tests.conformance.table import report, tf

BY_LEFT = {left: list(group) for left, group in itertools.groupby(pairs(), key=lambda pair: pair[0])}


@pytest.mark.parametrize("left", BY_LEFT)
def test_operators_have_tensorflows_dtypes_and_refusals(left: str) -> None:
    failures: list[str] = []
    for _, right in BY_LEFT[left]:
        recorded = oracle.load("operand")[f"{left} _ {right}"]
        wanted = {sign: want for want, signs in recorded.items() for sign in signs.split()}
        operands = operand(tf, left), operand(tf, right)
        for sign in OPERATORS:
            got, want = answer(tf, sign, *operands), wanted[sign]
            if got != want and not (want in NO_RULE and got.endswith("Error")):
                failures.append(f"{left} {sign} {right}: got {got}, want {want}")
    report(failures, len(BY_LEFT[left]) * len(OPERATORS))


def test_operands_cover_both_sides() -> None:
    spelled = set(pairs())
    assert all((right, left) in spelled for left, right in spelled)
    assert {left for left, _ in spelled} > set(DTYPES)
