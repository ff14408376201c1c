"""Runs the list of cases under TensorFlow and writes the results next to this file.

    python -m tests.golden.record [SUBJECT ...]           records the subjects, or all of them
    python -m tests.golden.record --diff [SUBJECT ...]    writes nothing, and prints the changes to the records

Needs TensorFlow 2.21, but not tfcompat. Recording again without a change writes the same bytes on the same kind of
processor; others may round the last digits differently. The exit status is 1 if TensorFlow contradicts the list of
cases or, with --diff, contradicts the records by more than the tests tolerate.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import os
import pathlib
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

from tests import evaluate, oracle
from tests.cases import SUBJECTS
from tests.cases.recipe import Case, Example
from tests.conformance import linear_operator, operand, promotion
from tests.evaluate import Refusal
from tests.golden import difference, file_record
from tests.signature import every_object, parameters
from tests.summary import scenario

NO_KERNEL = (tf.errors.NotFoundError, tf.errors.UnimplementedError)


def main() -> None:
    """Records, or compares, the subjects named on the command line, or everything."""
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    options = arguments()
    complaints: list[str] = []
    changes: list[str] = []
    beyond = 0
    for subject in options.subjects or [*SUBJECTS, *APART]:
        start = time.perf_counter()
        record = APART[subject]() if subject in APART else record_subject(SUBJECTS[subject], complaints)
        if options.diff:
            found = comparison(subject, record)
            changes += found.lines
            beyond += found.beyond
        else:
            write(subject, record)
        print(f"{subject}: {len(record)} records in {time.perf_counter() - start:.1f} s")
    for line in (*complaints, *changes):
        print(line)
    sys.exit(bool(complaints or beyond))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.record")
    parser.add_argument("--diff", action="store_true", help="write nothing, and print the changes to the records")
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help="a file of tests/golden, without .json.gz")
    options = parser.parse_args()
    if unknown := [subject for subject in options.subjects if subject not in SUBJECTS and subject not in APART]:
        parser.error(f"no such subject: {', '.join(unknown)}; there are {', '.join([*SUBJECTS, *APART])}")
    return options


def record_subject(cases: list[Case], complaints: list[str]) -> dict[str, dict]:
    """The outcomes of every example of `cases`."""
    record = {}
    for row in cases:
        for example in row.examples():
            answers = answer(row, example, complaints)
            record[repr(example)] = {"inputs": oracle.checksum(example)} | {
                promise: oracle.encoded(outcome) for promise, outcome in answers.items()
            }
    return record


def answer(row: Case, example: Example, complaints: list[str]) -> dict[str, evaluate.Outcome]:
    """The outcomes of one example; a complaint for each that contradicts its row."""
    value = evaluate.attempt(evaluate.answer, tf, evaluate.VALUE, example)
    if example.expected == ("accepted" if isinstance(value, Exception) else "refused"):
        complaints.append(f"not {example.expected}: {example!r}: {str(value)[:150]}")
    if isinstance(value, Exception):
        is_open = example.expected == "either" and isinstance(value, NO_KERNEL)
        return {} if is_open else {"value": Refusal(public_error(value))}
    answers: dict[str, evaluate.Outcome] = {"value": value}
    for promise, applies, order in (
        ("gradient", evaluate.has_gradient, evaluate.GRADIENT),
        ("second_order", evaluate.has_second_order, evaluate.SECOND_ORDER),
    ):
        if applies(example) and promise not in row.exempt and value.leaves:
            answers[promise] = answered(order, example)
    return {promise: outcome for promise, outcome in answers.items() if is_promise(promise, outcome)}


def is_promise(promise: str, outcome: evaluate.Outcome) -> bool:
    """Whether tfcompat must agree with the outcome; not if a derivative fails because of a bug in TensorFlow.

    A missing gradient (LookupError) is binding; a missing second derivative is not.
    """
    return (
        not isinstance(outcome, Refusal)
        or promise == "value"
        or (promise, outcome.error) == ("gradient", "LookupError")
    )


def answered(order: int, example: Example) -> evaluate.Outcome:
    """The outcome, or the refusal."""
    found = evaluate.attempt(evaluate.answer, tf, order, example)
    return Refusal(public_error(found)) if isinstance(found, Exception) else found


def public_error(error: Exception) -> str:
    """The name of the nearest class of `error` that users can name."""
    for cls in type(error).__mro__:
        if getattr(tf.errors, cls.__name__, None) is cls or cls.__module__ == "builtins":
            return cls.__name__
    raise AssertionError("every exception is an Exception")


def public_signatures() -> dict[str, list[list[str]] | None]:
    """The parameters of every public callable, and None for every other public name."""
    found = every_object(tf, ("tensorflow._api", "tensorflow.experimental"), "tensorflow._api.v2.compat.v1")
    return {name: parameters(member) for name, member in sorted(found, key=lambda pair: pair[0])}


def operators() -> dict[str, dict[str, str]]:
    """The outcome of each pair of operands under Python's operators."""
    return {f"{left} _ {right}": operand.answers(tf, left, right) for left, right in operand.pairs()}


def promotions() -> dict[str, dict[str, str]]:
    """Records the dtypes to which operands are promoted; automatic promotion stays on in this process."""
    return promotion.answers(tf)


def linear_operators() -> dict[str, dict]:
    """The outcomes of each linear operator."""
    return {name: linear_operator.answers(tf, name) for name in linear_operator.OPERATORS}


def summaries() -> dict[str, dict]:
    """The events and errors of each call of `tf.summary`."""
    return {name: scenario.answers(tf, name) for name in scenario.CALLS}


# Records that do not come from the list of cases.
APART = {
    "signatures": public_signatures,
    "operand": operators,
    "linear_operator": linear_operators,
    "promotion": promotions,
    "file": file_record.record,
    "summary": summaries,
}


def comparison(name: str, record: dict) -> difference.Comparison:
    """The differences between `record` and the file."""
    written = oracle.load(name) if path_of(name).exists() else {}
    return difference.compare(name, written, json.loads(json.dumps(record)))


def path_of(name: str) -> pathlib.Path:
    """The file of the record called `name`."""
    return oracle.GOLDEN / f"{name}.json.gz"


def write(name: str, record: dict) -> None:
    """Writes a record, one line per entry, compressed without a time stamp; leaves an equal file alone."""
    path = path_of(name)
    lines = (f"{json.dumps(key)}:{json.dumps(entry, separators=(',', ':'))}" for key, entry in record.items())
    text = ("{" + ",\n".join(lines) + "}\n").encode()
    if path.exists() and gzip.decompress(path.read_bytes()) == text:
        return
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write(text)


if __name__ == "__main__":
    main()
