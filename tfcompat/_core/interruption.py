"""Signals, kept away from calls that take buffers over.

Python runs a signal's handler in the main thread, between two instructions of Python code; an exception from the
handler, a KeyboardInterrupt for example, discards the result of the instruction before. Where a program has just taken
over the buffers of variables, its results are all that is left of them. So results reach their tensors within one call
of C code. Where JAX itself runs Python code around a program, handlers are postponed (see `postponement`).
"""

from __future__ import annotations

import gc
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat, starmap
from typing import Any

from tfcompat._core.tensor import Tensor

_IS_COLLECTED_ANYWHERE = sys.version_info < (3, 12)
# An upper bound of the objects that a call makes beside its arrays.
_SMALL_OBJECTS = 32
_set_array: Callable[[Tensor, Any], None] = Tensor._array.__set__  # pyright: ignore[reportAttributeAccessIssue]


def _collects_while_it_allocates(count: int) -> bool:
    """Whether the collector may come into a call of C code that makes `count` arrays: up to Python 3.11 it does.

    It calls Python functions (JAX has one), and with them the handlers of signals.
    """
    return _IS_COLLECTED_ANYWHERE and gc.get_count()[0] + 2 * count + _SMALL_OBJECTS > gc.get_threshold()[0] > 0


def land(run: Callable[..., Sequence[Any]], args: Sequence[Any], targets: Sequence[Tensor]) -> None:
    """Gives `targets` the arrays that `run(*args)` returns. If `run` is C code, no handler runs in between."""
    if _collects_while_it_allocates(len(targets)) and gc.isenabled():
        gc.collect(0)
    deque(map(_set_array, targets, chain.from_iterable(starmap(run, (args,)))), maxlen=0)


def give(targets: Iterable[Tensor], arrays: Iterable[Any]) -> None:
    """Gives `targets` their `arrays`, all of them or none."""
    deque(map(_set_array, targets, arrays), maxlen=0)


def put(attribute: str, owners: Iterable[Any], value: Any) -> None:
    """Sets `attribute` of all `owners` to `value`: of all or of none."""
    deque(map(setattr, owners, repeat(attribute), repeat(value)), maxlen=0)


def hold(cells: Iterable[Any], tensors: Iterable[Tensor]) -> None:
    """Sets the values of variables to `tensors`: of all or of none."""
    deque(map(setattr, cells, repeat("_held"), tensors), maxlen=0)
