"""Calls that TensorFlow refuses are refused, with an exception that the same `except` catches."""

from __future__ import annotations

import builtins

from tests import evaluate
from tests.conformance.table import asked, each_name, report, tf
from tests.evaluate import Refusal


@each_name
def test_refuses_what_tensorflow_refuses(name: str) -> None:
    failures, count = [], 0
    for each in asked(name):
        example, want = each.example, each.wanted["value"]
        if not isinstance(want, Refusal):
            continue
        count += 1
        expected = getattr(tf.errors, want.error, None) or getattr(builtins, want.error)
        try:
            got = f"the value {evaluate.answer(tf, evaluate.VALUE, example).leaves}"
        except expected:
            continue
        except Exception as error:
            got = f"{type(error).__name__}: {str(error).strip()[:300]}"
        failures.append(f"{example!r}:\n    got  {got}\n    want {want.error}")
    report(failures, count)
