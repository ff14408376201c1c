"""The text and the JSON object of a comparison."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tfcompat._dropin.comparison.alignment import OURS, THEIRS, Alignment, Difference, Line, Place
from tfcompat._dropin.comparison.runs import Ended

NAMES = ("TensorFlow", "tfcompat")
# Lines without counterparts, and variables that differ, that are shown.
_MOST_UNPAIRED = 10
# A difference that was at least this share of the tolerance one step before grew gradually.
_GRADUAL = 0.05


class Outcome(NamedTuple):
    """A comparison that has ended.

    Attributes:
      alignment: the results by line; `ends`: the ends of both runs; `relative`: the tolerance.
    """

    alignment: Alignment
    ends: tuple[Ended, Ended]
    relative: float

    def compared(self) -> int:
        """The number of pairs of records."""
        return sum(line.compared for line in self.alignment.lines.values())

    def problems(self) -> list[str]:
        """The reasons why the runs do not agree; empty if they do."""
        found: list[str] = []
        differences = self.alignment.differences()
        if differences:
            found.append(f"they differ first at {where(differences[0])}")
        for run, end in enumerate(self.ends):
            if end.stopped:
                found.append(f"{NAMES[run]} was stopped {end.stopped}")
        if not any(end.stopped for end in self.ends) and self._statuses()[THEIRS] != self._statuses()[OURS]:
            found.append("they ended in different ways")
        if not self.compared() and not found:
            found.append("nothing was compared: the script prints nothing, and computes no gradient")
        if not found and any(place.kind != "print" for place, _ in self.unpaired()):
            found.append("one run computed more gradients, or called more functions, than the other")
        return found

    def unpaired(self) -> list[tuple[Place, Line]]:
        """The places with another number of records in each run."""
        return [item for item in self.alignment.lines.items() if item[1].seen[THEIRS] != item[1].seen[OURS]]

    def _statuses(self) -> list[tuple[int, str]]:
        ends = [record or {} for record in self.alignment.ends]
        return [(end.status, record.get("error", "")) for end, record in zip(self.ends, ends, strict=True)]

    def seconds_per_step(self) -> tuple[Place, float, float] | None:
        """The line with most gradients or calls of functions, and the seconds from one to the next in each run."""
        steps = {
            place: line
            for place, line in self.alignment.lines.items()
            if place.kind in ("gradient", "function") and min(line.seen) > 2
        }
        if not steps:
            return None
        place, line = max(steps.items(), key=lambda item: min(item[1].seen))
        theirs, ours = (_interval(seconds) for seconds in line.seconds)
        return place, theirs, ours


def _interval(seconds: list[float]) -> float:
    """The median interval in the second half of a run, without the first steps, which compile."""
    later = seconds[len(seconds) // 2 - 1 :]
    return statistics.median(b - a for a, b in itertools.pairwise(later))


def where(difference: Difference) -> str:
    """The place of a difference in words."""
    if difference.place.line == "end":
        return f"the end of the program, {difference.place.kind}"
    return f"{difference.place.line}, step {difference.step} ({difference.place.kind})"


def progress(difference: Difference) -> str:
    """The line that is printed when a difference is found."""
    return f"differs: {where(difference)}: {difference.reason}"


def as_text(outcome: Outcome) -> str:
    """The summary of a comparison."""
    problems = outcome.problems()
    verdict = "; ".join(problems) if problems else f"they agree within {outcome.relative:g}"
    return "\n".join(
        (
            "",
            *_table(outcome.alignment),
            *_unpaired(outcome),
            *_ends(outcome),
            *_speed(outcome),
            f"result: {verdict}",
            *_advice(outcome),
        )
    )


def _table(alignment: Alignment) -> Iterator[str]:
    rows = [(place.line, place.kind, line) for place, line in alignment.lines.items() if line.compared]
    plain = [(name, kind, line) for name, kind, line in rows if name != "end"]
    variables = [line for name, _, line in rows if name == "end"]
    width = max([len(name) for name, _, _ in plain] + [16])
    yield f"{'line':{width}}  {'records':14}  compared  differ  first at step  largest relative difference"
    for name, kind, line in plain:
        step = line.first.step if line.first else "-"
        yield f"{name:{width}}  {kind:14}  {line.compared:8}  {line.differing:6}  {step:>13}  {line.largest:.1e}"
        if line.first:
            yield f"  {line.first.reason}"
    if variables:
        differing = sum(line.differing for line in variables)
        largest = max(line.largest for line in variables)
        yield f"{'at the end':{width}}  {'variables':14}  {len(variables):8}  {differing:6}  {'-':>13}  {largest:.1e}"
    first = [line.first for line in variables if line.first]
    for difference in first[:_MOST_UNPAIRED]:
        yield f"  {difference.place.kind}: {difference.reason}"


def _unpaired(outcome: Outcome) -> Iterator[str]:
    unpaired = outcome.unpaired()
    for place, line in unpaired[:_MOST_UNPAIRED]:
        yield (
            f"not in both runs: {place.line} ({place.kind}): {line.seen[THEIRS]} times under TensorFlow, "
            f"{line.seen[OURS]} times here"
        )
    if len(unpaired) > _MOST_UNPAIRED:
        yield f"and {len(unpaired) - _MOST_UNPAIRED} more lines"


def _ends(outcome: Outcome) -> Iterator[str]:
    for run, (end, record) in enumerate(zip(outcome.ends, outcome.alignment.ends, strict=True)):
        how = f"was stopped {end.stopped}" if end.stopped else f"ended with status {end.status}"
        error = f": {record['error']}: {record.get('message', '')}" if record and record.get("error") else ""
        yield f"{NAMES[run]} {how} after {end.seconds:.1f} s{error.splitlines()[0] if error else ''}"
        if end.status and not end.stopped and not error:
            yield from (f"  {line}" for line in end.complaint.strip().splitlines()[-5:])


def _speed(outcome: Outcome) -> Iterator[str]:
    found = outcome.seconds_per_step()
    if found is None:
        return
    place, theirs, ours = found
    ratio = f", {theirs / ours:.1f} times as fast" if ours > 0 else ""
    yield f"seconds a step ({place.line}): {theirs:.2g} under TensorFlow, {ours:.2g} here{ratio}"


def _advice(outcome: Outcome) -> Iterator[str]:
    """A sentence on the probable cause of the first difference."""
    for difference in outcome.alignment.differences()[:1]:
        if np.isnan(difference.distance):
            yield "advice: values of another kind, shape or dtype, or other words: look at this line first"
        elif difference.step == 1 or np.isnan(difference.before):
            yield (
                "advice: the first values at this line differ already: random numbers that neither the script nor "
                "--seed determines, other data, or an op that differs (`python -m tfcompat check`)"
            )
        elif difference.before > _GRADUAL * outcome.relative:
            yield (
                f"advice: one step before, the difference was {difference.before:.1e}: rounding that the training "
                "amplifies; compare fewer steps, or set a larger --rtol"
            )
        else:
            yield (
                f"advice: one step before, the difference was {difference.before:.1e}: look at the ops that this step "
                "is the first to run, and at its input"
            )


def as_json(outcome: Outcome) -> dict[str, Any]:
    """The comparison as an object."""
    speed = outcome.seconds_per_step()
    return {
        "agree": not outcome.problems(),
        "problems": outcome.problems(),
        "lines": [
            {
                "line": place.line,
                "records": place.kind,
                "under_tensorflow": line.seen[THEIRS],
                "under_tfcompat": line.seen[OURS],
                "compared": line.compared,
                "differing": line.differing,
                "first_step": line.first.step if line.first else None,
                "reason": line.first.reason if line.first else None,
                "largest_relative_difference": line.largest,
            }
            for place, line in outcome.alignment.lines.items()
        ],
        "runs": {
            name: {"status": end.status, "stopped": end.stopped or None, "seconds": end.seconds}
            for name, end in zip(("tensorflow", "tfcompat"), outcome.ends, strict=True)
        },
        "seconds_per_step": None
        if speed is None
        else {"line": speed[0].line, "tensorflow": speed[1], "tfcompat": speed[2]},
    }
