"""Bad values in programs (an index out of range, ...): where they are raised, and what happens to the results.

A program returns flags, which are not waited for. The thread that ran it looks at them when it reads next, and
raises the errors. Results computed from bad values raise in every thread that reads them; variables have
the values from before the program.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NoReturn
from weakref import ref

import jax
import numpy as np

from tfcompat._core.error import InvalidArgumentError, OpError
from tfcompat._core.failure import of_value
from tfcompat._core.lock import binding

# With more entries than this, those whose tensors are gone are removed.
_MANY_SUSPECTS = 256
_AND = "\nAnd "


class Alarm:
    """The checks of a program that has run.

    Attributes:
      flags: a tensor with one boolean for each of `complaints`; None once `examine` has looked at it.
      computed: the tensors that the program gave values to, each with the numbers of the flags it derives from.
      spoilt: tensors of variables, each with the one before it, whose old value the program did not keep by itself.
      thread: the thread that runs the program.
      error: the error that the flags report, once they are examined.
    """

    __slots__ = ("complaints", "computed", "error", "flags", "spoilt", "thread")

    def __init__(
        self,
        flags: Any,
        complaints: tuple[str, ...],
        computed: Iterable[tuple[ref[Any], frozenset[int]]],
        spoilt: Iterable[tuple[Any, Any]],
    ) -> None:
        self.flags: Any = flags
        self.complaints = complaints
        self.computed = tuple(computed)
        self.spoilt = tuple(spoilt)
        self.thread = threading.get_ident()
        self.error: OpError | None = None

    def examine(self) -> OpError | None:
        """The error that the flags report, or None; at the first call, results of bad values become failures."""
        holder = self.flags
        if holder is not None:
            try:
                flags = np.asarray(jax.block_until_ready(holder._array))
            except jax.errors.JaxRuntimeError as failed:  # reading the results raises it, too
                self.error = of_value(failed)
                self.error.__cause__ = failed
                flags = np.zeros(0, bool)
            if flags.any():
                found = dict.fromkeys(text for flag, text in zip(flags, self.complaints, strict=True) if flag)
                with binding:  # another thread may look, too
                    self.error = self.error or error_of(found, self.thread)
                self._fail(frozenset(np.flatnonzero(flags).tolist()), self.error)
            self.flags, self.computed, self.spoilt = None, (), ()
        return self.error

    def _fail(self, raised_flags: frozenset[int], error: OpError) -> None:
        failure = Failure(error)
        for new, old in self.spoilt:
            new._array = old._value()
        for reference, numbers in self.computed:
            tensor = reference()
            if tensor is not None and tensor._array is not None and not numbers.isdisjoint(raised_flags):
                owner = tensor._trace
                if owner is not None:
                    owner.pending = [r for r in owner.pending if r() is not tensor]
                # In this order: a thread that finds no array asks the trace for it.
                tensor._trace = failure
                tensor._array = None


class Failure:
    """In place of the trace of a tensor whose program met a bad value: every read says so."""

    __slots__ = ("error",)

    is_symbolic = False
    has_failed = True
    # No thread computes these tensors.
    thread = None

    def __init__(self, error: OpError) -> None:
        self.error = error

    def materialise(self, tensor: Any, cause: str) -> NoReturn:
        """Raises the error, whatever the `tensor` and the `cause`."""
        del tensor, cause
        raise type(self.error).of(self.error.message) from self.error.__cause__


class _Unread(threading.local):
    """The alarms of programs that the running thread ran, not examined yet."""

    def __init__(self) -> None:
        self.alarms: list[Alarm] = []


class _Suspects:
    """Tensors that programs with checks have computed, by id, with the alarms to look at before they are read."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[ref[Any], Alarm]] = {}
        self._limit = _MANY_SUSPECTS
        self._spoilt: list[Alarm] = []

    def add(self, alarm: Alarm) -> None:
        """Adds the tensors of `alarm`."""
        self.known.update((id(tensor), (r, alarm)) for r, _ in alarm.computed if (tensor := r()) is not None)
        if alarm.spoilt:
            self.known.update((id(new), (ref(new), alarm)) for new, _ in alarm.spoilt)
            self._spoilt.append(alarm)
        if len(self.known) > self._limit:
            entries = list(self.known.items())
            self.known = {key: (r, a) for key, (r, a) in entries if r() is not None and a.flags is not None}
            self._limit = max(_MANY_SUSPECTS, 2 * len(self.known))
            self.has_spoilt()

    def drop(self, alarms: Sequence[Alarm]) -> None:
        """Removes the tensors of `alarms`."""
        self.known = {key: entry for key, entry in list(self.known.items()) if entry[1] not in alarms}
        self._spoilt = [alarm for alarm in self._spoilt if alarm not in alarms]

    def has_spoilt(self) -> bool:
        """Whether a variable may have a value whose alarm was not examined."""
        self._spoilt = [alarm for alarm in self._spoilt if alarm.flags is not None]
        return bool(self._spoilt)

    def alarms_of(self, ids: Iterable[int]) -> list[Alarm]:
        """The alarms of the tensors with these `ids`."""
        found = [self.known.get(key) for key in ids]
        return [entry[1] for entry in found if entry is not None and entry[0]() is not None]


unread = _Unread()
suspects = _Suspects()
# Errors of Python functions that programs called, by the complaint of the program and the thread that ran it.
raised: dict[tuple[str, int], OpError] = {}


def clear() -> None:
    """Forgets the bad values in programs of the running thread."""
    mine = unread.alarms.copy()
    unread.alarms.clear()
    with binding:
        for key in [key for key in list(raised) if key[1] == threading.get_ident()]:
            del raised[key]
        suspects.drop(mine)


def watch(alarm: Alarm) -> None:
    """Keeps `alarm` until its flags are examined; it belongs to a program that the running thread has run."""
    if alarm not in unread.alarms:
        with binding:
            suspects.add(alarm)
        unread.alarms.append(alarm)


def examine(tensors: Mapping[int, Any]) -> None:
    """Looks at the alarms that speak of one of `tensors`, by id. Those of this thread are raised if they say anything.

    Those of another thread are raised there; here the tensors raise it when they are read.
    """
    found = suspects.alarms_of(suspects.known.keys() & tensors.keys())
    if any(alarm in unread.alarms for alarm in found):
        raise_alarms()
    for alarm in found:
        alarm.examine()


def examine_read(tensor: Any) -> None:
    """Raises the bad values in this thread's programs; examines alarms of other threads about `tensor`."""
    if unread.alarms:
        raise_alarms()
    for alarm in suspects.alarms_of((id(tensor),)):
        alarm.examine()


def raise_alarms() -> None:
    """Raises InvalidArgumentError if a program that this thread has run met a bad value, with all that is known.

    The error of a Python function that a program called is raised alone.
    """
    alarms = unread.alarms.copy()
    errors = [error for alarm in alarms if (error := alarm.examine()) is not None]
    unread.alarms = [alarm for alarm in unread.alarms if alarm not in alarms]
    if errors:
        said = dict.fromkeys(line for error in errors for line in error.message.split(_AND))
        raise next((error for error in errors if error.__cause__ is not None), InvalidArgumentError.of(_AND.join(said)))


def error_of(said: Collection[str], thread: int) -> OpError:
    """The error to raise for these complaints of programs that `thread` has run.

    It may have run what another thread has recorded, in which the Python function was called then.
    """
    with binding:
        keys = [key for key in list(raised) if any(key[0] in one for one in said)]
        if keys:
            return raised.pop(next((key for key in keys if key[1] == thread), keys[0]))
    return InvalidArgumentError.of(_AND.join(said))
