"""Runs the program of a function's body that expects values of some of its tensors."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import jax
import numpy as np

from tfcompat._core.structure.check_outcome import clear, raise_failed_checks
from tfcompat._core.structure.failure import of_value
from tfcompat._core.structure.interruption import set_values
from tfcompat._core.structure.tensor import Tensor, finished
from tfcompat._core.system.error import OpError, UnexpectedValueError, UntraceableError
from tfcompat._core.system.lock import binding
from tfcompat._core.tracing.trace import here
from tfcompat._function.graphs.answers import Answers
from tfcompat._function.graphs.called import Site
from tfcompat._function.graphs.source import Drawn
from tfcompat._function.graphs.stored_trace import StoredTrace, computed
from tfcompat._function.running.draws import seeded, streams_of
from tfcompat._function.running.execution import Execution
from tfcompat._function.sizes.expected_value import Expected
from tfcompat._function.sizes.padding_waste import Waste
from tfcompat._random.seed import CallStream
from tfcompat._state.cell import Cell
from tfcompat._state.position import Position, end_of

# A trace is given up if, after some calls, more than one in that many brings other values.
_SOME, _RARE = 8, 4
_held_of = attrgetter("_held")


class ExpectingExecution:
    """The program of a stored trace that expects values of some of its tensors.

    The program takes no buffers of variables. They are assigned when it has run, if the values are as expected.

    Attributes:
      is_given_up: whether calls had better run their Python code, since they bring other values.
    """

    def __init__(
        self, stored: StoredTrace, expected: Sequence[Expected], waste: Waste | None, streams: Sequence[Any]
    ) -> None:
        """For `waste` see `Execution`. Earlier calls have drawn from `streams`.

        Raises: UntraceableError if a call of the program can't be undone, or can't follow one that runs Python code.
        """
        if not _are_assertions(stored):
            raise UntraceableError("a value decides a shape in code that prints")
        if any(isinstance(stream, Site) and stream.function is None for stream in _drawn(stored)):
            raise UntraceableError("a value decides a shape in code that calls a tf.py_function")
        if _seeds_of(streams_of(stored)) != _seeds_of(streams):
            raise UntraceableError("a value decides a shape in code whose functions draw random numbers")
        self._stored = stored
        self._expected = expected
        self._sources = [source for source in stored.sources if isinstance(source, Cell)]
        self._streams = [stream for stream in _drawn(stored) if not isinstance(stream, Site)]
        self._positions = [source for source in stored.sources if isinstance(source, Position)]
        tried = copy.copy(stored)
        tried.updates, tried.effects = [], []
        tried.outputs = [
            *stored.outputs,
            *[(slot, aval) for _, slot, aval in stored.updates],
            *[(each.slot, each.aval) for each in expected],
            *stored.effects,
        ]
        self._execution = Execution(tried, waste)
        self._calls = self._surprises = 0
        self._is_unfit = False

    @property
    def is_given_up(self) -> bool:
        """See the class."""
        return self._is_unfit or self._surprises * _RARE > self._calls + _SOME

    def __call__(self, flat: Sequence[Any]) -> list[Any]:
        """The outputs for the leaves `flat` of a call's arguments. Waits for the program.

        Raises: UnexpectedValueError, having done nothing, if a value is not as expected; the errors of failed checks.
        """
        cells = [self._stored.cell(cell, flat) for cell in self._sources]
        for tensor in [*filter(_is_numeric, flat), *map(_held_of, cells)]:
            computed(tensor)
        # Those of programs before this call: if values are not as expected, those of its own program are forgotten.
        raise_failed_checks()
        answers = Answers() if here.answers is None else here.answers
        first = answers.place
        answers.assigned |= {self._stored.cell(cell, flat)._number for cell, _, _ in self._stored.updates}
        positions = [stream.position for stream in self._streams]
        while True:
            for position in self._positions:
                position.follow()
            held = list(map(_held_of, cells))
            found = self._tried(flat, answers)
            if found is not None:
                raise_failed_checks()
                outputs = self._assigned(flat, found, cells, held)
                if outputs is not None:
                    self._calls += 1
                    return outputs
            answers.place = first
            for stream, position in zip(self._streams, positions, strict=True):
                stream.return_to(position)
            if found is None:
                self._calls += 1
                self._surprises += 1
                raise UnexpectedValueError("a value or a shape is another one than in earlier calls", answers)

    def _tried(self, flat: Sequence[Any], answers: Answers) -> list[Any] | None:
        """The outputs and the new values of variables; None if values are not as expected.

        The failed checks of a program that is not fit are forgotten.
        """
        found = None
        try:
            found = self._outputs(flat, answers)
        finally:
            self._is_unfit = self._is_unfit or answers.is_unfit
            if found is None:
                clear()
        return found

    def _outputs(self, flat: Sequence[Any], answers: Answers) -> list[Any] | None:
        answers.is_unexpected = False
        try:
            with answers.in_use():
                found = self._execution(flat)
        except OpError:  # it has read sizes or the outcomes of checks, which may derive from values that do not fit
            return None
        if answers.is_unexpected:
            return None
        count = len(self._stored.outputs) + len(self._stored.updates)
        for tensor, expected in zip(found[count:], self._expected, strict=False):
            if not np.array_equal(_array(tensor), expected.value):
                return None
        return found[:count]

    def _assigned(
        self, flat: Sequence[Any], found: list[Any], cells: Sequence[Cell], held: Sequence[Tensor]
    ) -> list[Any] | None:
        """The outputs among `found`, having assigned the rest.

        None if another thread has assigned one of `cells`, or has drawn from a stream of the program, meanwhile.
        """
        updates = self._stored.updates
        count = len(found) - len(updates)
        pairs = zip(found[count:], updates, strict=True)
        new = [finished(tensor._value("function"), aval) for tensor, (_, _, aval) in pairs]
        pairs = zip(updates, new, strict=True)
        ends = [(cell, end_of(value)) for (cell, _, _), value in pairs if isinstance(cell, Position)]
        with binding:
            if any(cell._held is not before for cell, before in zip(cells, held, strict=True)):
                return None
            if not all(position.is_followed for position in self._positions):  # Python code has drawn
                return None
            set_values([self._stored.cell(cell, flat) for cell, _, _ in updates], new)
            for position, end in ends:
                position.lead(end)
        return found[:count]


def _drawn(stored: StoredTrace) -> list[CallStream]:
    """The streams from which calls of `stored` draw: of random numbers, and of numbers of calls of Python functions."""
    return [source.stream for source in stored.sources if type(source) is Drawn]


def _is_numeric(value: Any) -> bool:
    return type(value) is Tensor and value._aval.struct is not None


def _array(tensor: Tensor) -> np.ndarray:
    """The value of `tensor`, even if it derives from a bad value."""
    try:
        return np.asarray(tensor._array)
    except jax.errors.JaxRuntimeError as failed:
        raise of_value(failed) from failed


def _seeds_of(streams: Sequence[Any]) -> list[Any]:
    return [stream.seeds for stream in seeded(streams)]


def _are_assertions(stored: StoredTrace) -> bool:
    """Whether the side effects of `stored` are checks of values, of which nothing is left if a call is undone."""
    slots = {slot for slot, _ in stored.effects}
    steps = [node for node in stored.node.path() if not slots.isdisjoint(range(node.first, node.slot))]
    return all(step.op is not None and step.op.check is not None for step in steps)
