"""An op gives the same alone as among all that is pending in one program."""

from __future__ import annotations

from tests.conformance.table import accepted, disagreement, each_name, evaluated, report, tf
from tests.evaluate import VALUE, answer, attempt


@each_name
def test_same_alone_and_inside_a_long_trace(name: str) -> None:
    examples = [each.example for each in accepted(name)][:1]
    pairs = [
        (example, attempt(answer, tf, VALUE, example), outcomes[VALUE])
        for example, outcomes in zip(examples, evaluated(name))
    ]
    found = (disagreement(example, got, want) for example, got, want in pairs)
    report([failure for failure in found if failure], len(pairs))
