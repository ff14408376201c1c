"""A loop with a known trip count as an op, made from data: a `jax.lax.scan`, and rows that it writes into arrays."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.operation.recipe import Hashed, Recipe
from tfcompat._function.block.block import clear_flags, stacked
from tfcompat._function.block.procedure import Procedure, Sized
from tfcompat._function.control.progression import Pattern, Progression
from tfcompat._jaxpr.residual import is_kept
from tfcompat._jaxpr.size import is_open

# The groups of the operands, in their order: the carried state, the arrays written into, the windows, the other hoisted
# values, the tensors that are read by row, and the rest.
CARRIED, WRITTEN, WINDOWS, FIXED, ROWS, REST = range(6)

# The first value and the step of each progression.
Progressions = tuple[tuple[Any, Any], ...]


class Frame(NamedTuple):
    """The structure of a loop, without the procedure of an iteration.

    Attributes:
      groups: the number of operands in each group.
      sources: for each leaf of the block, the group and the place in it; None for those that are not read.
      known: the known values that an iteration reads.
      writes: the array, by its place in the group, and the rows of each write.
      is_backward: whether the scan runs from the last row to the first.
      has_effects: whether the last output has the flags of the checks.
    """

    groups: tuple[int, ...]
    sources: tuple[tuple[int, int] | None, ...]
    known: tuple[Pattern, ...]
    writes: tuple[tuple[int, Pattern], ...]
    is_backward: bool
    has_effects: bool


def scan_like(
    name: str,
    rule: GradientRule,
    frame: Frame,
    structure: Hashed,
    count: Any,
    sized: Sized,
    known: Progressions,
    writes: Progressions,
) -> Op:
    """The loop of `count` iterations. Each evaluates a procedure of the leaves, the windows, hoisted and known values.

    The procedure computes the carried state, the rows to write, and the rows to stack. The outputs of the op are the
    carried state, the arrays, the stacked rows, and the flags.
    """
    scan = _Scan(frame, Procedure(structure, sized), count, known)
    places = [(k, Progression(pattern, *pair)) for (k, pattern), pair in zip(frame.writes, writes, strict=True)]

    def run(*operands: Any) -> tuple[Any, ...]:
        given = iter(operands)
        groups = [tuple(itertools.islice(given, size)) for size in frame.groups]
        state, rows = scan(groups)
        written, remaining = list(groups[WRITTEN]), iter(rows)
        for k, progression in places:
            stacked_rows = next(remaining)
            ordered = progression.reversed(_length(stacked_rows)) if frame.is_backward else progression
            written[k] = _with_rows(written[k], ordered, stacked_rows)
        carried = frame.groups[CARRIED]
        return (*state[:carried], *written, *remaining, *[stacked(state[carried:])] * frame.has_effects)

    op = Op(name, run, many=True, gradient=rule)
    op.recipe = Recipe(scan_like, (name, rule, frame, structure), (count, sized, known, writes))
    return op


class _Scan:
    """The scan inside of the op."""

    def __init__(self, frame: Frame, body: Procedure, count: Any, known: Progressions) -> None:
        self._frame = frame
        self._body = body
        self._count = count
        self._known = [Progression(pattern, *pair) for pattern, pair in zip(frame.known, known, strict=True)]

    def __call__(self, groups: Sequence[tuple[Any, ...]]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The final carry with the flags, and the stacked rows: those to write, then the outputs."""
        frame, carried = self._frame, self._frame.groups[CARRIED]

        def one(state: Any, xs: Any) -> Any:
            number, windows, rows, tables = xs
            pools = {CARRIED: state, ROWS: rows, REST: groups[REST]}
            values = [source and pools[source[0]][source[1]] for source in frame.sources]
            known = [known.at(number, entry) for known, entry in zip(self._known, tables, strict=True)]
            found, flags = self._body(values, (*windows, *groups[FIXED], *known))
            raised = [before | flag for before, flag in zip(state[carried:], flags, strict=True)]
            return (*found[:carried], *raised), tuple(found[carried:])

        # A count with symbols may be a wrong guess for other sizes; the lengths of sequences are not.
        count = next(map(_length, (*groups[WINDOWS], *groups[ROWS])), self._count)
        columns = [self._numbers(count), *[known.table for known in self._known]]
        if frame.is_backward:
            columns = [None if column is None else column[::-1] for column in columns]
        xs = (columns[0], groups[WINDOWS], groups[ROWS], tuple(columns[1:]))
        start = (*groups[CARRIED], *clear_flags(self._body.checks))
        # JAX takes no length with symbols, but finds it in the shapes.
        length = None if is_open(count) else count
        # JAX fails to keep complex results of Python functions, which must not be called again. The barriers against
        # common subexpressions are not needed: the loops forward and backward share none.
        if not self._body.calls_python:
            one = jax.checkpoint(one, prevent_cse=False, policy=is_kept)
        return jax.lax.scan(one, start, xs, length, reverse=frame.is_backward)

    def _numbers(self, count: Any) -> Any:
        """The numbers of the iterations, if the scan needs them."""
        if is_open(count):
            return jnp.arange(count, dtype=np.int32)
        return np.arange(count, dtype=np.int32) if any(known.pattern.is_linear for known in self._known) else None


def _with_rows(array: Any, places: Progression, rows: Any) -> Any:
    """`array` with `rows` in `places`."""
    count = _length(rows)
    if places.table is None:
        if places.pattern.is_linear and places.step < 0:
            places, rows = places.reversed(count), jnp.flip(rows, 0)
        if not places.pattern.is_linear or places.step == 1:
            parts = [array[: places.first], rows, array[places.last(count) + 1 :]]
            kept = [part for part in parts if is_open(_length(part)) or _length(part)]
            return jnp.concatenate(kept or parts[:1])
    return array.at[places.values(count)].set(rows, unique_indices=True, mode="promise_in_bounds")


def _length(rows: Any) -> Any:
    """The number of rows; `len` refuses sizes with symbols."""
    return rows.shape[0]
