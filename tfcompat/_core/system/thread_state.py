"""State of the running thread that goes along when other threads continue its recording.

A strand (`strand.py`) is a thread that records into the trace of the thread that waits for it. What belongs to the
recording travels between both; what belongs to the code, such as its name scopes, a strand inherits at its start.
"""

from __future__ import annotations

import functools
import itertools
import threading
from typing import Any, ClassVar, NamedTuple, Self

_CHANGING = (list, dict)
_travelling: list[Travelling] = []
_inherited: list[Inherited] = []


class Place(NamedTuple):
    """Where code runs among the replicas of a strategy.

    Attributes:
      strategy: the strategy.
      replica: the number of the replica; None in code that runs for all replicas.
      updated: the number of the component of a variable that such code updates; None elsewhere.
    """

    strategy: Any
    replica: int | None
    updated: int | None


class Travelling(threading.local):
    """State of a recording. A thread that waits for a strand has another one meanwhile.

    Attributes:
      own: the attributes that belong to the code of each thread, and do not travel.
    """

    own: ClassVar[tuple[str, ...]] = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """A new state, which is registered."""
        state = super().__new__(cls, *args, **kwargs)
        _travelling.append(state)
        return state


class Inherited(threading.local):
    """State of the code of a thread, which begins with a copy of the state of the thread that starts it."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """A new state, which is registered."""
        state = super().__new__(cls, *args, **kwargs)
        _inherited.append(state)
        return state


class Inheritance(NamedTuple):
    """A state that threads inherit.

    Attributes:
      state: the state; `attributes`: those that it has in the thread that they inherit from.
      changing: the names of those that each thread has to copy: lists and dictionaries.
    """

    state: Inherited
    attributes: dict[str, Any]
    changing: list[str]


class _Recorder(Travelling):
    """Who records, and for which replica.

    Attributes:
      number: by default the identifier of the thread. Traces belong to the recorder with a number.
      is_shared: whether other threads, which are waiting, have tapes that record into the trace.
      place: the strategy and the replica that code runs in, which distinguish traces of functions; None outside of
        strategies.
    """

    own = ("place",)

    def __init__(self) -> None:
        self.number = threading.get_ident()
        self.is_shared = False
        self.place: Place | None = None


recorder = _Recorder()
# Numbers of threads that wait for strands; identifiers of threads are positive.
_waiting = itertools.count(-1, -1)

# The attributes of each state that travels, in the order of `_travelling`.
State = list[dict[str, Any]]
# The values of attributes that do not travel.
Own = list[Any]


@functools.cache
def _own(count: int) -> tuple[list[tuple[int, str]], list[tuple[Travelling, str]]]:
    """The attributes of the first `count` states that do not travel, by the numbers of these states, and by them."""
    found = [(place, state, name) for place, state in enumerate(_travelling[:count]) for name in state.own]
    return [(place, name) for place, _, name in found], [(state, name) for _, state, name in found]


def carried() -> State:
    """The state of this thread that travels."""
    found = [vars(state).copy() for state in _travelling]
    for place, name in _own(len(found))[0]:
        del found[place][name]
    return found


def receive(given: State) -> None:
    """Makes `given`, a state that travels, that of this thread."""
    for state, attributes in zip(_travelling, given, strict=False):  # a module may have been imported since
        vars(state).update(attributes)


def kept() -> Own:
    """The attributes of this thread that do not travel."""
    return [getattr(state, name) for state, name in _own(len(_travelling))[1]]


def restore(given: Own) -> None:
    """Makes `given` the attributes of this thread that do not travel."""
    for (state, name), value in zip(_own(len(_travelling))[1], given, strict=False):
        setattr(state, name, value)


def begin_anew() -> None:
    """Gives this thread the state of a new thread, with a number that no other one has."""
    for state in _travelling:
        state.__init__()
    recorder.number = next(_waiting)


def inherited() -> list[Inheritance]:
    """The states of this thread that new threads inherit."""
    found: list[Inheritance] = []
    for state in _inherited:
        attributes = vars(state)
        if attributes:
            changing = [name for name, value in attributes.items() if type(value) in _CHANGING]
            found.append(Inheritance(state, _copied(attributes.copy(), changing), changing))
    return found


def _copied(attributes: dict[str, Any], changing: list[str]) -> dict[str, Any]:
    """`attributes`, with copies of those that are `changing`."""
    for name in changing:
        attributes[name] = attributes[name].copy()
    return attributes


def inherit(given: list[Inheritance]) -> None:
    """Makes copies of `given` the inherited states of this thread."""
    for state, attributes, changing in given:
        vars(state).update(_copied(attributes.copy(), changing) if changing else attributes)
