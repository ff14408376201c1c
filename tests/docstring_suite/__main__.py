"""Runs the examples in TensorFlow's docstrings on TensorFlow and on tfcompat, and compares the printed texts.

    python -m tests.docstring_suite --tensorflow PYTHON [--only tf.data] [--limit 1800]

`--tensorflow` is a Python that has TensorFlow, whose docstrings are read when it runs. Numbers may differ in their last
digits. The exit status is 1 if an example differs that `difference.py` does not list, or if a listed one agrees.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.docstring_suite.difference import difference, reason_of

ROOT = Path(__file__).parents[2]
_SHOWN = 400


def arguments() -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(prog="tests.docstring_suite", description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", metavar="PYTHON", required=True, help="a Python that has TensorFlow")
    parser.add_argument("--only", default="", help="a part of the names of the symbols")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds for each of the two runs")
    return parser.parse_args()


def outcomes(python: str, library: str, source: Path, limit: float) -> dict[str, list[list[str]]]:
    """The outcomes of the examples in the file `source` with `library`, under the interpreter `python`."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "outcomes.json"
        command = [python, "-m", "tests.docstring_suite.execution", library, str(source), str(answer)]
        subprocess.run(command, cwd=ROOT, timeout=limit, check=True, capture_output=True)
        return json.loads(answer.read_text())


def collected(python: str, only: str, target: Path) -> dict[str, list[str]]:
    """The examples by symbol, which are written to `target`, too."""
    command = [python, "-m", "tests.docstring_suite.collection", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    found = {name: sources for name, sources in json.loads(target.read_text()).items() if only in name}
    target.write_text(json.dumps(found))
    return found


def report(examples: dict[str, list[str]], expected: dict[str, Any], got: dict[str, Any]) -> int:
    """Prints the examples that differ; returns the number of symbols whose examples differ, or agree, unexpectedly."""
    unexpected = count = agreeing = 0
    for name, sources in examples.items():
        pairs = list(zip(sources, expected[name], got[name], strict=True))
        found = [(source, one, other) for source, one, other in pairs if difference(one, other)]
        count += len(pairs)
        agreeing += len(pairs) - len(found)
        reason = reason_of(name, [source for source, _, _ in found] or sources)
        if bool(found) == (reason is not None):
            continue
        unexpected += 1
        if not found:
            print(f"{name}: agrees, but is listed: {reason}\n")
        for source, one, other in found:
            print(f"{name}\n  {source.strip()}")
            print(f"  TensorFlow: {' '.join(one)[:_SHOWN]}\n  tfcompat: {' '.join(other)[:_SHOWN]}\n")
    print(f"{agreeing} of {count} examples agree; {unexpected} of {len(examples)} symbols are unexpected")
    return unexpected


def main() -> int:
    """Runs both, and prints the comparison."""
    asked = arguments()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "examples.json"
        examples = collected(asked.tensorflow, asked.only, source)
        expected = outcomes(asked.tensorflow, "tensorflow", source, asked.limit)
        got = outcomes(sys.executable, "tfcompat", source, asked.limit)
    return int(report(examples, expected, got) > 0)


if __name__ == "__main__":
    sys.exit(main())
