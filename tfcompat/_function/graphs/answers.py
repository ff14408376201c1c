"""Results of Python functions that a call of a function has called: they are called once, even if its code runs again.

A program that calls them may turn out to be unfit for a call. Then Python code runs, and takes the results from here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import contextmanager
from typing import Any

from tfcompat._core.tracing.trace import here
from tfcompat._core.types.shape import TensorShape

Shapes = tuple[tuple[int, ...], ...]
# The most functions and shapes of their inputs that are remembered.
_MOST = 256


class Answers:
    """The results of Python functions, in the order of the calls.

    Attributes:
      place: the number of the next call.
      is_unexpected: whether a program has got a result of another shape than it expects.
      assigned: the numbers of the variables that the program assigns.
      is_unfit: whether a Python function has used one of them, so that Python code had better run.
    """

    def __init__(self) -> None:
        self._known: list[tuple[Hashable, Any, Exception | None]] = []
        self.place = 0
        self.is_unexpected = self.is_unfit = False
        self.assigned: frozenset[int] = frozenset()

    def call(self, name: Hashable, compute: Callable[[], Any]) -> Any:
        """The result of the next call, which `compute` makes unless it has been made. It is a call of `name`.

        If the code takes another way than before, the calls that were made after the last common one count no more.
        """
        if self.place < len(self._known) and self._known[self.place][0] == name:
            _, found, error = self._known[self.place]
            self.place += 1
            if error is not None:
                raise error
            return found
        try:
            found = compute()
        except Exception as error:
            self._keep(name, None, error)
            raise
        self._keep(name, found, None)
        return found

    def _keep(self, name: Hashable, found: Any, error: Exception | None) -> None:
        self._known[self.place :] = [(name, found, error)]
        self.place += 1

    @contextmanager
    def in_use(self) -> Generator[None]:
        """A context whose calls of Python functions belong to it."""
        outer, here.answers = here.answers, self
        try:
            yield
        finally:
            here.answers = outer


def name_of(function: Any) -> Hashable:
    """A key of functions that the same code makes."""
    while isinstance(function, functools.partial):
        function = function.func
    found = getattr(function, "__code__", function)
    return found if isinstance(found, Hashable) else type(found)


class AnswerShapes:
    """The shapes of the results of Python functions, by the function and the shapes of its inputs."""

    def __init__(self) -> None:
        # None for those that have returned arrays of several shapes.
        self._known: dict[Hashable, Shapes | None] = {}

    def note(self, name: Hashable, inputs: Sequence[Any], shapes: Shapes | None) -> None:
        """Takes the `shapes` of the results of a call of `name`, whose inputs have the shapes `inputs`.

        If they are None, later calls expect none.
        """
        key = (name, *map(str, inputs))
        if key in self._known or len(self._known) < _MOST:
            self._known[key] = shapes if self._known.get(key, shapes) == shapes else None

    def expected(
        self, name: Hashable, inputs: Sequence[Any], shapes: Sequence[TensorShape]
    ) -> dict[int, tuple[int, ...]] | None:
        """By number, the shapes of results in calls so far that `shapes` leaves open; None if none can be expected."""
        met = self._known.get((name, *map(str, inputs)), () if len(self._known) < _MOST else None)
        if met is None or len(met) != len(shapes):
            return None if met is None else {}
        pairs = enumerate(zip(met, shapes, strict=True))
        return {k: one for k, (one, shape) in pairs if not shape.is_fully_defined() and shape.is_compatible_with(one)}

    def may_recur(self, name: Hashable, inputs: Sequence[Any]) -> bool:
        """Whether calls of `name`, whose inputs have the shapes `inputs`, may be expected to have equal shapes."""
        return self._known.get((name, *map(str, inputs)), ()) is not None

    def __bool__(self) -> bool:
        return bool(self._known)


def note_shapes(function: Hashable, inputs: Sequence[Any], shapes: Shapes | None) -> None:
    """Notes the `shapes` of the results of a Python function for all functions that run their Python code around it.

    For the arguments see `AnswerShapes.note`.
    """
    call = here.untraced
    while call is not None:
        call.code.answer_shapes.note(function, inputs, shapes)
        call = call.outer
