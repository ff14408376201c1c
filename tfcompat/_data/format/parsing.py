"""Serialized examples as the values of their features, in NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfcompat._data.format.column import columns
from tfcompat._data.format.example import read_one_by_one
from tfcompat._data.format.rule import Rule

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


def parse_one(data: bytes, rules: Mapping[bytes, Rule]) -> list[Any]:
    """The values of each rule for one example. Raises InvalidArgumentError for the first fault."""
    found = read_one_by_one([data], rules, None, is_batch=False)
    return [rule.single(found[key]) for key, rule in rules.items()]
