"""The strategies and replica contexts that are entered in this thread."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from tfcompat._core.thread_state import Place, recorder

_CROSS = "Method requires being in cross-replica context, use get_replica_context().merge_call()"


class Frame(NamedTuple):
    """A strategy that is entered.

    Attributes:
      strategy: the strategy.
      replica: the replica context; None in cross-replica context.
      updated: in `tf.distribute.StrategyExtended.update`, the number of the component that is updated; else None.
    """

    strategy: Any
    replica: Any
    updated: int | None = None


class _Here(threading.local):
    def __init__(self) -> None:
        self.frames: list[Frame] = []


_here = _Here()


def top() -> Frame | None:
    """The frame that was entered last; None outside of all strategies."""
    return _here.frames[-1] if _here.frames else None


@contextmanager
def entered(strategy: Any, replica: Any, updated: int | None = None) -> Generator[None]:
    """A context in `strategy`; in cross-replica context if `replica` is None."""
    before, depth = recorder.place, len(_here.frames)
    try:
        recorder.place = Place(strategy, None if replica is None else replica._place, updated)
        _here.frames.append(Frame(strategy, replica, updated))
        yield
    finally:
        # Without calls, after which a signal handler may run and raise.
        recorder.place = before
        del _here.frames[depth:]


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
