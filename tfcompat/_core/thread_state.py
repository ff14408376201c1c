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
    """

    state: Inherited
    attributes: dict[str, Any]


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

# The values of attributes, in an order that is always the same.
State = list[Any]
_Places = list[tuple[Travelling, str]]


@functools.cache
def _places(count: int) -> tuple[_Places, _Places]:
    """The attributes of the first `count` states that travel, and those that do not."""
    states = _travelling[:count]
    travelling = [(state, name) for state in states for name in vars(state) if name not in state.own]
    return travelling, [(state, name) for state in states for name in state.own]


def carried() -> State:
    """The state of this thread that travels."""
    return [getattr(state, name) for state, name in _places(len(_travelling))[0]]


def receive(given: State) -> None:
    """Makes `given`, a state that travels, that of this thread."""
    for (state, name), value in zip(_places(len(_travelling))[0], given, strict=True):
        setattr(state, name, value)


def kept() -> State:
    """The attributes of this thread that do not travel."""
    return [getattr(state, name) for state, name in _places(len(_travelling))[1]]


def restore(given: State) -> None:
    """Makes `given` the attributes of this thread that do not travel."""
    for (state, name), value in zip(_places(len(_travelling))[1], given, strict=True):
        setattr(state, name, value)


def begin_anew() -> None:
    """Gives this thread the state of a new thread, with a number that no other one has."""
    for state in _travelling:
        state.__init__()
    recorder.number = next(_waiting)


def inherited() -> list[Inheritance]:
    """The states of this thread that new threads inherit."""
    return [Inheritance(state, _copied(vars(state))) for state in _inherited if vars(state)]


def _copied(attributes: dict[str, Any]) -> dict[str, Any]:
    """`attributes` with copies of those that change: lists and dictionaries."""
    found = attributes.copy()
    for name, value in attributes.items():
        if type(value) in _CHANGING:
            found[name] = value.copy()
    return found


def inherit(given: list[Inheritance]) -> None:
    """Makes copies of `given` the inherited states of this thread."""
    for state, attributes in given:
        vars(state).update(_copied(attributes))
