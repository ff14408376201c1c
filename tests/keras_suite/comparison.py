"""Compares the outcomes of Keras' tests here with those on TensorFlow, which were recorded."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).parent
VERSION = "3.15.1"
# The tests that do not pass here, each with a reason. The list only shrinks.
LISTED = HERE / "not_passing.txt"
RECORDED = HERE / "on_tensorflow.json.gz"
_ADDRESS = re.compile(r"at0x[0-9a-f]+")


def normalised(test: str) -> str:
    """The name of a test without spaces and the addresses of objects, which differ from run to run."""
    return _ADDRESS.sub("at0x", "".join(test.split()))


def recorded() -> list[str]:
    """The names of the tests that pass on TensorFlow."""
    with gzip.open(RECORDED) as file:
        return [normalised(test) for test in json.load(file)["passed"]]


def listed() -> dict[str, str]:
    """The tests that are known not to pass, each with the reason, which stands above a group of tests."""
    found: dict[str, str] = {}
    reason = ""
    for line in LISTED.read_text().splitlines():
        if line.startswith("#"):
            reason = line.lstrip("# ")
        elif line:
            found[line] = reason
    return found


def folder_of(test: str) -> str:
    """The folder of a test, such as `keras/src/layers`."""
    return "/".join(test.split("::")[0].split("/")[:3])


class Comparison:
    """The outcomes of files of tests beside those on TensorFlow.

    Attributes:
      expected: the tests of these files that pass on TensorFlow.
      missing: those of them that do not pass here, each with the end of its error.
      unexpected: those of `missing` that are not listed; `outdated`: the listed tests that pass.
    """

    def __init__(
        self,
        passed: Sequence[str],
        outcomes: Mapping[str, Mapping[str, Sequence[str]]],
        known: Mapping[str, str],
    ) -> None:
        """Compares the `outcomes` of tests, by file, with the tests that `passed` on TensorFlow."""
        own = {test: outcome for found in outcomes.values() for test, outcome in found.items()}
        self.expected = [test for test in passed if test.split("::")[0] in outcomes]
        self.missing = {
            test: own[test][1] if test in own else "did not run"
            for test in self.expected
            if test not in own or own[test][0] != "passed"
        }
        self.known = known
        self.unexpected = [test for test in self.missing if test not in known]
        self.outdated = [test for test in self.expected if test in known and test not in self.missing]

    def text(self) -> str:
        """The shares by folder, and the tests that the list should or should not hold."""
        total, bad = (Counter(map(folder_of, tests)) for tests in (self.expected, self.missing))
        lines = [f"{folder:<32}{total[folder] - bad[folder]:>6} of {total[folder]:>5}" for folder in sorted(total)]
        if self.expected:
            good = len(self.expected) - len(self.missing)
            lines.append(
                f"{good} of {len(self.expected)} tests that pass on TensorFlow: {good / len(self.expected):.2%}"
            )
        lines += [f"\n{test}\n{self.missing[test]}" for test in self.unexpected]
        lines += [f"passes, but is listed: {test}" for test in self.outdated]
        return "\n".join(lines)
