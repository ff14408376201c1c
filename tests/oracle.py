"""TensorFlow's results: the records in tests/golden, written by tests/golden/record.py."""

from __future__ import annotations

import base64
import functools
import gzip
import json
import pathlib
import zlib

import numpy as np

from tests.cases.dtype import numpy_dtype
from tests.cases.recipe import Example
from tests.evaluate import Gradient, Outcome, Refusal, Value

GOLDEN = pathlib.Path(__file__).parent / "golden"


def answers(subject: str, example: Example) -> dict[str, Outcome]:
    """The outcomes recorded for an example of the file `subject`, by promise; empty where TensorFlow has no kernel."""
    found = load(subject).get(repr(example))
    assert found is not None, f"{example!r} has no record: run python -m tests.golden.record under TensorFlow"
    assert found["inputs"] == checksum(example), f"{example!r}: the inputs differ from those that TensorFlow saw"
    return {promise: decoded(entry) for promise, entry in found.items() if promise != "inputs"}


def signatures() -> dict[str, list[list[str]] | None]:
    """Every public name of TensorFlow; a callable with its parameters: name, kind, and optional default."""
    return load("signatures")


@functools.cache
def load(name: str) -> dict[str, dict]:
    """The record called `name`."""
    with gzip.open(GOLDEN / f"{name}.json.gz", "rt") as file:
        return json.load(file)


def checksum(example: Example) -> int:
    """A number that changes with the input arrays."""
    total = 0
    for array in example.arrays():
        total = zlib.crc32(repr(array.tolist()).encode() if array.dtype == object else array.tobytes(), total)
    return total


def encoded(outcome: Outcome) -> object:
    """The outcome as JSON."""
    if isinstance(outcome, Refusal):
        return {"error": outcome.error}
    if isinstance(outcome, Value):
        return {"structure": outcome.structure, "leaves": [encoded_array(leaf) for leaf in outcome.leaves]}
    entries = [None if entry is None else encoded_array(entry) for entry in outcome.entries]
    return {"entries": entries, "sliced": [int(mark) for mark in outcome.is_sliced]}


def decoded(entry: dict) -> Outcome:
    """The outcome that `encoded` gave as `entry`."""
    if "error" in entry:
        return Refusal(entry["error"])
    if "structure" in entry:
        return Value(entry["structure"], tuple(decoded_array(leaf) for leaf in entry["leaves"]))
    entries = (None if leaf is None else decoded_array(leaf) for leaf in entry["entries"])
    return Gradient(tuple(entries), tuple(map(bool, entry["sliced"])))


def encoded_array(array: np.ndarray) -> list:
    """dtype, shape and bytes, of strings a list of them."""
    if array.dtype == object:
        return [array.dtype.name, list(array.shape), [base64.b64encode(text).decode() for text in array.flat]]
    return [array.dtype.name, list(array.shape), base64.b64encode(array.tobytes()).decode()]


def decoded_array(entry: list) -> np.ndarray:
    """The array of `encoded_array`."""
    dtype, shape, content = entry
    if dtype == "object":
        array = np.empty(len(content), object)
        array[:] = [base64.b64decode(text) for text in content]
        return array.reshape(shape)
    return np.frombuffer(base64.b64decode(content), numpy_dtype(dtype)).reshape(shape)
