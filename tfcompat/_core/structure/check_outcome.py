"""Outcomes of value checks in programs (an index out of range, ...): errors are raised when a value is read.

A program with checks returns one flag for each, without waiting for them. The thread that ran the program examines the
flags at its next read, and raises the errors. Results computed from bad values raise in every thread that reads them.
Variables keep the values that they had before the program.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NoReturn
from weakref import ref

import jax
import numpy as np

from tfcompat._core.structure.failure import of_value
from tfcompat._core.system.error import InvalidArgumentError, OpError
from tfcompat._core.system.lock import binding
from tfcompat._core.system.thread_state import Travelling

# With more entries than this, those whose tensors are gone are removed.
_MANY_ENTRIES = 256
_AND = "\nAnd "


class CheckOutcome:
    """The outcome of the value checks in one run of a program.

    Attributes:
      messages: the error messages of the checks.
      flags: a tensor with one boolean for each of `messages`, true if the check failed. None once it is examined.
      computed: the tensors computed by the program, each with the numbers of the checks that it derives from.
      overwritten: the new tensor of each variable that the program overwrites even if a check fails, and the old one.
      thread: the thread that runs the program.
      keys: the ids under which `unverified` holds its tensors.
      is_registered: whether the thread has been given it to examine.
      error: the error of the failed checks, once the flags are examined.
    """

    __slots__ = ("computed", "error", "flags", "is_registered", "keys", "messages", "overwritten", "thread")

    def __init__(
        self,
        flags: Any,
        messages: tuple[str, ...],
        computed: Iterable[tuple[ref[Any], frozenset[int]]],
        overwritten: Iterable[tuple[Any, Any]],
    ) -> None:
        self.flags: Any = flags
        self.messages = messages
        self.computed = tuple(computed)
        self.overwritten = tuple(overwritten)
        self.thread = threading.get_ident()
        self.keys: Sequence[int] = ()
        self.is_registered = False
        self.error: OpError | None = None

    @property
    def is_on_host(self) -> bool:
        """Whether the flags can be examined without waiting for a device."""
        return self.flags is None or type(self.flags._array) is np.ndarray

    def examine(self) -> OpError | None:
        """The error of the failed checks, or None. The first call turns results of bad values into failures."""
        holder = self.flags
        if holder is not None:
            try:
                array = holder._array
                flags = array if type(array) is np.ndarray else np.asarray(array.block_until_ready())
            except jax.errors.JaxRuntimeError as failed:  # reading the results raises it too
                self.error = of_value(failed)
                self.error.__cause__ = failed
                flags = np.zeros(0, bool)
            if any(flags.tolist()):
                found = dict.fromkeys(text for flag, text in zip(flags, self.messages, strict=True) if flag)
                with binding:  # another thread may examine it at the same time
                    self.error = self.error or error_of(found, self.thread)
                self._fail(frozenset(np.flatnonzero(flags).tolist()), self.error)
            self.flags, self.computed, self.overwritten = None, (), ()
            unverified.forget(self)
        return self.error

    def _fail(self, raised_flags: frozenset[int], error: OpError) -> None:
        failure = Failure(error)
        for new, old in self.overwritten:
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
    """Takes the place of the trace of a tensor that derives from a bad value: every read raises the error."""

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


class _Unexamined(Travelling):
    """The outcomes of programs that the running thread ran and whose flags it has not examined."""

    def __init__(self) -> None:
        self.outcomes: list[CheckOutcome] = []


class _Unverified:
    """Tensors computed by programs with checks, by id, each with the outcome to examine before it is read."""

    def __init__(self) -> None:
        self.entries: dict[int, tuple[ref[Any], CheckOutcome]] = {}
        self._limit = _MANY_ENTRIES
        self._overwritten: list[CheckOutcome] = []
        self._independent: dict[int, ref[Any]] = {}

    def add(self, outcome: CheckOutcome) -> None:
        """Adds the tensors of `outcome`."""
        found = {id(tensor): (r, outcome) for r, _ in outcome.computed if (tensor := r()) is not None}
        if outcome.overwritten:
            found.update((id(new), (ref(new), outcome)) for new, _ in outcome.overwritten)
            self._overwritten.append(outcome)
        outcome.keys = tuple(found)
        self.entries.update(found)
        if len(self.entries) > self._limit:
            entries = list(self.entries.items())
            self.entries = {key: (r, o) for key, (r, o) in entries if r() is not None and o.flags is not None}
            self._limit = max(_MANY_ENTRIES, 2 * len(self.entries))
            self.has_overwritten()

    def forget(self, outcome: CheckOutcome) -> None:
        """Removes the tensors of `outcome`, which is examined."""
        with binding:  # another thread may add a tensor with the id of one that is gone
            for key in outcome.keys:
                entry = self.entries.get(key)
                if entry is not None and entry[1] is outcome:
                    del self.entries[key]

    def exempt(self, tensor: Any) -> None:
        """Lets reads of `tensor`, which no program computes, not wait for programs that run on a device."""
        self._independent[id(tensor)] = ref(tensor, functools.partial(self._forget, id(tensor)))

    def is_independent(self, tensor: Any) -> bool:
        """Whether reads of `tensor` wait for no program."""
        return id(tensor) in self._independent

    def _forget(self, key: int, _: Any) -> None:
        self._independent.pop(key, None)

    def drop(self, outcomes: Sequence[CheckOutcome]) -> None:
        """Removes the tensors of `outcomes`."""
        self.entries = {key: entry for key, entry in list(self.entries.items()) if entry[1] not in outcomes}
        self._overwritten = [outcome for outcome in self._overwritten if outcome not in outcomes]

    def has_overwritten(self) -> bool:
        """Whether a variable may have been overwritten by a program whose flags are not examined."""
        self._overwritten = [outcome for outcome in self._overwritten if outcome.flags is not None]
        return bool(self._overwritten)

    def outcomes_of(self, ids: Iterable[int]) -> list[CheckOutcome]:
        """The outcomes of the tensors with these `ids`."""
        found = [self.entries.get(key) for key in ids]
        return [entry[1] for entry in found if entry is not None and entry[0]() is not None]


unexamined = _Unexamined()
unverified = _Unverified()
# Errors of Python functions that programs called, by the message of the program and the thread that ran it.
python_errors: dict[tuple[str, int], OpError] = {}


def clear() -> None:
    """Forgets the outcomes of the running thread's programs."""
    mine = unexamined.outcomes.copy()
    unexamined.outcomes.clear()
    with binding:
        for key in [key for key in list(python_errors) if key[1] == threading.get_ident()]:
            del python_errors[key]
        unverified.drop(mine)


def register(outcome: CheckOutcome) -> None:
    """Keeps the `outcome` of a program that the running thread has run, until its flags are examined."""
    if not outcome.is_registered:
        with binding:
            unverified.add(outcome)
        unexamined.outcomes.append(outcome)
        outcome.is_registered = True


def examine(tensors: Mapping[int, Any]) -> None:
    """Examines the programs that computed `tensors` (by id). Raises the errors of this thread's programs.

    Another thread raises the errors of its programs itself; in this thread their tensors raise them when read.
    """
    found = unverified.outcomes_of(unverified.entries.keys() & tensors.keys())
    if any(outcome in unexamined.outcomes for outcome in found):
        raise_failed_checks()
    for outcome in found:
        outcome.examine()


def examine_read(tensor: Any) -> None:
    """Raises the errors of this thread's programs, and examines the program of another thread that made `tensor`."""
    if unexamined.outcomes:
        raise_failed_checks(waits=not unverified.is_independent(tensor))
    entry = unverified.entries.get(id(tensor))
    if entry is not None and entry[0]() is tensor:
        entry[1].examine()


def raise_failed_checks(most: int | None = None, *, waits: bool = True) -> None:
    """Raises one InvalidArgumentError with the messages of all failed checks in programs that this thread has run.

    Only the first `most` programs are examined, and only those whose outcome is on the host unless it `waits`. If a
    program called a Python function that failed, the error of that function is raised instead.
    """
    outcomes = [outcome for outcome in unexamined.outcomes[:most] if waits or outcome.is_on_host]
    if not outcomes:
        return
    errors = [error for outcome in outcomes if (error := outcome.examine()) is not None]
    examined = set(map(id, outcomes))
    unexamined.outcomes = [outcome for outcome in unexamined.outcomes if id(outcome) not in examined]
    if errors:
        lines = dict.fromkeys(line for error in errors for line in error.message.split(_AND))
        of_python = (
            error for error in errors if error.__cause__ is not None or type(error) is not InvalidArgumentError
        )
        raise next(of_python, InvalidArgumentError.of(_AND.join(lines)))


def error_of(messages: Collection[str], thread: int) -> OpError:
    """The error with the `messages` of failed checks in programs that `thread` has run.

    A Python function may have been called in another thread: the one that recorded the program.
    """
    with binding:
        keys = [key for key in list(python_errors) if any(key[0] in message for message in messages)]
        if keys:
            return python_errors.pop(next((key for key in keys if key[1] == thread), keys[0]))
    return InvalidArgumentError.of(_AND.join(messages))
