"""Gradients of a tape as Python values, for comparison with literals in tests."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.autodiff.subject import forget_warnings, tf

DIGITS = 5


def values(answer: Any) -> Any:
    """A gradient, or a structure of gradients, as Python values: floats to five digits, slices as a dictionary."""
    if answer is None:
        return None
    if isinstance(answer, tf.IndexedSlices):
        return {
            "values": values(answer.values),
            "indices": values(answer.indices),
            "dense_shape": values(answer.dense_shape),
        }
    if isinstance(answer, dict):
        return {key: values(part) for key, part in answer.items()}
    if isinstance(answer, tuple) and hasattr(answer, "_fields"):
        return type(answer)(*map(values, answer))
    if isinstance(answer, (list, tuple)):
        return type(answer)(map(values, answer))
    return rounded(np.asarray(answer).tolist())


def rounded(number: Any) -> Any:
    """The number, or nested list of them, with floats to five significant digits."""
    if isinstance(number, list):
        return [rounded(element) for element in number]
    if isinstance(number, complex):
        return complex(rounded(number.real), rounded(number.imag))
    return float(f"{number:.{DIGITS}g}") if isinstance(number, float) else number


@contextlib.contextmanager
def warnings_of_tensorflow() -> Iterator[list[str]]:
    """Yields a list that collects the messages to TensorFlow's logger, as if nothing had been logged before."""
    forget_warnings()
    found: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: found.append(record.getMessage())
    logger = logging.getLogger("tensorflow")
    logger.addHandler(handler)
    try:
        yield found
    finally:
        logger.removeHandler(handler)
