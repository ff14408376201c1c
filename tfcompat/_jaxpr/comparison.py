"""The comparisons of symbolic sizes that code makes while JAX traces it.

JAX answers `n == 3` with False unless both sides are the same for every `n`; for `n < 3` it raises an error. So a trace
with symbols is wrong at the sizes at which a denied equality holds. This module watches the calls of `==` on sizes and
collects the equalities that were denied; a trace may be used for sizes at which none of them holds.
"""

from __future__ import annotations

import dis
import gc
import sys
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

import jax
import numpy as np

from tfcompat._jaxpr.collection import uncollected
from tfcompat._jaxpr.size import symbols_of


class Denied(NamedTuple):
    """An equality of two sizes that was answered with False, though it holds for some values of the symbols."""

    left: Any
    right: Any


# The code that compares a size of JAX with something, if that is Python code, and the names of its two parameters.
_SIZE = type(jax.export.symbolic_shape("n")[0])
_EQUALITY = getattr(_SIZE.__eq__, "__code__", None)
_HANDED_ON = frozenset(("__eq__", "__ne__"))
_LEFT, _RIGHT = _EQUALITY.co_varnames[:2] if _EQUALITY else ("", "")
_COMPARISONS = frozenset((dis.opmap["COMPARE_OP"], dis.opmap["CONTAINS_OP"]))


def can_watch() -> bool:
    """Whether this thread can watch comparisons: a profiler that is running would lose its place."""
    return _EQUALITY is not None and sys.getprofile() is None


@contextmanager
def denied(*, within_ops: bool = True) -> Generator[list[Denied]]:
    """The equalities of sizes that are denied in this context; the list is complete at its end.

    Code that JAX has traced before for the same symbols does not run again: take new symbols for a new context. If not
    `within_ops`, the code of ops is left out, which is to run again for the sizes at hand.
    """
    watch = _Watch(within_ops)
    found: list[Denied] = []
    try:
        with uncollected():
            try:
                sys.setprofile(watch.follow)
                yield found
            finally:
                sys.setprofile(None)
                watch.let_go()
    finally:
        # Errors about sizes that JAX has caught hold the frames of their callers, and with them tensors, in circles. As
        # nothing was collected since, all of it is young. (Collecting older objects brings a full collection nearer.)
        gc.collect(0)
        found.extend(filter(_may_hold, watch.met.values()))


def among(pairs: Iterable[Denied], symbols: Iterable[str]) -> list[Denied]:
    """Those of `pairs` that are about `symbols` only."""
    names = frozenset(symbols)
    return [pair for pair in pairs if symbols_of(pair) <= names]


class _Noted(threading.local):
    def __init__(self) -> None:
        self.names: set[str] = set()


_noted = _Noted()


def note_order(*sizes: np.ndarray) -> None:
    """Notes that the greater of some `sizes` was asked for: JAX answers it for symbols that are at least 2."""
    _noted.names |= symbols_of([size for array in sizes for size in array.ravel()])


class Orders:
    """A context that collects the names of the symbols whose order is asked for in it.

    Attributes:
      names: the names so far.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._before: set[str] = set()

    def __enter__(self) -> Orders:
        self._before, _noted.names = _noted.names, self.names
        return self

    def __exit__(self, *failure: object) -> None:
        _noted.names = self._before
        _noted.names |= self.names


class _Watch:
    """Follows the calls of a thread, and notes the equalities that are denied.

    JAX keeps shapes in tables, and looks them up beside others whose hashes begin alike. Those comparisons decide
    nothing. They come neither from a comparison in Python code nor from a built-in function that such code has called.

    Attributes:
      follows_ops: whether it follows the code of ops.
      follow: the profile function, whose attribute `watch` is this object.
      met: the equalities, by their text.
      callers: the callers of the built-in functions that are running.
    """

    def __init__(self, follows_ops: bool) -> None:
        self.follows_ops = follows_ops
        self.met: dict[tuple[str, str], Denied] = {}
        self.callers: list[FrameType] = []
        self.follow = self._following()

    def _following(self) -> Callable[[FrameType, str, Any], None]:
        """The profile function. It is called half a million times in the trace of a training step."""
        callers = self.callers
        called, returned = callers.append, callers.pop

        def follow(frame: FrameType, event: str, value: Any) -> None:
            if event == "c_call":
                called(frame)
            elif event == "c_return":
                if callers and callers[-1] is frame:  # else the function that has begun the watch returns
                    returned()
            elif value is False:
                if event == "return" and frame.f_code is _EQUALITY and self._decides(frame.f_back):
                    self._note(frame.f_locals[_LEFT], frame.f_locals[_RIGHT])
            elif event == "c_exception" and callers and callers[-1] is frame:
                returned()

        follow.watch = self  # pyright: ignore[reportFunctionMemberAccess]
        return follow

    def _note(self, left: Any, right: Any) -> None:
        if isinstance(right, int | np.integer) or jax.export.is_symbolic_dim(right):
            self.met.setdefault((str(left), str(right)), Denied(left, right))

    def let_go(self) -> None:
        """Releases the visited frames, and with them all objects that their callers hold."""
        self.callers.clear()

    def _decides(self, caller: FrameType | None) -> bool:
        """Whether `caller` learns the answer. A comparison of shapes hands it on to the code that compares them."""
        while caller is not None and caller.f_code.co_name in _HANDED_ON:
            caller = caller.f_back
        if caller is None or (self.callers and caller is self.callers[-1]):
            return True
        return caller.f_code.co_code[caller.f_lasti] in _COMPARISONS


class Unwatched:
    """A context whose comparisons decide nothing: watching takes most of the time of a trace."""

    __slots__ = ("_callers", "_is_op", "_watch")

    def __init__(self, *, is_op: bool = False) -> None:
        """If `is_op`, it is the code of an op that runs in the context."""
        self._is_op = is_op
        self._watch: _Watch | None = None
        self._callers: list[FrameType] = []

    def __enter__(self) -> None:
        watch = getattr(sys.getprofile(), "watch", None)
        if type(watch) is _Watch and not (self._is_op and watch.follows_ops):
            self._watch, self._callers = watch, [*watch.callers]
            sys.setprofile(None)

    def __exit__(self, *failure: object) -> None:
        if self._watch is not None:
            # The call that ended the watch has not been seen to return.
            self._watch.callers[:] = self._callers
            sys.setprofile(self._watch.follow)


def _may_hold(pair: Denied) -> bool:
    """Whether the equality holds for some values of the symbols, according to JAX."""
    if str(pair.left) == str(pair.right):
        return False  # symbols of two contexts, which have the same names
    difference = pair.left - pair.right
    for is_apart in (lambda: difference >= 1, lambda: difference <= -1):
        try:
            if is_apart():
                return False
        except (jax.errors.InconclusiveDimensionOperation, AssertionError):
            pass  # not decided; JAX asserts that it decides nothing about some fractions of sizes
    return True
