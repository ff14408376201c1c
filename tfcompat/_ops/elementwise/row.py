"""Declarations of elementwise ops as table rows: a name, a function on arrays, its dtypes, and a summary."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Check, op
from tfcompat._core.calls.dispatch import dispatched, handler_of
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import (
    ADDABLE,
    BOOL,
    COMPLEX,
    DENSE,
    FLOATING,
    INEXACT,
    INTEGER,
    MOVABLE,
    NUMERIC,
    REAL,
    DType,
)

_SPELLED = {
    ADDABLE: "numbers and strings",
    BOOL: "bool",
    COMPLEX: "complex",
    DENSE: "numbers and bool",
    FLOATING: "floating",
    INEXACT: "floating and complex",
    INTEGER: "integer",
    MOVABLE: "any",
    NUMERIC: "numbers",
    REAL: "real numbers",
}


def unary(
    name: str,
    function: Callable[[Any], Any],
    dtypes: frozenset[DType],
    summary: str,
    *,
    of: str = "x",
    gives: str = "the same",
    gradient: str = "",
    **options: Any,
) -> Callable[..., Any]:
    """The op that applies `function` to each element of the tensor called `of`.

    `gives` is the dtype of the result, `gradient` describes a special derivative; `options` are those of `@op`.
    """
    return _row(name, function, dtypes, (of,), "any -> the same.", summary, gives, gradient, options)


def binary(
    name: str,
    function: Callable[[Any, Any], Any],
    dtypes: frozenset[DType],
    summary: str,
    *,
    of: tuple[str, str] = ("x", "y"),
    gives: str = "the same",
    gradient: str = "",
    integer_check: Check | None = None,
    strings: Callable[[Any, Any], Any] | None = None,
    **options: Any,
) -> Callable[..., Any]:
    """The op that applies `function` to the elements of the two tensors called `of`, broadcast against each other.

    `integer_check` validates the values of integers only; the other dtypes have no check.
    """
    shapes = "two shapes that broadcast -> their broadcast shape."
    if strings is not None:
        options["strings"] = _fitting(name, strings)
    if "fold" in options:
        options["fold"] = _fitting(name, options["fold"])
    if integer_check is None:
        return _row(name, function, dtypes, of, shapes, summary, gives, gradient, options)
    checked = _row(name, function, dtypes, of, shapes, summary, gives, gradient, options | {"check": integer_check})
    options.pop("fold", None)
    return _by_kind(checked, _row(name, function, dtypes & INEXACT, of, shapes, summary, gives, gradient, options))


def _fitting(name: str, twin: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`twin` in NumPy, with TensorFlow's errors."""

    def broadcast(x: np.ndarray, y: np.ndarray) -> Any:
        try:
            return twin(x, y)
        except ValueError:
            raise InvalidArgumentError.of(f"tf.{name}: Incompatible shapes: {x.shape} vs. {y.shape}.") from None

    return broadcast


def _by_kind(checked: Callable[..., Any], unchecked: Callable[..., Any]) -> Callable[..., Any]:
    """`unchecked` where a tensor shows by its dtype that the check does not apply."""

    @dispatched
    @functools.wraps(checked)
    def by_kind(x: Any, y: Any, name: str | None = None) -> Tensor:
        del name
        decisive = as_tensor(x)
        decisive = as_tensor(y) if decisive is None else decisive
        is_inexact = decisive is not None and decisive.dtype in INEXACT
        return (unchecked if is_inexact else checked)(x, y)

    return by_kind


def _row(
    name: str,
    function: Callable[..., Any],
    dtypes: frozenset[DType],
    parameters: tuple[str, ...],
    shapes: str,
    summary: str,
    gives: str,
    gradient: str,
    options: dict[str, Any],
) -> Callable[..., Any]:
    def body(*operands: Any, **named: Any) -> Any:
        return function(*operands, *named.values())

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    listed = [inspect.Parameter(parameter, kind, annotation="Array") for parameter in parameters]
    body.__signature__ = inspect.Signature(listed, return_annotation="Array")  # pyright: ignore[reportFunctionMemberAccess]
    body.__name__ = body.__qualname__ = name.rpartition(".")[2]
    # The module of the table, so that the function can be found by its name (and pickled).
    body.__module__ = sys._getframe(2).f_globals["__name__"]
    body.__doc__ = "\n\n    ".join((summary, "\n    ".join(_entries(name, dtypes, shapes, gives, gradient)) + "\n    "))
    return op(name, dtypes=dtypes, is_elementwise=gives == "the same", **options)(body)


def _entries(name: str, dtypes: frozenset[DType], shapes: str, gives: str, gradient: str) -> list[str]:
    spelled = _SPELLED.get(dtypes) or ", ".join(sorted(dtype.name for dtype in dtypes))
    entries = [f"Shapes: {shapes}", f"Dtypes: {spelled} -> {gives}.", "Raises: InvalidArgumentError for another dtype."]
    if len(shapes) > len("any -> the same."):
        entries[-1] = "Raises: InvalidArgumentError for another dtype, two dtypes, or shapes that don't broadcast."
    if gradient:
        entries.insert(2, f"Gradient: {gradient}.")
    return [*entries, f"Source: TF 2.21 `tf.{name}`."]


def no_bool(name: str) -> Callable[..., None]:
    """The validation of ops that raise TypeError for bool, where others raise InvalidArgumentError."""

    def validate(**arguments: Any) -> None:
        dtypes = [array.dtype for array in arguments.values() if hasattr(array, "dtype")]
        if any(dtype in BOOL for dtype in dtypes):
            raise TypeError(f"tf.{name}: expected numbers, got {', '.join(dtype.name for dtype in dtypes)}.")

    return validate


def by_first(public: Callable[..., Any], refusal: Callable[[str], Exception]) -> Callable[..., Any]:
    """The op `public` of two tensors, with the errors of TensorFlow's Python wrappers.

    The wrappers convert `x` to a tensor, then `y` to the same dtype if possible; if the dtypes still differ, the
    exception is `refusal(message)`.
    """

    @functools.wraps(public)
    def decided_by_first(x: Any, y: Any, name: str | None = None) -> Tensor:
        del name
        try:
            return public(x, y)
        except (TypeError, ValueError, InvalidArgumentError):
            if handler_of(public, (x, y), {}) is not None:
                raise
            first = convert_to_tensor(x)
            second = convert_to_tensor(y, dtype_hint=first.dtype)
            if second.dtype is first.dtype:
                raise
        title = public.declaration.name  # pyright: ignore[reportFunctionMemberAccess]
        raise refusal(f"tf.{title}: x and y must have the same dtype, got {first.dtype.name} != {second.dtype.name}.")

    return decided_by_first
