"""Reads datasets for the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfcompat as tf


def listed(dataset: Any) -> list[Any]:
    """The elements as NumPy gives them, arrays as lists."""
    return [plain(element) for element in dataset.as_numpy_iterator()]


def plain(element: Any) -> Any:
    """An element with lists and Python's numbers in place of arrays."""
    if isinstance(element, tuple):
        return tuple(map(plain, element))
    if isinstance(element, dict):
        return {key: plain(value) for key, value in element.items()}
    if isinstance(element, tf.RaggedTensor):
        return element.to_list()
    if isinstance(element, tf.Tensor):
        element = element.numpy()
    if isinstance(element, np.ndarray):
        return [plain(each) for each in element]
    return element.item() if isinstance(element, np.generic) else element


def outcomes(dataset: Any, count: int) -> list[Any]:
    """The results of `count` calls of `next`: an element, the name of the class of an error, or `"end"`."""
    iterator = iter(dataset)
    found: list[Any] = []
    for _ in range(count):
        try:
            found.append(plain(next(iterator)))
        except StopIteration:
            found.append("end")
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
    return found


def generated(values: list[Any], spec: Any) -> Any:
    """The dataset of a generator that yields `values`."""
    return tf.data.Dataset.from_generator(lambda: iter(values), output_signature=spec)


def count_of(dataset: Any) -> int:
    """The cardinality as a Python number."""
    return int(dataset.cardinality())


def refuses(call: Callable[[], Any], error: Any, message: str) -> None:
    """Asserts that `call` raises `error` with a text that matches `message`."""
    with pytest.raises(error, match=message):
        call()
