"""The default writer of summaries, the default step, and whether summaries are recorded: for each thread its own."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.thread_state import Inherited
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import bool_, int64
from tfcompat._function.graphs.static_value import get_static_value
from tfcompat._ops.elementwise.comparison import logical_and
from tfcompat._state.cell import Cell
from tfcompat._state.scope import get_current_name_scope, name_scope


class _State(Inherited):
    """The state of the running thread.

    Attributes:
      writer: the default writer, or None.
      step: the default step, or None.
      condition: that of `record_if`, or None.
      is_silent: whether no summaries are recorded, as in all replicas of a strategy but the first one.
    """

    def __init__(self) -> None:
        self.writer: Any = None
        self.step: Any = None
        self.condition: Any = None
        self.is_silent = False


state = _State()
_NOT_OF_SCOPES = re.compile(r"[^-_/.A-Za-z0-9]")
_FIRST_BEYOND = 1 << 63


def get_step() -> Any:
    """The default step of this thread; None if it has none.

    Source: TF 2.21 `tf.summary.experimental.get_step`.
    """
    return state.step


def set_step(step: Any) -> None:
    """Makes `step` the default step of this thread: a number, a variable, or None.

    A `tf.function` stores a number when it is traced; it reads a variable at each call.

    Source: TF 2.21 `tf.summary.experimental.set_step`.
    """
    state.step = step


@contextmanager
def record_if(condition: Any) -> Generator[None]:
    """A context in which summaries are recorded if `condition` is true: a bool, a boolean tensor, or a function of one.

    A function is called for each summary; a `tf.function` traces it.

    Source: TF 2.21 `tf.summary.record_if`.
    """
    before = state.condition
    try:
        state.condition = condition
        yield
    finally:
        state.condition = before


def should_record_summaries() -> Tensor:
    """Whether summaries are recorded: there is a default writer, and the condition of `record_if` is true.

    Of the replicas of a strategy, the first one records them.

    Shapes: -> [].
    Dtypes: -> bool.
    Source: TF 2.21 `tf.summary.should_record_summaries`.
    """
    found = recording_condition()
    return convert_to_tensor(found) if isinstance(found, bool) else logical_and(True, found)


def recording_condition() -> bool | Tensor:
    """Whether summaries are recorded: a bool if that is known, else a tensor.

    Raises: TypeError if the condition of `record_if` is not a boolean.
    """
    condition = state.condition
    if state.writer is None or state.is_silent:
        return False
    if callable(condition) and not isinstance(condition, Cell):
        condition = condition()
    elif condition is not None and type(condition) is not Tensor and not isinstance(condition, Cell) and not condition:
        return False
    if condition is None or isinstance(condition, bool):
        return condition is not False
    tensor = observed(condition, bool_)
    if here.graph is not None:
        known = get_static_value(tensor)
    else:
        known = tensor._array if type(tensor._array) is np.ndarray else None
    return tensor if known is None else bool(np.all(known))


def observed(value: Any, dtype: Any = None) -> Tensor:
    """`value` as a tensor; the trace does not record a read of a variable."""
    if isinstance(value, Cell) and (dtype is None or value._dtype is dtype):
        return value._observed()
    return convert_to_tensor(value, dtype)


def require_step(step: Any) -> Any:
    """`step`, or the default step if it is None: a number or an int64 tensor.

    Raises: ValueError if it is missing, is not a scalar, or it is a tensor of another dtype; TypeError if it is not
      a whole number.
    """
    if step is None:
        step = state.step
        if step is None:
            raise ValueError(
                "No step set. Please specify one either through the `step` argument or through "
                "tf.summary.experimental.set_step()"
            )
    if type(step) is int and -_FIRST_BEYOND <= step < _FIRST_BEYOND:
        return step
    tensor = observed(step, int64)
    if tensor.shape.num_elements() != 1:
        raise ValueError(f"Argument `step` must be a scalar. Received step with shape {tensor.shape}.")
    return tensor


@contextmanager
def summary_scope(name: str, default_name: str = "summary", values: Any = None) -> Generator[tuple[str, str]]:
    """A context with a name scope for a summary, which yields the tag of the summary and the scope.

    The tag is `name`, or `default_name`, after the name scopes around it; the scope leaves out characters that scopes
    may not have. TensorFlow looks for the graph of `values`.

    Source: TF 2.21 `tf.summary.experimental.summary_scope`.
    """
    del values
    tag = _tag(name, default_name)
    with name_scope(_scope(name, default_name)) as scope:
        yield tag, scope


def tag_of(name: str | None, default_name: str) -> str:
    """The tag of `summary_scope`. In a function that is being traced, the name of the scope is taken.

    Raises: TypeError unless name is a string.
    """
    tag = _tag(name, default_name)
    if here.graph is not None:
        with name_scope(_scope(name, default_name)):
            pass
    return tag


def _tag(name: str | None, default_name: str) -> str:
    if name is not None and not isinstance(name, str):
        raise TypeError(f"tf.summary: name must be a string, got {name!r}.")
    scope = get_current_name_scope()
    return f"{scope}/{name or default_name}" if scope else name or default_name


def _scope(name: str | None, default_name: str) -> str:
    return _NOT_OF_SCOPES.sub("", name or default_name) or default_name
