"""Serialized sequence examples: a context, which is like an example, and lists of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from tfcompat._core.system.error import found_early
from tfcompat._data.format.rule import Column, Dense, Padded, Ragged, RaggedValue, Rule, SparseValue, splits_of
from tfcompat._data.format.value_list import Kind, values_in_sequence
from tfcompat._data.format.wire import MalformedError, expect, limit, size, skip, span

# Tags: fields 1 and 2 as bytes.
_FIRST, _SECOND = 0x0A, 0x12
# A feature of two bytes has an empty list.
_EMPTY_SIZE = 2


class Parsed(NamedTuple):
    """The values of sequence examples.

    Attributes:
      context: one value for each rule of the context.
      lists: one value for each rule of the lists.
      lengths: how many features the lists of each dense rule have.
    """

    context: list[Any]
    lists: list[Any]
    lengths: list[np.ndarray]


class _Rows(NamedTuple):
    """The features of one key in the lists of several examples.

    Attributes:
      values: the values of all features.
      sizes: how many values each feature has.
      counts: how many features each example has.
    """

    values: np.ndarray
    sizes: np.ndarray
    counts: np.ndarray


def parse_sequences(
    rows: Sequence[bytes],
    context: Mapping[bytes, Rule],
    lists: Mapping[bytes, Rule],
    names: Sequence[str] | None,
    *,
    is_batch: bool,
) -> Parsed:
    """The values of the rules. Raises InvalidArgumentError for the first fault."""
    named = ["<unknown>"] * len(rows) if names is None else names
    spans = [_spans(data, name) for data, name in zip(rows, named, strict=True)]
    columns = {key: _context_column(rows, spans, key, rule, named) for key, rule in context.items()}
    found = {key: _rows(rows, spans, key, rule, named) for key, rule in lists.items()}
    for key, rule in context.items():
        if isinstance(rule, Dense):
            _require_values(columns[key], rule, named)
    parsed = [rule.batch(columns[key]) if is_batch else rule.single(columns[key]) for key, rule in context.items()]
    made: list[Any] = []
    lengths: list[np.ndarray] = []
    for key, rule in lists.items():
        if isinstance(rule, Padded):
            present = [key in each[1] for each in spans]
            made.append(_dense(found[key], rule, present, named, is_batch))
            lengths.append(found[key].counts if is_batch else found[key].counts[0])
        elif isinstance(rule, Ragged):
            made.append(_ragged(found[key], rule, is_batch))
        else:
            made.append(_sparse(found[key], is_batch))
    return Parsed(parsed, made, lengths)


def _spans(data: bytes, name: str) -> tuple[dict[bytes, tuple[int, int]], dict[bytes, tuple[int, int]]]:
    """Where the values of the keys of an example are: those of the context, and those of the lists."""
    found: tuple[dict[bytes, tuple[int, int]], dict[bytes, tuple[int, int]]] = ({}, {})
    place, end = 0, len(data)
    try:
        while place < end:
            if data[place] not in (_FIRST, _SECOND):
                place = skip(data, place, end)
                continue
            part = found[data[place] == _SECOND]
            length, place = size(data, place + 1, end)
            last = limit(place, length, end)
            while place < last:
                length, place = size(data, expect(data, place, last, _FIRST), last)
                after = limit(place, length, last)
                start, place = span(data, expect(data, place, after, _FIRST), after)
                key = data[start:place]
                start, place = span(data, expect(data, place, after, _SECOND), after)
                if place != after:
                    raise MalformedError
                part[key] = (start, place)
    except MalformedError:
        raise found_early(f"Invalid protocol message input, example id: {name}") from None
    return found


def _feature(data: bytes, start: int, end: int, kind: Kind) -> tuple[Any, int]:
    """The values of a feature, and the position after them. Raises MalformedError if it is another kind."""
    return values_in_sequence(data, expect(data, start, end, kind), end, kind)


def _context_column(
    rows: Sequence[bytes], spans: Sequence[Any], key: bytes, rule: Rule, names: Sequence[str]
) -> Column:
    parts: list[Any] = []
    for data, (places, _), name in zip(rows, spans, names, strict=True):
        start, end = places.get(key, (0, 0))
        try:
            parts.append(_feature(data, start, end, rule.kind)[0] if start < end else [])
        except MalformedError:
            raise found_early(
                f"Name: {name}, Context feature: {rule.key}.  Data types don't match. Expected type: "
                f"{rule.kind.type_name}"
            ) from None
    present = np.array([key in places for places, _ in spans], np.bool_)
    return Column(_joined(parts, rule.kind), np.array(list(map(len, parts)), np.int64), present)


def _require_values(column: Column, rule: Dense, names: Sequence[str]) -> None:
    """Raises InvalidArgumentError unless each example has as many values as the rule says."""
    default = 0 if rule.default is None else rule.default.size
    most = max(default, int(column.lengths.max(initial=0)))
    if most != rule.total:
        raise found_early(
            f"Inconsistent max number of elements for feature {rule.key}: expected {rule.total}, but found {most}"
        )
    for name, length, is_present in zip(names, column.lengths, column.present, strict=True):
        if not is_present and rule.default is None:
            raise found_early(
                f"Feature: {rule.key} (data type: {rule.kind.type_name}) is required but could not be found."
            )
        if is_present and length != rule.total:
            raise found_early(f"Unexpected number of elements in example {name}")


def _rows(rows: Sequence[bytes], spans: Sequence[Any], key: bytes, rule: Rule, names: Sequence[str]) -> _Rows:
    parts: list[Any] = []
    counts: list[int] = []
    for data, (_, places), name in zip(rows, spans, names, strict=True):
        first = len(parts)
        place, end = places.get(key, (0, 0))
        while place < end:
            place = _add_feature(parts, data, place, end, rule, name, len(parts) - first)
        counts.append(len(parts) - first)
    sizes = np.array(list(map(len, parts)), np.int64)
    return _Rows(_joined(parts, rule.kind), sizes, np.array(counts, np.int64))


def _add_feature(parts: list[Any], data: bytes, place: int, end: int, rule: Rule, name: str, index: int) -> int:
    """Adds the values of the feature at `place` in a list, and returns the position after it."""
    try:
        length, place = size(data, expect(data, place, end, _FIRST), end)
    except MalformedError:
        _refuse_list(rule, name)
    if length == 0:
        parts.append([])
        return place
    if length < _EMPTY_SIZE:
        _refuse_list(rule, name)
    after = limit(place, length, end)
    try:
        if length > _EMPTY_SIZE:
            found, place = _feature(data, place, after, rule.kind)
            parts.append(found)
            return place
        empty, place = size(data, expect(data, place, end, rule.kind), end)
        if empty:
            raise MalformedError
    except MalformedError:
        raise found_early(
            f"Name: {name}, Feature list: {rule.key}, Index: {index}.  Data types don't match. Expected type: "
            f"{rule.kind.type_name}"
        ) from None
    parts.append([])
    return place


def _refuse_list(rule: Rule, name: str) -> NoReturn:
    raise found_early(f"Error in sequence feature {rule.key} in example {name}") from None


def _joined(parts: Sequence[Any], kind: Kind) -> np.ndarray:
    found = np.empty(sum(map(len, parts)), kind.dtype.as_numpy_dtype)
    found[:] = [one for part in parts for one in part] if kind is not Kind.FLOAT else np.concatenate([[], *parts])
    return found


def _dense(rows: _Rows, rule: Padded, present: Sequence[bool], names: Sequence[str], is_batch: bool) -> Any:
    """The values in blocks, with zeros or empty strings after those of shorter lists."""
    before = np.concatenate([[0], np.cumsum(rows.sizes)])
    ends = np.cumsum(rows.counts)
    totals = before[ends] - before[ends - rows.counts]
    most = int(totals.max(initial=0))
    if (not rule.total and len(rows.sizes)) or (rule.total and most % rule.total):
        shape = ",".join(["?", *map(str, rule.shape)])
        raise found_early(
            f"Feature list '{rule.key}' has an unexpected number of values.  Total values size: {most} is not "
            f"consistent with output shape: [{shape}]"
        )
    for k, name in enumerate(names):
        _require_features(rows.sizes[ends[k] - rows.counts[k] : ends[k]], rule, present[k], name)
    padded = rule._replace(padding=b"" if rule.kind is Kind.BYTES else 0)
    column = Column(rows.values, totals, np.array(present, np.bool_))
    return padded.batch(column) if is_batch else padded.single(column)


def _require_features(sizes: np.ndarray, rule: Padded, is_present: bool, name: str) -> None:
    """Raises InvalidArgumentError unless an example has the list, and each of its features is a block."""
    if not is_present and not rule.may_be_missing:
        raise found_early(
            f"Name: {name}, Feature list '{rule.key}' is required but could not be found.  Did you mean to include it "
            "in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
        )
    for index in np.flatnonzero(sizes != rule.total)[:1].tolist():
        raise found_early(
            f"Name: {name}, Key: {rule.key}, Index: {index}.  Number of values != expected.  values size: "
            f"{sizes[index]} but output shape: [{','.join(map(str, rule.shape))}]"
        )


def _sparse(rows: _Rows, is_batch: bool) -> SparseValue:
    """The values at the number of the example, of the feature in the list, and of the value in the feature."""
    examples = np.repeat(np.arange(len(rows.counts)), rows.counts)
    features = np.arange(len(rows.sizes)) - np.repeat(np.cumsum(rows.counts) - rows.counts, rows.counts)
    places = np.arange(len(rows.values)) - np.repeat(np.cumsum(rows.sizes) - rows.sizes, rows.sizes)
    indices = np.stack([np.repeat(examples, rows.sizes), np.repeat(features, rows.sizes), places], 1)
    shape = [len(rows.counts), rows.counts.max(initial=0), rows.sizes.max(initial=0)]
    first = 0 if is_batch else 1
    return SparseValue(np.ascontiguousarray(indices[:, first:]), rows.values, np.array(shape[first:], np.int64))


def _ragged(rows: _Rows, rule: Ragged, is_batch: bool) -> RaggedValue:
    inner = splits_of(rows.sizes, rule.splits)
    return RaggedValue(rows.values, (splits_of(rows.counts, rule.splits), inner) if is_batch else (inner,))
