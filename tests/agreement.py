"""Comparison of outcomes with TensorFlow's, with a description of the difference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests import tolerance
from tests.evaluate import Gradient, Outcome, Refusal, Value


def difference(got: Outcome, want: Outcome) -> str | None:
    """The difference, or None. Values and gradients have separate tables of tolerances."""
    if isinstance(want, Refusal) or isinstance(got, Refusal):
        return None if got == want else "refusal"
    if isinstance(want, Value):
        return value_difference(got, want, tolerance.VALUE)
    return gradient_difference(got, want)


def second_order_difference(got: Outcome, want: Outcome) -> str | None:
    """Like `difference`, but any number that is not finite matches another that is not finite.

    For an empty array, None matches any derivative.
    """
    if isinstance(got, Gradient) and any(entry is not None and entry.size == 0 for entry in want.entries):
        return None
    if isinstance(got, Gradient) and isinstance(want, Gradient) and len(got.entries) == len(want.entries):
        got, want = without_infinities(got), without_infinities(want)
    return difference(got, want)


def without_infinities(found: Gradient) -> Gradient:
    """The array with nan in place of infinities."""
    entries = (None if e is None else np.where(np.isfinite(e), e, np.nan).astype(e.dtype) for e in found.entries)
    return replace(found, entries=tuple(entries))


def value_difference(got: Value, want: Value, table: tolerance.Table) -> str | None:
    """The first difference in structure, dtype, shape or content."""
    if got.structure != want.structure:
        return f"structure {got.structure} for {want.structure}"
    pairs = enumerate(zip(got.leaves, want.leaves, strict=True))
    return first(array_difference(leaf, wanted, table, f"output {i}") for i, (leaf, wanted) in pairs)


def gradient_difference(got: Gradient, want: Gradient) -> str | None:
    """The first difference in None-ness, kind (dense or sliced), dtype, shape or content."""
    if [entry is None for entry in got.entries] != [entry is None for entry in want.entries]:
        return "None-ness"
    if want.is_sliced is not None and got.is_sliced != want.is_sliced:
        return "IndexedSlices or dense"
    pairs = enumerate(zip(got.entries, want.entries, strict=True))
    return first(
        array_difference(entry, wanted, tolerance.GRADIENT, f"for input {i}")
        for i, (entry, wanted) in pairs
        if wanted is not None
    )


def array_difference(got: np.ndarray, want: np.ndarray, table: tolerance.Table, place: str) -> str | None:
    """The first difference in dtype, shape or content."""
    if got.dtype != want.dtype:
        return f"dtype {place}: {got.dtype} for {want.dtype}"
    if got.shape != want.shape:
        return f"shape {place}: {got.shape} for {want.shape}"
    is_close = tolerance.is_close(got, want, table)
    if is_close.all():
        return None
    worst = tuple(np.argwhere(~is_close)[0].tolist())
    count = f"{np.sum(~is_close)} of {is_close.size}"
    return f"content {place}, {count} elements, first at {list(worst)}: {got[worst]} for {want[worst]}"


def first(complaints: object) -> str | None:
    """The first value that is not None."""
    return next((complaint for complaint in complaints if complaint is not None), None)


def shown(outcome: Outcome) -> str:
    """The outcome in a line or a few."""
    if isinstance(outcome, Refusal):
        return outcome.error
    arrays = outcome.leaves if isinstance(outcome, Value) else outcome.entries
    with np.printoptions(threshold=24, precision=9, linewidth=110):
        text = ", ".join("None" if array is None else f"{array.dtype} {array.tolist()}" for array in arrays)
    return text if len(text) < 400 else text[:400] + "..."
