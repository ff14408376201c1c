"""Placeholders for names that only a loop's body defines: zeros of the type that one iteration assigns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor, is_tensor
from tfcompat._core.types import nest
from tfcompat._function.autograph.library import Undefined, UndefinedReturnValue
from tfcompat._function.autograph.staging import is_undefined, scratch, tensor_like
from tfcompat._ops.array.creation import zeros

State = tuple[Any, ...]

_LEGAL = "Tensor, int, float, bool or a list, tuple or dict thereof"


def with_placeholders(
    body: Callable[[], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: Sequence[str],
    invariants: Sequence[Any],
) -> State:
    """The state before a loop, with zeros for undefined values and None. Tracing one iteration finds their types.

    Raises: NotImplementedError for a conditional return; ValueError if the iteration reads an undefined value, or
      leaves it undefined.
    """
    before = get_state()
    after: Sequence[Any] = [None] * len(before)
    message = ""
    try:
        with scratch():
            set_state(tuple(nest.map_structure(as_in_loop, before)))
            body()
            after = get_state()
        filled = tuple(
            _placeholder(like, shape, value) if value is None or is_undefined(value) else value
            for value, like, shape in zip(before, after, invariants, strict=True)
        )
    except (UnboundLocalError, TypeError, ValueError, KeyError) as error:
        filled = before
        kind = type(error).__name__
        message = f"\nNote: AutoGraph tried to define it automatically, but ran into a {kind}: {error}"
    set_state(filled)
    for name, value, like in zip(names, filled, after, strict=True):
        require_defined(name, value, like, message)
    return filled


def as_in_loop(value: Any) -> Any:
    """`value`, with a number, string or array converted to a tensor, as the loop does."""
    return value if is_tensor(value) or tensor_like(value) is None else convert_to_tensor(value)


def _placeholder(like: Any, invariant: Any, before: Any) -> Any:
    """Zeros of the type of `like`; `before` if `like` is undefined or None."""
    if like is None or is_undefined(like):
        return before
    if isinstance(like, (bool, int, float)):
        return type(like)(0)
    if isinstance(like, (list, tuple, dict)):
        return nest.map_structure(lambda leaf: _placeholder(leaf, None, before), like)
    tensor = None if isinstance(like, (str, bytes)) else tensor_like(like)
    if tensor is None:
        kind = type(like).__name__
        raise TypeError(
            f"Found an unsupported type '{kind}' while creating placeholder for {like}. Supported types include "
            "Tensor, int, float, bool, list, tuple or dict."
        )
    wanted = tensor.shape.as_list() if invariant is None else list(invariant)
    return zeros([size if dim is None else dim for dim, size in zip(wanted, tensor.shape, strict=True)], tensor.dtype)


def require_defined(name: str, value: Any, like: Any = None, message: str = "") -> None:
    """Raises NotImplementedError or ValueError if `value`, that of `name` before a loop, is undefined or None.

    `like` is its value after an iteration, and `message` the end of the message.
    """
    if isinstance(value, UndefinedReturnValue):
        if like is not None and not is_undefined(like):
            raise ValueError(f"the return value from a TensorFlow loop may only be a {_LEGAL}; got {type(like)}")
        raise NotImplementedError(
            "a return statement cannot be placed inside this TensorFlow loop; this may happen if a return statement "
            "depends on a static Python condition such as a hyperparameter"
        )
    if value is None:
        raise ValueError(f"'{name}' is not allowed to be None before the loop")
    if isinstance(value, Undefined):
        raise ValueError(f"'{name}' must be defined before the loop{message}")
