"""Splits of ragged tensors that have to be equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._ops.debugging.value_assertion import assert_equal

_MESSAGE = "Inputs must have identical ragged splits"


def assert_splits_match(nested_splits_lists: Sequence[Sequence[Any]]) -> list[Any]:
    """The checks that all lists of `nested_splits_lists` have the same splits.

    Raises: ValueError for lists of different lengths; InvalidArgumentError for different splits.
    Source: TF 2.21, `assert_splits_match` of `tensorflow.python.ops.ragged.ragged_util`.
    """
    first = nested_splits_lists[0]
    if any(len(splits) != len(first) for splits in nested_splits_lists):
        raise ValueError(_MESSAGE)
    pairs = [pair for splits in nested_splits_lists[1:] for pair in zip(first, splits, strict=True)]
    return [assert_equal(x, y, message=_MESSAGE) for x, y in pairs]
