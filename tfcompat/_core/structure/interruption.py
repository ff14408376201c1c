"""Keeps signal handlers from interrupting calls that donate buffers.

Python runs a signal's handler in the main thread, between two instructions of Python code. If the handler raises, for
example a KeyboardInterrupt, the result of the previous instruction is lost. After a program has taken the buffers of
variables, its results are the only copy of their values, so they are stored in their tensors within one call of C code.
While JAX itself runs Python code around a program, handlers are postponed (see `postponement`).
"""

from __future__ import annotations

import gc
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, compress, repeat, starmap
from operator import attrgetter, is_
from typing import Any, NamedTuple

import jax

from tfcompat._core.structure.tensor import Tensor

_IS_COLLECTED_ANYWHERE = sys.version_info < (3, 12)
# An upper bound of the number of objects that a call makes in addition to its arrays.
_SMALL_OBJECTS = 32
_held_of, _trace_of = attrgetter("_held"), attrgetter("_trace")
_set_array: Callable[[Tensor, Any], None] = Tensor._array.__set__  # pyright: ignore[reportAttributeAccessIssue]


def _collects_while_it_allocates(count: int) -> bool:
    """Whether garbage may be collected within a call of C code that makes `count` arrays; up to Python 3.11 it may.

    The collector calls Python functions (JAX has one), between which signal handlers run.
    """
    return _IS_COLLECTED_ANYWHERE and gc.get_count()[0] + 2 * count + _SMALL_OBJECTS > gc.get_threshold()[0] > 0


class Rebinding(NamedTuple):
    """The variables that a program assigns.

    Attributes:
      cells: all of them; `held`: the tensors that they hold.
      changed: those that are to hold the tensors `new` once the program has run. The others keep theirs, which receive
        other arrays.
    """

    cells: Sequence[Any] = ()
    held: Sequence[Tensor] = ()
    changed: Sequence[Any] = ()
    new: Sequence[Tensor] = ()

    def is_possible(self) -> bool:
        """Whether the variables still hold these tensors: no signal handler has assigned them."""
        return all(self.conditions())

    def conditions(self) -> Iterator[bool]:
        """The same, for each variable. C code computes them."""
        return map(is_, map(_held_of, self.cells), self.held)


NOTHING = Rebinding()


class Changes(NamedTuple):
    """Attributes to set: of each of `owners` the one in `names`, to the next of `values`, which C code may compute."""

    owners: Iterable[Any]
    names: Iterable[str]
    values: Iterable[Any]

    def make(self) -> None:
        """Sets all of them or none."""
        deque(map(setattr, *self), maxlen=0)


def store_results(
    run: Callable[..., Sequence[Any]],
    args: Sequence[Any],
    targets: Sequence[Tensor],
    rebinding: Rebinding = NOTHING,
    order: Callable[[Sequence[Any]], Sequence[Any]] | None = None,
) -> None:
    """Stores the arrays that `run(*args)` returns in `targets`, and binds variables to their new tensors.

    Does nothing if a signal handler has assigned one of these. `order` brings the arrays in the order of the targets.
    If `run` and `order` are C code, no handler runs in between.
    """
    if _collects_while_it_allocates(len(targets)) and gc.isenabled():
        gc.collect(0)
    calls = compress((args,), map(all, (rebinding.conditions(),)))
    results = starmap(run, calls)
    _store(targets, results if order is None else map(order, results), rebinding)


def store_and_change(
    run: Callable[..., Iterable[Any]],
    args: Sequence[Any],
    targets: Sequence[Tensor],
    conditions: Iterable[bool],
    changes: Changes,
) -> None:
    """Stores the arrays that `run(*args)` returns in `targets` and makes `changes`: all or nothing.

    Nothing if one of `conditions` is false. If these and `run` are C code, no handler runs in between.
    """
    if _collects_while_it_allocates(len(targets)) and gc.isenabled():
        gc.collect(0)
    _store_first(targets, starmap(run, compress((args,), map(all, (conditions,)))), changes)


def _store(targets: Sequence[Tensor], results: Iterable[Iterable[Any]], rebinding: Rebinding) -> None:
    """Stores the first of `results` in `targets` and binds variables, unless `results` is empty, in one call of C."""
    if rebinding.changed:
        _store_first(targets, results, Changes(rebinding.changed, repeat("_held"), rebinding.new))
    else:
        deque(map(_set_array, targets, chain.from_iterable(results)), maxlen=0)


def _store_first(targets: Sequence[Tensor], results: Iterable[Iterable[Any]], changes: Changes) -> None:
    """Stores the first of `results` in `targets` and makes `changes`, unless `results` is empty, in one call of C."""
    values = chain.from_iterable(chain.from_iterable(zip(results, (changes.values,), strict=False)))
    names = chain(repeat("_array", len(targets)), changes.names)
    deque(map(setattr, chain(targets, changes.owners), names, values), maxlen=0)


def store_arrays(targets: Sequence[Tensor], arrays: Iterable[Any], rebinding: Rebinding = NOTHING) -> None:
    """Stores `arrays` in `targets` and binds variables to their new tensors: all of them or none."""
    _store(targets, (arrays,), rebinding)


def set_attribute(attribute: str, owners: Iterable[Any], value: Any) -> None:
    """Sets `attribute` of `owners` to `value`: of all or of none."""
    deque(map(setattr, owners, repeat(attribute), repeat(value)), maxlen=0)


def set_values(cells: Iterable[Any], tensors: Iterable[Tensor]) -> None:
    """Sets the values of the variables `cells` to `tensors`: of all or of none."""
    deque(map(setattr, cells, repeat("_held"), tensors), maxlen=0)


def restore_values(cells: Sequence[Any], tensors: Sequence[Tensor], trace: Any) -> None:
    """Sets the values of those variables `cells` that hold a tensor of `trace` to `tensors`: of all of them or of none.

    The others have been assigned since.
    """

    def conditions() -> Iterator[bool]:
        return map(is_, map(_trace_of, map(_held_of, cells)), repeat(trace))

    changed, values = compress(cells, conditions()), compress(tensors, conditions())
    freed = list(map(_held_of, cells))  # after the changes, since Python code may run when a tensor is freed
    deque(map(setattr, changed, repeat("_held"), values), maxlen=0)
    del freed


def restore_types(is_wide: bool) -> None:
    """Switches JAX's 64-bit types on or off as before, where an interrupt has prevented a context from doing so."""
    if jax.config.jax_enable_x64 != is_wide:  # pyright: ignore[reportAttributeAccessIssue]
        jax.enable_x64(is_wide).__enter__()
