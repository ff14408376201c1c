"""Declarations of NumPy's elementwise functions as table rows: a name, the function that computes it, a summary."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.numpy_like.promotion import asarray, floating, promoted_as_numpy

Function = Callable[..., Any]

_ANY = "any -> the same."
_BROADCAST = "two shapes that broadcast -> their broadcast shape."


def unary(name: str, compute: Function, summary: str, *, gives: str = "the same") -> Function:
    """NumPy's function `name` of `x`, computed by `compute` on the tensor. `gives` is the dtype of the result."""

    def apply(x: Any) -> Tensor:
        return compute(asarray(x))

    return _named(apply, name, summary, _ANY, f"any -> {gives}.")


def fractional(name: str, compute: Function, summary: str, *, gives: str = "the same") -> Function:
    """NumPy's function `name` of `x`, which is converted to float64 unless it is floating or complex."""

    def apply(x: Any) -> Tensor:
        return compute(floating(x))

    return _named(apply, name, summary, _ANY, f"numbers, of which integers and bool become float64 -> {gives}.")


def binary(
    name: str,
    compute: Function,
    summary: str,
    *,
    of_bool: Function | None = None,
    prepare: Function = promoted_as_numpy,
    gives: str = "their promoted dtype",
) -> Function:
    """NumPy's function `name` of `x1` and `x2`, computed by `compute` after `prepare` has given them one dtype.

    If that dtype is bool, `of_bool` is used instead of `compute`.
    """

    def apply(x1: Any, x2: Any) -> Tensor:
        x, y = prepare(x1, x2)
        return (of_bool if of_bool is not None and x.dtype.is_bool else compute)(x, y)

    return _named(apply, name, summary, _BROADCAST, f"any two -> {gives}.")


def _named(apply: Function, name: str, summary: str, shapes: str, dtypes: str) -> Function:
    apply.__name__ = apply.__qualname__ = name
    # The module of the table, so that the function can be found by its name (and pickled).
    apply.__module__ = sys._getframe(2).f_globals["__name__"]
    entries = f"Shapes: {shapes}\nDtypes: {dtypes}\nSource: TF 2.21 `tf.experimental.numpy.{name}`.\n"
    apply.__doc__ = f"{summary}\n\n{entries}"
    return apply
