"""The list of cases by public name, for the `tf` under test, and the comparison with records."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

import tfcompat as tf
from tests import evaluate, oracle
from tests.agreement import difference, shown
from tests.cases import SUBJECTS
from tests.cases.dtype import PRECISE, Symbol
from tests.cases.recipe import Case, Example, recipes
from tests.evaluate import Gradient, Outcome, Refusal, Value

ORDERS = {"value": evaluate.VALUE, "gradient": evaluate.GRADIENT, "second_order": evaluate.SECOND_ORDER}

# "first": one example of each name, with only the requested orders. "fused": examples whose arithmetic XLA may fuse.
FORMS = os.environ.get("TFCOMPAT_FORMS", "all")

# The first examples of a name are always compared, and one in `EACH` of the others.
MOST, EACH = 2, 6

Comparison = Callable[[Outcome, Outcome], str | None]

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


def _param(name: str) -> Any:
    """`name` as a parameter. Kernels are public functions by other names: the thorough run has them."""
    return pytest.param(name, marks=pytest.mark.thorough if name.startswith("raw_ops.") else ())


each_name = pytest.mark.parametrize("name", [_param(name) for name in ROWS if is_present(name)])


@dataclasses.dataclass(frozen=True)
class Asked:
    """An example and what TensorFlow answered, by promise."""

    row: Case
    example: Example
    wanted: dict[str, Outcome]

    def is_bound(self, promise: str) -> bool:
        """Whether `promise` is held against the example."""
        return promise in self.wanted and promise not in self.row.exempt

    def is_fused(self) -> bool:
        """Whether the run with users' flags has it: floats of 32 or 64 bits, at most one attribute changed."""
        given = [recipe.dtype for recipe in recipes((self.example.args, self.example.attributes))]
        value = self.wanted["value"]
        found = [leaf.dtype.name for leaf in value.leaves] if isinstance(value, Value) else []
        return self.example.distance <= 1 and not {*PRECISE}.isdisjoint([*given, *found])

    def order(self) -> int:
        """How often TensorFlow differentiates it."""
        kept = [
            key for key, want in self.wanted.items() if key not in self.row.exempt and not isinstance(want, Refusal)
        ]
        return max((ORDERS[promise] for promise in kept), default=evaluate.VALUE)


@functools.lru_cache(maxsize=4)
def asked(name: str) -> list[Asked]:
    """The examples of `name` whose value TensorFlow has recorded or refused."""
    pairs = [(subject, row, example) for subject, row in ROWS[name] for example in row.examples()]
    found = [Asked(row, example, oracle.answers(subject, example)) for subject, row, example in pairs]
    return [each for each in found if each.wanted]


def accepted(name: str) -> list[Asked]:
    """The examples of `name` that TensorFlow accepts, or those of them that `FORMS` says."""
    found = [each for each in asked(name) if not isinstance(each.wanted["value"], Refusal)]
    if FORMS == "fused":
        return [each for each in found if each.is_fused()]
    return found[:1] if FORMS == "first" else found


def chosen(name: str, *, is_thorough: bool) -> list[tuple[Asked, int]]:
    """The accepted examples of `name` to compare, and how often each is differentiated at most.

    The thorough run has all. Others have one in `EACH` of the later ones, and the gradients of one in four of these.
    """
    found = accepted(name)
    if is_thorough or FORMS != "all":
        return [(each, evaluate.SECOND_ORDER) for each in found]
    some = [*found[:MOST], *found[MOST::EACH]]
    return [(each, evaluate.GRADIENT if k < MOST or k % 4 == 3 else evaluate.VALUE) for k, each in enumerate(some)]


@functools.lru_cache(maxsize=1)
def evaluated(name: str, highest: int) -> list[list[Outcome | Exception]]:
    """The results of the chosen examples, by order, up to `highest`: one program for all of them."""
    examples = chosen(name, is_thorough=highest == evaluate.SECOND_ORDER)
    return evaluate.answers(
        tf, [(min(each.order(), most, highest), each.example, each.example.arrays()) for each, most in examples]
    )


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
    """Fails with all of `failures`, unless it is empty, out of `count` examples."""
    if failures:
        shown_first = "\n".join(failures[:SHOWN]) + ("\n..." if len(failures) > SHOWN else "")
        pytest.fail(f"{len(failures)} of {count} examples:\n{shown_first}", pytrace=False)


def assert_as_recorded(name: str, promise: str, compare: Comparison = difference, *, is_thorough: bool = False) -> None:
    """The chosen examples of `name` that TensorFlow accepts keep `promise` as TensorFlow did."""
    order = ORDERS[promise]
    failures, count = [], 0
    # Values and gradients are asked for in one run of the tests, and once more with second derivatives.
    highest = evaluate.SECOND_ORDER if is_thorough else order if FORMS == "first" else evaluate.GRADIENT
    for (each, most), outcomes in zip(chosen(name, is_thorough=is_thorough), evaluated(name, highest)):
        if order > most or not each.is_bound(promise):
            continue
        count += 1
        want = each.wanted[promise]
        if isinstance(want, Gradient) and "sliced" in each.row.exempt:
            want = dataclasses.replace(want, is_sliced=None)
        got = outcomes[order] if order < len(outcomes) else evaluate.attempt(evaluate.answer, tf, order, each.example)
        failures.append(disagreement(each.example, got, want, compare))
    report([failure for failure in failures if failure], count)
