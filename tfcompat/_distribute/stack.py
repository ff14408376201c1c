"""The strategies and replica contexts that are entered in this thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from tfcompat._core.system.thread_state import Place, recorder
from tfcompat._state.creator import creators

_CROSS = "Method requires being in cross-replica context, use get_replica_context().merge_call()"


class Frame(NamedTuple):
    """A strategy that is entered.

    Attributes:
      strategy: the strategy.
      replica: the replica context; None in cross-replica context.
      updated: in `tf.distribute.StrategyExtended.update`, the number of the component that is updated; else None.
      component: the number of the component that a variable is there; None where it is all of them.
    """

    strategy: Any
    replica: Any
    updated: int | None = None
    component: int | None = None


class _Here(threading.local):
    """The state of this thread.

    Attributes:
      frames: those that are entered, in order.
      is_saving: whether variables are their first components outside of replicas.
    """

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.is_saving = False


state = _Here()
# The place of code that is traced to be saved, which distinguishes its traces.
_SAVING = Place(None, None, 0)


def top() -> Frame | None:
    """The frame that was entered last; None outside of all strategies."""
    return state.frames[-1] if state.frames else None


def _frame(strategy: Any, replica: Any, updated: int | None) -> Frame:
    number = updated if updated is not None or replica is None else replica._number
    return Frame(strategy, replica, updated, None if strategy.is_default else number)


@contextmanager
def entered(strategy: Any, replica: Any, updated: int | None = None) -> Generator[None]:
    """A context in `strategy`; in cross-replica context if `replica` is None."""
    before, depth = recorder.place, len(state.frames)
    try:
        recorder.place = Place(strategy, None if replica is None else replica._place, updated)
        state.frames.append(_frame(strategy, replica, updated))
        yield
    finally:
        # Without calls, after which a signal handler may run and raise.
        recorder.place = before
        del state.frames[depth:]


@contextmanager
def first_components() -> Generator[None]:
    """A context in which variables are their first components, as in functions that are traced to be saved."""
    before = recorder.place, state.is_saving
    try:
        recorder.place, state.is_saving = _SAVING, True
        yield
    finally:
        recorder.place, state.is_saving = before


class Entry(NamedTuple):
    """The state of code in a strategy.

    Attributes:
      place, frame: where it runs.
      maker: the creator of its variables.
    """

    place: Place
    frame: Frame
    maker: Callable[..., Any]

    @classmethod
    def of(cls, strategy: Any, replica: Any) -> Entry:
        """That of `entered(strategy, replica)`, where `strategy` also makes the variables."""
        place = Place(strategy, None if replica is None else replica._place, None)
        return cls(place, _frame(strategy, replica, None), strategy._created)


def called(fn: Callable[..., Any], args: Any, kwargs: Any, entry: Entry) -> Any:
    """`fn(*args, **kwargs)` in the state `entry`: the same as the contexts, in a fraction of their time."""
    frames, makers, before = state.frames, creators(), recorder.place
    depth, made_before = len(frames), len(makers)
    try:
        recorder.place, frame, maker = entry
        frames.append(frame)
        if maker not in makers:
            makers.append(maker)
        return fn(*args, **kwargs)
    finally:
        # Without calls, as above.
        recorder.place = before
        del frames[depth:]
        del makers[made_before:]


def require_cross_replica(strategy: Any) -> None:
    """Raises RuntimeError in a replica context, or in the scope of another strategy."""
    frame = top()
    if frame is None:
        return
    if frame.replica is not None:
        raise RuntimeError(_CROSS)
    if frame.strategy is not strategy:
        refuse_mixing(frame.strategy, strategy)


def refuse_mixing(entered_strategy: Any, strategy: Any) -> NoReturn:
    """Raises RuntimeError: two strategies are used together."""
    raise RuntimeError(f"Mixing different tf.distribute.Strategy objects: {entered_strategy} is not {strategy}")
