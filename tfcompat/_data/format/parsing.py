"""Serialized examples as the values of their features, in NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfcompat._data.format.column import columns
from tfcompat._data.format.example import read_one_by_one
from tfcompat._data.format.rule import Column, Dense, Rule

# Fewer examples are faster one by one.
_FEWEST = 24


def parse_batch(rows: Sequence[bytes], rules: Mapping[bytes, Rule], names: Sequence[str] | None = None) -> list[Any]:
    """The values of each rule for all examples of `rows`. `names` are those of the examples in errors.

    Raises: InvalidArgumentError for the first fault.
    """
    found = columns(rows, rules) if len(rows) >= _FEWEST else None
    if found is None or not all(rule.accepts(found[key]) for key, rule in rules.items()):
        found = read_one_by_one(rows, rules, names, is_batch=True)
    return [rule.batch(found[key]) for key, rule in rules.items()]


def parse_each(rows: Sequence[bytes], rules: Mapping[bytes, Rule]) -> list[Any]:
    """The values of each rule for each of `rows` by itself: an array with a row for each, or a list of values.

    Raises: InvalidArgumentError for the first fault.
    """
    found = columns(rows, rules) if len(rows) >= _FEWEST else None
    if found is None or not all(rule.accepts(found[key]) for key, rule in rules.items()):
        found = read_one_by_one(rows, rules, None, is_batch=True)
    return [
        rule.batch(found[key]) if isinstance(rule, Dense) else _each(rule, found[key]) for key, rule in rules.items()
    ]


def _each(rule: Rule, column: Column) -> list[Any]:
    """The values of `rule` for each example of a column."""
    ends = column.lengths.cumsum().tolist()
    starts = [0, *ends[:-1]]
    return [
        rule.single(Column(column.values[start:end], column.lengths[row : row + 1], column.present[row : row + 1]))
        for row, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def parse_one(data: bytes, rules: Mapping[bytes, Rule]) -> list[Any]:
    """The values of each rule for one example. Raises InvalidArgumentError for the first fault."""
    found = read_one_by_one([data], rules, None, is_batch=False)
    return [rule.single(found[key]) for key, rule in rules.items()]
