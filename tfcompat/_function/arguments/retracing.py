"""The warning about a function that is retraced often. It names the arguments that changed."""

from __future__ import annotations

import inspect
import logging
import weakref
from collections.abc import Callable, Mapping
from typing import Any

_logger = logging.getLogger("tensorflow")
_RECENT = 5
# As in TensorFlow.
_MOST_WARNINGS = 2
# By the code of functions: a function that is made again in a loop is traced as often.
_of_code: weakref.WeakKeyDictionary[Any, Retracing] = weakref.WeakKeyDictionary()


class Retracing:
    """Counts how many of a function's recent calls traced it, outside of other functions."""

    def __init__(self) -> None:
        self._calls = 0
        self._traced_at: list[int] = []
        self._last: Mapping[str, Any] = {}
        self._warnings = 0

    def called(self) -> None:
        """Counts a call that found its trace."""
        self._calls += 1

    def traced(self, name: str, keys: Mapping[str, Any]) -> None:
        """Counts a call that traced, with the key of each argument. If most recent calls traced, warns up to twice."""
        self._calls += 1
        before, self._last = self._last, keys
        self._traced_at = [*self._traced_at, self._calls][-_RECENT:]
        recent = self._calls - self._traced_at[0] + 1
        is_often = len(self._traced_at) == _RECENT and recent <= _RECENT + 1
        if is_often and self._warnings < _MOST_WARNINGS:
            self._warnings += 1
            changed = [argument for argument, key in keys.items() if before.get(argument) != key]
            what = f"last changed: {', '.join(changed)}" if changed else "fewer arguments than last time"
            _logger.warning(
                "%d out of the last %d calls to %s triggered tf.function retracing (%s). Tracing is expensive and the "
                "excessive number of tracings could be due to (1) creating @tf.function repeatedly in a loop, (2) "
                "passing tensors with different shapes, (3) passing Python objects instead of tensors. For (1), define "
                "the function outside of the loop. For (2), pad to a few shapes. For (3), pass tensors: "
                "tf.constant(value).",
                _RECENT,
                recent,
                name,
                what,
            )


def retracing_of(function: Callable[..., Any]) -> Retracing:
    """The counts of all functions that have the code of `function`."""
    plain = inspect.unwrap(function)
    code = getattr(getattr(plain, "__func__", plain), "__code__", None)
    return Retracing() if code is None else _of_code.setdefault(code, Retracing())
