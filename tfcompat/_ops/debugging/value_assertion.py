"""Assertions about values.

Values are checked immediately, except those that a program will compute while a tape is recording: then the program
computes the check, and the next read raises if it fails. So an assertion in a training step needs no program of its
own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.operation.op import GradientRule, Op, ValueCheck
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.system.thread_state import Travelling
from tfcompat._core.tracing.deferral import is_computed
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.dtype import COMPLEX, FLOATING, as_dtype, bool_
from tfcompat._jaxpr.size import broadcast_shapes

_SHOWN = 3
_MOST_MESSAGES = 256

_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
}


class _Waiting(Travelling):
    """The assertions of the running thread whose values are not known yet; they end with it."""

    def __init__(self) -> None:
        self.outcomes: list[Tensor] = []


class Watch:
    """The assertions whose values are not known yet, and the ops that check them.

    The program does not read the result of an assertion, so it is kept here until it is computed or has failed.
    """

    def __init__(self) -> None:
        self.waiting = _Waiting()
        self.ops: dict[Any, Op] = {}

    def clear(self) -> None:
        """Discards both."""
        self.waiting.outcomes.clear()
        self.ops.clear()

    def op(self, name: str, condition: str, holds: Callable[..., Any], message: str) -> Op:
        """The op that fails unless `holds` is true of its inputs. Beyond a limit on messages, it omits the message."""
        key = (name, condition, message)
        if key not in self.ops and len(self.ops) >= _MOST_MESSAGES:
            key = (name, condition, "")
        found = self.ops.get(key)
        if found is None:
            message = f"{key[2]} {condition} did not hold.".strip()
            found = self.ops[key] = Op(
                name, _every(holds), gradient=GradientRule(blocked=True), check=ValueCheck(_not(holds), message)
            )
        return found

    def wait(self, outcome: Tensor) -> None:
        """Keeps `outcome` until it is computed; while a function is traced, makes each of its calls compute it."""
        if here.graph is not None:
            here.graph.effects.append(outcome)
            return
        waiting = self.waiting
        waiting.outcomes = [x for x in waiting.outcomes if x._array is None and not x._trace.has_failed]
        waiting.outcomes.append(outcome)


watch = Watch()


def _every(holds: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arrays: jnp.all(holds(*arrays))


def _not(holds: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arrays: jnp.logical_not(holds(*arrays))


def _is_readable(*tensors: Tensor) -> bool:
    """Whether `tensors` have values, or may be computed now: not while a tape or a function is recording."""
    return (not here.tapes and here.graph is None) or all(map(is_computed, tensors))


def _require(
    name: str, sign: str, x: Any, y: Any, message: str | None, summarize: int | None, second: str = "y"
) -> None:
    """Raises InvalidArgumentError unless each element of `x` has the relation `sign` to that of `y`."""
    left, right = convert_to_tensor(x), convert_to_tensor(y)
    if left.dtype is not right.dtype:
        raise InvalidArgumentError.of(
            f"tf.debugging.{name}: x and y must have the same dtype, got {left.dtype.name} and {right.dtype.name}."
        )
    if left.dtype in COMPLEX and sign not in ("==", "!="):
        raise InvalidArgumentError.of(f"tf.debugging.{name}: complex numbers have no order, got {left.dtype.name}.")
    try:
        broadcast_shapes(left._aval.shape, right._aval.shape)
    except ValueError as refused:
        raise InvalidArgumentError.of(
            f"tf.debugging.{name}: x and y must broadcast together, got shapes {left.shape} and {right.shape}."
        ) from refused
    if not _is_readable(left, right):
        op = watch.op(f"debugging.{name}", f"Condition x {sign} {second}", _SIGNS[sign], message or "")
        watch.wait(record(op, (left, right)))
        return
    one, other = np.asarray(left), np.asarray(right)
    holds = np.asarray(_SIGNS[sign](one, other), bool)
    if not holds.all():
        shown = (
            _head("x", one, summarize)
            if second == "0"
            else f"{_head('x', one, summarize)} " + _head("y", other, summarize)
        )
        raise found_early(
            f"tf.debugging.{name}: {message or ''} Condition x {sign} {second} did not hold, first at index "
            f"{np.argwhere(~holds)[0].tolist()}. {shown}",
            is_static=True,
        )


def _head(what: str, array: np.ndarray, summarize: int | None) -> str:
    """The first elements of `array` as text."""
    shown = array.ravel()[: array.size if summarize == -1 else summarize or _SHOWN]
    return f"First {shown.size} elements of {what}: {shown.tolist()}."


@dispatched
def assert_equal(x: Any, y: Any, message: Any = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raises unless each element of `x` equals that of `y`.

    Shapes: [*dims], [*dims] (broadcast) -> nothing.
    Dtypes: any, both the same.
    Raises: InvalidArgumentError with `message` and the first `summarize` elements; inside a tape, at the next read.
    Source: TF 2.21 `tf.debugging.assert_equal`.
    """
    del name
    _require("assert_equal", "==", x, y, message, summarize)


@dispatched
def assert_none_equal(
    x: Any, y: Any, summarize: int | None = None, message: Any = None, name: str | None = None
) -> None:
    """Raises unless each element of `x` differs from that of `y`.

    Shapes: [*dims], [*dims] (broadcast) -> nothing.
    Dtypes: any, both the same.
    Raises: InvalidArgumentError with `message` and the first `summarize` elements; inside a tape, at the next read.
    Source: TF 2.21 `tf.debugging.assert_none_equal`.
    """
    del name
    _require("assert_none_equal", "!=", x, y, message, summarize)


@dispatched
def assert_less(x: Any, y: Any, message: Any = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raises unless each element of `x` is less than that of `y`.

    Shapes: [*dims], [*dims] (broadcast) -> nothing.
    Dtypes: REAL, both the same.
    Raises: InvalidArgumentError with `message` and the first `summarize` elements; inside a tape, at the next read.
    Source: TF 2.21 `tf.debugging.assert_less`.
    """
    del name
    _require("assert_less", "<", x, y, message, summarize)


@dispatched
def assert_less_equal(
    x: Any, y: Any, message: Any = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises unless each element of `x` is less than or equal to that of `y`.

    Shapes: [*dims], [*dims] (broadcast) -> nothing.
    Dtypes: REAL, both the same.
    Raises: InvalidArgumentError with `message` and the first `summarize` elements; inside a tape, at the next read.
    Source: TF 2.21 `tf.debugging.assert_less_equal`.
    """
    del name
    _require("assert_less_equal", "<=", x, y, message, summarize)


@dispatched
def assert_greater(x: Any, y: Any, message: Any = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raises unless each element of `x` is greater than that of `y`.

    Shapes: [*dims], [*dims] (broadcast) -> nothing.
    Dtypes: REAL, both the same.
    Raises: InvalidArgumentError with `message` and the first `summarize` elements; inside a tape, at the next read.
    Source: TF 2.21 `tf.debugging.assert_greater`.
    """
    del name
    _require("assert_greater", ">", x, y, message, summarize)


@dispatched
def assert_greater_equal(
    x: Any, y: Any, message: Any = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raises unless each element of `x` is greater than or equal to that of `y`.

    Shapes: [*dims], [*dims] (broadcast) -> nothing.
    Dtypes: REAL, both the same.
    Raises: InvalidArgumentError with `message` and the first `summarize` elements; inside a tape, at the next read.
    Source: TF 2.21 `tf.debugging.assert_greater_equal`.
    """
    del name
    _require("assert_greater_equal", ">=", x, y, message, summarize)


def _require_sign(name: str, sign: str, x: Any, message: str | None, summarize: int | None) -> None:
    tensor = convert_to_tensor(x)
    _require(name, sign, tensor, convert_to_tensor(0, tensor.dtype), message, summarize, "0")


def assert_positive(x: Any, message: Any = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raises unless every element of `x` is above 0.

    Shapes: [*dims] -> nothing.
    Dtypes: REAL.
    Raises: InvalidArgumentError with `message` and the first `summarize` elements; inside a tape, at the next read.
    Source: TF 2.21 `tf.debugging.assert_positive`.
    """
    del name
    _require_sign("assert_positive", ">", x, message, summarize)


def assert_negative(x: Any, message: Any = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raises unless every element of `x` is below 0.

    Shapes: [*dims] -> nothing.
    Dtypes: REAL.
    Raises: InvalidArgumentError with `message` and the first `summarize` elements; inside a tape, at the next read.
    Source: TF 2.21 `tf.debugging.assert_negative`.
    """
    del name
    _require_sign("assert_negative", "<", x, message, summarize)


def assert_non_negative(x: Any, message: Any = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raises unless every element of `x` is at least 0.

    Shapes: [*dims] -> nothing.
    Dtypes: REAL.
    Raises: InvalidArgumentError with `message` and the first `summarize` elements; inside a tape, at the next read.
    Source: TF 2.21 `tf.debugging.assert_non_negative`.
    """
    del name
    _require_sign("assert_non_negative", ">=", x, message, summarize)


def assert_non_positive(x: Any, message: Any = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raises unless every element of `x` is at most 0.

    Shapes: [*dims] -> nothing.
    Dtypes: REAL.
    Raises: InvalidArgumentError with `message` and the first `summarize` elements; inside a tape, at the next read.
    Source: TF 2.21 `tf.debugging.assert_non_positive`.
    """
    del name
    _require_sign("assert_non_positive", "<=", x, message, summarize)


@dispatched
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: Any = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raises unless |x - y| <= atol + rtol * |y| for every element of `x` and `y`; each tolerance is 10 eps by default.

    Values that are not known yet are computed.

    Shapes: [*dims], [*dims] (broadcast) -> nothing.
    Dtypes: INEXACT, both the same.
    Raises: InvalidArgumentError with `message` and the first `summarize` elements; ValueError if the dtypes differ or
      are not INEXACT.
    Source: TF 2.21 `tf.debugging.assert_near`.
    """
    del name
    left = convert_to_tensor(x)
    right = convert_to_tensor(y, left.dtype)
    if left.dtype not in FLOATING and left.dtype not in COMPLEX:
        raise ValueError(f"tf.debugging.assert_near: x must be floating or complex, got {left.dtype.name}.")
    usual = 10 * float(jnp.finfo(left.dtype.as_numpy_dtype).eps)
    first, second = np.asarray(left), np.asarray(right)
    relative, absolute = (usual if tolerance is None else float(tolerance) for tolerance in (rtol, atol))
    with np.errstate(invalid="ignore"):
        holds = np.abs(first - second) < absolute + relative * np.abs(second)
    if not holds.all():
        raise found_early(
            f"tf.debugging.assert_near: {message or ''} x and y not equal to tolerance rtol = {relative}, "
            f"atol = {absolute}. {_head('x', first, summarize)} {_head('y', second, summarize)}"
        )


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> None:
    """Raises unless `condition` is true; the message shows the first `summarize` elements of each tensor of `data`.

    Shapes: one element -> nothing.
    Dtypes: bool.
    Raises: InvalidArgumentError; inside a tape, at the next read. ValueError if `condition` has several elements.
    Source: TF 2.21 `tf.debugging.Assert`.
    """
    del name
    if not isinstance(data, (list, tuple)):
        raise TypeError(f"tf.debugging.Assert: data must be a list of values, got {data!r}.")
    tensor = as_tensor(condition)
    if tensor is not None and not _is_readable(tensor):
        if tensor._aval.size != 1:
            raise ValueError(
                "tf.debugging.Assert: The truth value of an array with more than one element is ambiguous."
            )
        op = watch.op("debugging.Assert", "Condition", lambda truth: truth.astype(bool), "")
        watch.wait(record(op, (tensor,)))
    elif not condition:
        parts = [convert_to_tensor(part) for part in data]
        known = [np.asarray(part).ravel() for part in parts if not part._is_symbolic()]
        heads = " | ".join(str(part[: summarize or _SHOWN].tolist()) for part in known)
        message = f"Expected '{condition}' to be true. Summarized data: {heads}"
        if here.graph is None:
            raise found_early(f"tf.debugging.Assert: {message}")
        # It fails if it runs: the branch that it is in need not be taken.
        op = watch.op("debugging.Assert", "Condition", lambda truth: truth.astype(bool), message)
        watch.wait(record(op, (Tensor(np.array(False)),)))


@dispatched
def check_numerics(tensor: Any, message: Any, name: str | None = None) -> Tensor:
    """Returns `tensor` after checking that it contains neither nan nor infinities.

    Shapes: [*dims] -> same.
    Dtypes: FLOATING -> same.
    Raises: InvalidArgumentError with `message`; inside a tape, at the next read.
    Source: TF 2.21 `tf.debugging.check_numerics`. (The gradient is not checked.)
    """
    del name
    return _finite("check_numerics", tensor, message)


def assert_all_finite(x: Any, message: Any, name: str | None = None) -> Tensor:
    """Returns `x` after checking that it contains neither nan nor infinities.

    Shapes: [*dims] -> same.
    Dtypes: FLOATING -> same.
    Raises: InvalidArgumentError with `message`; inside a tape, at the next read.
    Source: TF 2.21 `tf.debugging.assert_all_finite`. (The gradient is not checked.)
    """
    del name
    return _finite("assert_all_finite", x, message)


def _finite(name: str, value: Any, message: str) -> Tensor:
    tensor = convert_to_tensor(value)
    if tensor.dtype not in FLOATING:
        raise InvalidArgumentError.of(f"tf.debugging.{name}: the tensor must be floating, got {tensor.dtype.name}.")
    if not _is_readable(tensor):
        op = watch.op(f"debugging.{name}", "That all numbers are finite", jnp.isfinite, message)
        watch.wait(record(op, (tensor,)))
        return tensor
    array = np.asarray(tensor)
    found = [what for what, is_there in (("Inf", np.isinf(array)), ("NaN", np.isnan(array))) if is_there.any()]
    if found:
        raise found_early(f"tf.debugging.{name}: {message} : Tensor had {' and '.join(found)} values")
    return tensor


def is_numeric_tensor(tensor: Any) -> bool:
    """Whether `tensor` is a tensor of numbers.

    Source: TF 2.21 `tf.debugging.is_numeric_tensor`.
    """
    held = tensor if isinstance(tensor, Tensor) or hasattr(type(tensor), "_as_tensor") else None
    if held is None:
        return False
    dtype = as_dtype(held.dtype)
    return dtype is not bool_ and (dtype in FLOATING or dtype in COMPLEX or dtype.is_integer)
