"""Prints a record as text, with its arrays decoded, so that people and `git diff` can read it.

    python -m tests.golden.text tests/golden/activation.json.gz

To see the records in `git diff`, `git log -p` and `git show`:

    git config diff.golden.textconv ".venv/bin/python -m tests.golden.text"
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sys
from collections.abc import Iterator

import numpy as np

from tests import oracle

_LONG = 10_000
# An array, or another JSON value without parts on separate lines.
Leaf = np.ndarray | list | str | int | float | bool | None


def main() -> None:
    """Prints the file named on the command line."""
    with gzip.open(sys.argv[1], "rt") as file:
        record = json.load(file)
    try:
        for line in lines(record):
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes standard output again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def lines(record: dict[str, object]) -> Iterator[str]:
    """The record as lines: each key, below it the parts of its entry, below those the rows of arrays."""
    for key, entry in record.items():
        yield key
        for path, leaf in leaves(entry):
            label = f"  {path}: " if path else "  "
            if isinstance(leaf, np.ndarray):
                yield from array_lines(label, leaf)
            else:
                yield label + _text(leaf)


def _text(leaf: object) -> str:
    """JSON; of the contents of a file, the length and a digest."""
    text = json.dumps(leaf)
    if len(text) < _LONG:
        return text
    return f"{len(text)} characters, SHA-256 {hashlib.sha256(text.encode()).hexdigest()}"


def leaves(entry: object, path: str = "") -> Iterator[tuple[str, Leaf]]:
    """The parts of an entry, each with its path in it: `value.leaves[0]`."""
    if is_array(entry):
        yield path, oracle.decoded_array(entry)
    elif isinstance(entry, dict) and entry:
        for name, part in entry.items():
            yield from leaves(part, f"{path}.{name}" if path else name)
    elif isinstance(entry, list) and any(isinstance(part, list | dict) for part in entry):
        for index, part in enumerate(entry):
            yield from leaves(part, f"{path}[{index}]")
    else:
        yield path, entry


def is_array(entry: object) -> bool:
    """Whether `entry` is an array encoded by `oracle.encoded_array`."""
    if not isinstance(entry, list) or len(entry) != 3:
        return False
    dtype, shape, content = entry
    return (
        isinstance(dtype, str) and isinstance(shape, list) and isinstance(content, list if dtype == "object" else str)
    )


def array_lines(label: str, array: np.ndarray) -> Iterator[str]:
    """The dtype and shape, and a line for each row of the last axis; an array of rank 0 is on the first line."""
    head = f"{label}{array.dtype.name} {list(array.shape)}"
    if array.ndim == 0:
        yield f"{head} {shown(array[()])}"
        return
    yield head
    for index in np.ndindex(array.shape[:-1]):
        place = f"{list(index)} " if index else ""
        yield f"    {place}{' '.join(map(shown, array[index]))}"


def shown(value: object) -> str:
    """The shortest text of a number that identifies it; bytes as Python writes them."""
    return repr(value) if isinstance(value, bytes) else str(value)


if __name__ == "__main__":
    main()
