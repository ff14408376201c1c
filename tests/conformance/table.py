"""The list of cases by public name, for the `tf` under test, and how a promise is held against it.

`tf` is tfcompat, or what the environment variable TFCOMPAT_SUBJECT names: TensorFlow itself must pass, too.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest

from tests import oracle
from tests.agreement import difference, shown
from tests.cases import SUBJECTS
from tests.cases.dtype import Symbol
from tests.cases.recipe import Case, Example
from tests.evaluate import Gradient, Outcome, Question, Refusal, answers

Comparison = Callable[[Outcome, Outcome], str | None]

tf = importlib.import_module(os.environ.get("TFCOMPAT_SUBJECT", "tfcompat"))

ROWS: dict[str, list[tuple[str, Case]]] = defaultdict(list)
for _subject, _cases in SUBJECTS.items():
    for _row in _cases:
        ROWS[_row.name].append((_subject, _row))


def is_present(name: str) -> bool:
    """Whether `tf` has the public name; test_coverage says which are missing."""
    if name.startswith("Tensor."):
        return hasattr(tf.constant(0.0), name.removeprefix("Tensor."))
    try:
        Symbol(name).resolve(tf)
    except AttributeError:
        return False
    return True


each_name = pytest.mark.parametrize("name", [name for name in ROWS if is_present(name)])


def recorded(name: str, answer: str, promise: str | None = None) -> Iterator[tuple[Example, Outcome]]:
    """The examples of `name` with TensorFlow's recorded `answer`, except those of rows free from `promise`."""
    for subject, row in ROWS[name]:
        for example in row.examples():
            answers = oracle.answers(subject, example)
            if answer in answers and (promise or answer) not in row.exempt:
                found = answers[answer]
                is_free = "sliced" in row.exempt and isinstance(found, Gradient)
                yield example, dataclasses.replace(found, is_sliced=None) if is_free else found


def accepted(name: str) -> list[Example]:
    """The examples of `name` that TensorFlow accepts."""
    return [example for example, answer in recorded(name, "value") if not isinstance(answer, Refusal)]


def disagreement(
    example: Example, got: Outcome | Exception, want: Outcome, compare: Comparison = difference
) -> str | None:
    """A paragraph on how `got` differs from `want`, or None."""
    said = f" ({str(got).strip()[:300]})" if isinstance(got, Exception) else ""
    got = Refusal(type(got).__name__) if isinstance(got, Exception) else got
    found = compare(got, want)
    if found is None:
        return None
    return f"{example!r}: {found}\n    got  {shown(got)}{said}\n    want {shown(want)}"


SHOWN = 8


def report(failures: list[str], count: int) -> None:
    """Fails with all of `failures`, if there are any among `count` examples."""
    if failures:
        shown_first = "\n".join(failures[:SHOWN]) + ("\n..." if len(failures) > SHOWN else "")
        pytest.fail(f"{len(failures)} of {count} examples:\n{shown_first}", pytrace=False)


def assert_as_recorded(name: str, promise: str, question: Question, compare: Comparison = difference) -> None:
    """Every example of `name` that TensorFlow accepts answers `question` as TensorFlow did."""
    pairs = [
        (example, want)
        for example, want in recorded(name, promise)
        if promise != "value" or not isinstance(want, Refusal)
    ]
    found = answers(tf, question, [(example, example.arrays()) for example, _ in pairs])
    failures = (disagreement(example, got, want, compare) for (example, want), got in zip(pairs, found))
    report([failure for failure in failures if failure], len(pairs))
