"""An op applied to many rows at once, by `jax.vmap`.

The result is again an op. It has the name, the gradient rules and the checks of the op that it derives from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax

from tfcompat._core.operation.op import Avals, Op, ValueCheck
from tfcompat._core.operation.recipe import Recipe
from tfcompat._core.types.aval import Aval, aval_of


def over_rows(function: Callable[..., Any], has_rows: Sequence[bool]) -> Callable[..., Any]:
    """`function` mapped over the first axis of the arguments that have rows; all results have rows."""
    return jax.vmap(function, in_axes=tuple([0 if rows else None for rows in has_rows]))


def with_rows(aval: Aval, count: int) -> Aval:
    """`aval` with a first axis of `count` rows."""
    return aval_of((count, *aval.shape), aval.dtype)


def batched(op: Op, signature: Avals, has_rows: tuple[bool, ...], count: int) -> tuple[Op, Avals]:
    """The op that applies `op` to `count` rows, and its signature; `signature` is that of `op` for one row."""
    key = ("batched", has_rows)
    found = op.derived.get(key)
    if found is None:
        found = op.derived[key] = _batched(has_rows, op)
    full = tuple([with_rows(aval, count) if rows else aval for aval, rows in zip(signature, has_rows, strict=True)])
    found.inferred[full] = tuple([with_rows(aval, count) for aval in op.infer(signature)])
    return found, full


def _batched(has_rows: tuple[bool, ...], op: Op) -> Op:
    check = None if op.check is None else ValueCheck(over_rows(op.check.flag, has_rows), op.check.message)
    found = Op(
        op.name,
        over_rows(op.outputs, has_rows),
        label=f"{op.label}, on rows" if op.label else "on rows",
        many=True,
        gradient=replace(op.gradient, rows=None),
        check=check,
        is_wide=op.is_wide,
    )
    found.zeros = op.zeros
    found.batched = has_rows
    found.recipe = Recipe(_batched, (has_rows,), (op,))
    return found
