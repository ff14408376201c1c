"""Serialized examples, read one after the other, with TensorFlow's errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._data.format.rule import Column, Dense, Padded, Rule
from tfcompat._data.format.value_list import Kind, kind_of, values
from tfcompat._data.format.wire import MalformedError, expect, limit, size, skip, span

# Tags: fields 1 and 2 as bytes.
_FIRST, _SECOND = 0x0A, 0x12


class Entry(NamedTuple):
    """A feature of an example: its key, and where its message begins and ends."""

    key: bytes
    start: int
    end: int


class _Reader:
    """Reads the features of one example. Subclasses have the words of the errors."""

    def __init__(self, rules: Mapping[bytes, Rule], required: Sequence[Dense]) -> None:
        self._rules = rules
        self._required = required

    def read(self, data: bytes, name: str, index: int) -> dict[bytes, Any]:
        """The values by key. Raises InvalidArgumentError for the first fault."""
        found: dict[bytes, Any] = {}
        # The last entry of a key is the one that counts.
        for key, start, end in reversed(_entries(data)):
            rule = self._rules.get(key)
            if rule is None:
                continue
            kind = kind_of(data, start, end)
            if kind is None:
                raise found_early("Unsupported datatype.")
            if kind is Kind.NONE and not self._counts_empty(rule):
                continue
            if key not in found:
                found[key] = [] if kind is Kind.NONE else self._values(data[start + 1 : end], kind, rule, name, index)
        for rule in self._required:
            if rule.key.encode() not in found:
                raise found_early(
                    f"{self._owner(name)}Feature: {rule.key} (data type: {rule.kind.type_name}) is required but could "
                    "not be found."
                )
        return found

    def _values(self, data: bytes, kind: Kind, rule: Rule, name: str, index: int) -> Any:
        """The values of the list in `data`, which begins with its length."""
        if kind is not rule.kind:
            between = f"Data type: {kind.type_name} but expected type: {rule.kind.type_name}"
            if not isinstance(rule, Dense | Padded):
                between = f"Expected type: {rule.kind.type_name}, Actual type: {kind.type_name}"
            raise found_early(f"{self._place(rule, name, index)}.  Data types don't match. {between}")
        count = rule.total if isinstance(rule, Dense) else None
        try:
            found, declared = values(data, 0, len(data), kind, count)
        except MalformedError:
            raise self._broken(rule, self._place(rule, name, index)) from None
        if isinstance(rule, Dense):
            if declared != count:
                raise self._wrong_count(rule, declared, self._place(rule, name, index))
        elif isinstance(rule, Padded) and declared and (not rule.total or declared % rule.total):
            raise self._no_blocks(rule, declared, self._place(rule, name, index))
        return found

    def _counts_empty(self, rule: Rule) -> bool:
        raise NotImplementedError

    def _owner(self, name: str) -> str:
        raise NotImplementedError

    def _place(self, rule: Rule, name: str, index: int) -> str:
        raise NotImplementedError

    def _broken(self, rule: Rule, place: str) -> InvalidArgumentError:
        raise NotImplementedError

    def _wrong_count(self, rule: Dense, found: int, place: str) -> InvalidArgumentError:
        raise NotImplementedError

    def _no_blocks(self, rule: Padded, found: int, place: str) -> InvalidArgumentError:
        raise NotImplementedError


class _OfBatch(_Reader):
    def _counts_empty(self, rule: Rule) -> bool:
        return not isinstance(rule, Dense | Padded)

    def _owner(self, name: str) -> str:
        return f"Name: {name}, "

    def _place(self, rule: Rule, name: str, index: int) -> str:
        return f"Name: {name}, Key: {rule.key}, Index: {index}"

    def _broken(self, rule: Rule, place: str) -> InvalidArgumentError:
        del rule
        return found_early(f"{place}.  Can't parse serialized Example.")

    def _wrong_count(self, rule: Dense, found: int, place: str) -> InvalidArgumentError:
        if rule.kind is Kind.BYTES and found > rule.total:
            return self._broken(rule, place)
        return found_early(
            f"{place}.  Number of {rule.kind.noun} values != expected.  Values size: {found} but output shape: "
            f"[{','.join(map(str, rule.shape))}]"
        )

    def _no_blocks(self, rule: Padded, found: int, place: str) -> InvalidArgumentError:
        return found_early(
            f"{place}.  Number of {rule.kind.noun} values is not a multiple of stride length. Saw {found} values but "
            f"output shape is: [{','.join(['?', *map(str, rule.shape)])}]"
        )


class _OfOne(_Reader):
    def _counts_empty(self, rule: Rule) -> bool:
        del rule
        return False

    def _owner(self, name: str) -> str:
        del name
        return ""

    def _place(self, rule: Rule, name: str, index: int) -> str:
        del name, index
        return f"Key: {rule.key}"

    def _broken(self, rule: Rule, place: str) -> InvalidArgumentError:
        counts_first = rule.kind is Kind.BYTES and not isinstance(rule, Dense)
        fault = "Could not get num elements in bytes_list" if counts_first else f"Parsing {rule.kind.noun}_list failed"
        return found_early(f"{place}.  Can't parse serialized Example: {fault}.")

    def _wrong_count(self, rule: Dense, found: int, place: str) -> InvalidArgumentError:
        if rule.kind is Kind.BYTES and found > rule.total:
            return self._broken(rule, place)
        return found_early(
            f"{place}.  Can't parse serialized Example: Some {rule.kind.noun}_list slice was not parsed."
        )

    def _no_blocks(self, rule: Padded, found: int, place: str) -> InvalidArgumentError:
        del place
        return found_early(
            f"Error while parsing feature with key {rule.key}: number of elements should be divisible by {rule.total}, "
            f"found {found} instead"
        )


def read_one_by_one(
    rows: Sequence[bytes], rules: Mapping[bytes, Rule], names: Sequence[str] | None, *, is_batch: bool
) -> dict[bytes, Column]:
    """The columns of the features, one example after the other. Raises InvalidArgumentError for the first fault."""
    required = [rule for rule in rules.values() if isinstance(rule, Dense) and rule.default is None]
    reader = (_OfBatch if is_batch else _OfOne)(rules, required)
    found = [reader.read(data, "<unknown>" if names is None else names[k], k) for k, data in enumerate(rows)]
    return {key: _column([row.get(key) for row in found], rule.kind) for key, rule in rules.items()}


def _column(parts: Sequence[Any], kind: Kind) -> Column:
    dtype = kind.dtype.as_numpy_dtype
    listed = [part for part in parts if part is not None and len(part)]
    lengths = np.array([0 if part is None else len(part) for part in parts], np.int64)
    present = np.array([part is not None for part in parts], np.bool_)
    if kind is Kind.FLOAT:
        values = np.concatenate(listed or [[]]).astype(dtype, copy=False)
    elif kind is Kind.INT64:
        values = np.array([one for part in listed for one in part], dtype)
    else:
        values = np.empty(sum(map(len, listed)), dtype)
        values[:] = [one for part in listed for one in part]
    return Column(values, lengths, present)


def _entries(data: bytes) -> list[Entry]:
    """The features of an example, or of several that are joined. Raises InvalidArgumentError for broken messages."""
    found: list[Entry] = []
    place, end = 0, len(data)
    try:
        while place < end:
            if data[place] != _FIRST:
                place = skip(data, place, end)
                continue
            length, place = size(data, place + 1, end)
            last = limit(place, length, end)
            while place < last:
                entry, place = _entry(data, expect(data, place, last, _FIRST), last)
                found.append(entry)
    except MalformedError:
        text = data.decode(errors="replace")
        raise found_early(f"Could not parse example input, value: '{text}'") from None
    return found


def _entry(data: bytes, place: int, end: int) -> tuple[Entry, int]:
    """The entry of a map whose length begins at `place`: a key and a value in any order."""
    length, place = size(data, place, end)
    end = limit(place, length, end)
    key, start, after = b"", 0, 0
    for _ in range(2):
        tag, place = size(data, place, end)
        first, place = span(data, place, end)
        if tag == _FIRST:
            key = data[first:place]
        elif tag == _SECOND:
            start, after = first, place
        else:
            raise MalformedError
    if place != end:
        raise MalformedError
    return Entry(key, start, after), place
