"""Errors of JAX's runtime as TensorFlow's error classes."""

from __future__ import annotations

from collections.abc import Sequence

from tfcompat._core.structure.node import Node
from tfcompat._core.system.error import (
    InternalError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)

_CLASSES: dict[str, type[OpError]] = {
    "RESOURCE_EXHAUSTED": ResourceExhaustedError,
    "INVALID_ARGUMENT": InvalidArgumentError,
    "UNIMPLEMENTED": UnimplementedError,
    "INTERNAL": InternalError,
}
_NO_MEMORY = "Out of memory"


def from_runtime(failed: BaseException, cause: str, path: Sequence[Node]) -> OpError:
    """The error of `tf.errors` for an error of JAX's runtime in the program of `path`, run because of `cause`."""
    text = str(failed)
    found = _CLASSES.get(text.partition(":")[0], UnknownError)
    largest = _largest(path) if found is ResourceExhaustedError else ""
    return found.of(f"a program of {len(path)} steps, run because of a {cause}: {text}{largest}")


def of_value(failed: BaseException) -> OpError:
    """The error of `tf.errors` for an error of JAX's runtime that reading a value raises.

    A program fails this way if there is not enough memory for its results.
    """
    text = str(failed)
    found = ResourceExhaustedError if _NO_MEMORY in text else _CLASSES.get(text.partition(":")[0], UnknownError)
    return found.of(f"the program that computes the value failed: {text}")


def _largest(path: Sequence[Node]) -> str:
    """A description of the largest tensor of `path` and the line that made it, for errors about memory."""
    size, aval, node = max(((aval.nbytes, aval, node) for node in path for aval in node.avals), key=lambda row: row[0])
    name = "a leaf" if node.op is None else f"the result of tf.{node.op.name}"
    return f"\nThe largest tensor is {name} at {node.line}: {aval!r}, {size:,} bytes."
