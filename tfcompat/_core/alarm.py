"""Bad values that programs met (an index out of range, ...): who is told, and what becomes of what they computed.

A program answers with flags, which nobody waits for. The next read looks at them and raises what they say. From then on
whatever was computed from what was refused raises it again, but for variables, which have the values from before the
program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn
from weakref import ref

import numpy as np

from tfcompat._core.error import InvalidArgumentError, OpError


class Alarm(NamedTuple):
    """The flags of a program that has run, and what they speak of.

    Attributes:
      flags: an array with one boolean for each of `complaints`.
      computed: the tensors that the program gave values to, each with the numbers of the flags it derives from.
      spoilt: tensors of variables, each with the one before it, whose old value the program did not keep by itself.
    """

    flags: Any
    complaints: tuple[str, ...]
    computed: tuple[tuple[ref[Any], frozenset[int]], ...]
    spoilt: tuple[tuple[Any, Any], ...]


class Failure:
    """In place of the trace of a tensor whose program met a bad value: every read says so."""

    __slots__ = ("error",)

    is_symbolic = False

    def __init__(self, error: OpError) -> None:
        self.error = error

    def materialise(self, tensor: Any, cause: str) -> NoReturn:
        """Raises the error, whatever the `tensor` and the `cause`."""
        del tensor, cause
        raise type(self.error).of(self.error.message) from self.error.__cause__

    def alias(self, tensor: Any) -> NoReturn:
        """The same."""
        self.materialise(tensor, "alias")


alarms: list[Alarm] = []
# The tensors that `alarms` speak of, by id.
_suspects: dict[int, ref[Any]] = {}
failures: list[Failure] = []
# What Python functions have raised that programs called, by what the programs complain of.
raised: dict[str, OpError] = {}


def clear() -> None:
    """Forgets what programs have met."""
    alarms.clear()
    raised.clear()
    _suspects.clear()
    failures.clear()


def watch(alarm: Alarm) -> None:
    """Remembers to look at the flags of `alarm`."""
    _suspects.update((id(tensor), r) for r, _ in alarm.computed if (tensor := r()) is not None)
    _suspects.update((id(new), ref(new)) for new, _ in alarm.spoilt)
    alarms.append(alarm)


def are_suspect(tensors: Mapping[int, Any]) -> bool:
    """Whether a program that nobody has looked at yet computed one of `tensors`, given by their ids."""
    return any(_suspects[key]() is not None for key in _suspects.keys() & tensors.keys())


def raise_alarms() -> None:
    """Raises InvalidArgumentError if a program that has run met a bad value. All that is known is told at once.

    What a Python function has raised that a program called is raised alone.
    """
    said: dict[str, None] = {}
    errors: list[OpError] = []
    # Another thread may look at them too.
    for alarm in list(alarms):
        flags = np.asarray(alarm.flags)
        found = dict.fromkeys(complaint for flag, complaint in zip(flags, alarm.complaints, strict=True) if flag)
        said.update(found)
        if found:
            errors.append(error_of(found))
            _fail(alarm, frozenset(np.flatnonzero(flags).tolist()), errors[-1])
        alarms[:] = [other for other in alarms if other is not alarm]
    if not alarms:
        _suspects.clear()
    if said:
        raise next((error for error in errors if error.__cause__ is not None), error_of(said))


def error_of(said: Iterable[str]) -> OpError:
    """What is raised where programs complain so."""
    for complaint, error in raised.items():
        if any(complaint in one for one in said):
            del raised[complaint]
            return error
    return InvalidArgumentError.of("\nAnd ".join(said))


def _fail(alarm: Alarm, raised_flags: frozenset[int], error: OpError) -> None:
    failure = Failure(error)
    failures.append(failure)
    for new, old in alarm.spoilt:
        new._array = old._value()
    for reference, numbers in alarm.computed:
        tensor = reference()
        if tensor is not None and tensor._array is not None and not numbers.isdisjoint(raised_flags):
            if tensor._trace is not None:
                tensor._trace.pending = [r for r in tensor._trace.pending if r() is not tensor]
            tensor._array, tensor._trace = None, failure
