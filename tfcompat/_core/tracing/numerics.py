"""`tf.debugging.enable_check_numerics`: every op runs when it is called, and its results are checked."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tfcompat._core.structure.node import Node
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.config import settings
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.system.location import user_line
from tfcompat._core.types.dtype import FLOATING

# They only move numbers: a bad number was bad before.
_SAFE = frozenset(
    (
        *("concat", "expand_dims", "fill", "gather", "gather_nd", "identity", "identity_n", "reshape", "slice"),
        *("squeeze", "stack", "strided_slice", "getitem", "stop_gradient"),
    )
)


class _Before:
    """The state that `disable_check_numerics` restores."""

    is_immediate = False


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Makes each op raise if it returns nan or an infinity. From now on every op runs when it is called.

    For a called function, only the results are checked.

    Raises: NotImplementedError for limits of the list of frames: the message names the user's line instead. Ops raise
      InvalidArgumentError.
    Source: TF 2.21 `tf.debugging.enable_check_numerics`.
    """
    if (stack_height_limit, path_length_limit) != (30, 50):
        raise NotImplementedError(
            "tf.debugging.enable_check_numerics: stack_height_limit and path_length_limit shape a list of frames; the "
            "message here names the line that called the op. Leave them out."
        )
    if not settings.is_checking_numerics:
        _Before.is_immediate = settings.is_immediate
        settings.is_immediate = settings.is_checking_numerics = True


def disable_check_numerics() -> None:
    """Disables the check.

    Source: TF 2.21 `tf.debugging.disable_check_numerics`.
    """
    if settings.is_checking_numerics:
        settings.is_immediate = _Before.is_immediate
        settings.is_checking_numerics = False


def require_finite(node: Node, tensors: Iterable[Tensor]) -> None:
    """Raises InvalidArgumentError if one of `tensors`, computed on the path to `node`, holds nan or an infinity."""
    for tensor in tensors:
        if tensor.dtype not in FLOATING or tensor._array is None:
            continue
        array = np.asarray(tensor._array).astype(np.float64)
        if np.isfinite(array).all():
            continue
        step = next(step for step in (node, *node.path()) if step.first <= tensor._slot < step.first + len(step.avals))
        name = "" if step.op is None else step.op.name
        if name not in _SAFE:
            raise InvalidArgumentError.of(_message(name, tensor, array, tensor._slot - step.first, len(step.avals)))


def _message(name: str, tensor: Tensor, array: np.ndarray, place: int, count: int) -> str:
    kinds = (("-Inf", np.isneginf(array)), ("+Inf", np.isposinf(array)), ("NaN", np.isnan(array)))
    counts = "".join(f"\n  # of {kind} elements: {found.sum()}" for kind, found in kinds if found.any())
    return (
        f'\n\n!!! Detected Infinity or NaN in output {place} of eagerly-executing op "{name}" (# of outputs: {count}) '
        f"!!!\n  dtype: {tensor.dtype}\n  shape: {array.shape}{counts}\n  at {user_line()}\n"
    )
