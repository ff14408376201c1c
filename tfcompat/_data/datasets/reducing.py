"""Datasets of one result for each group of elements: `group_by_reducer`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types.dtype import int64
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.growth import Growth
from tfcompat._data.blocks.nesting import common_supertype, flatten, is_alike, is_subtype
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.datasets.dataset_source import made
from tfcompat._data.function.caller import Caller
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.user_function import UserFunction
from tfcompat._data.functional.mapping import Functional, shares_rows
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import UNKNOWN, Node

_LABEL = "tf.data.experimental.group_by_reducer"
_KEY = TensorSpec([], int64)


class Reducer:
    """The functions of `group_by_reducer`: of a key, of a state and an element, and of the last state.

    Source: TF 2.21 `tf.data.experimental.Reducer`.
    """

    def __init__(self, init_func: Any, reduce_func: Any, finalize_func: Any) -> None:
        self._functions = init_func, reduce_func, finalize_func

    @property
    def init_func(self) -> Any:
        """The function of a key that returns the first state."""
        return self._functions[0]

    @property
    def reduce_func(self) -> Any:
        """The function of a state and an element that returns the next state."""
        return self._functions[1]

    @property
    def finalize_func(self) -> Any:
        """The function of the last state that returns an element of the new dataset."""
        return self._functions[2]


def group_by_reducer(key_func: Any, reducer: Any) -> Callable[[Any], Any]:
    """A transformation to one element for each key, computed from the elements with this key, in the order of the keys.

    Raises: AttributeError unless `reducer` is a `tf.data.experimental.Reducer`. When it is applied: as
      `tf.data.Dataset.reduce`; ValueError unless keys are int64.
    Source: TF 2.21 `tf.data.experimental.group_by_reducer`.
    """
    return lambda dataset: made(GroupByReducer(dataset._node, key_func, reducer))


class GroupByReducer(Functional):
    """The last states of functions of the elements with each key."""

    label = "_GroupByReducerDataset"

    def __init__(self, source: Node, key_function: Any, reducer: Any) -> None:
        keys = UserFunction(_LABEL, key_function, [source.structure], is_spread=True, shares_rows=shares_rows(source))
        if keys.structure.spec != _KEY:
            raise ValueError(
                "Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, but it returns "
                f"{keys.structure.spec}."
            )
        self.calls = Calls(keys)
        first = UserFunction(_LABEL, reducer.init_func, [Structure(_KEY)])
        state, step = _traced(reducer.reduce_func, first.structure, source.structure)
        last = UserFunction(_LABEL, reducer.finalize_func, [state], is_spread=True)
        self.functions = Calls(first), Calls(step), Calls(last)
        is_pure = all(calls.is_pure for calls in (self.calls, *self.functions))
        super().__init__(source, last.structure, is_pure=is_pure)

    def count(self) -> int:
        return UNKNOWN

    def cursor(self) -> Cursor:
        return _Reduced(self)


def _traced(function: Any, state: Structure, element: Structure) -> tuple[Structure, UserFunction]:
    """The type of all states, with sizes open that change, and the trace of a function of a state and an element.

    Raises: TypeError if the function changes dtypes or the structure.
    """
    while True:
        found = UserFunction(_LABEL, function, [state, element])
        old, new = state.spec, found.structure.spec
        if not is_alike(old, new) or any(
            one.most_specific_common_supertype([other]) is None
            for one, other in zip(flatten(old), flatten(new), strict=True)
        ):
            raise TypeError(
                f"Invalid `reducer`. The element types for the new state {new} do not match the element types of the "
                f"old state {old}."
            )
        if is_subtype(old, new):
            return state, found
        state = Structure(common_supertype(old, new))


class _Reduced(Cursor):
    """Reads all elements, and then returns the results.

    Attributes:
      _states: the states by key; None before the input was read.
    """

    def __init__(self, node: GroupByReducer) -> None:
        self._cursor = node.source.cursor()
        self._growth = Growth(node.is_pure)
        self._keys = Caller(node.calls)
        self._first, self._step, self._last = map(Caller, node.functions)
        self._states: dict[int, Block] | None = None

    def read(self, most: int) -> Block | None:
        del most
        if self._states is None:
            self._states = self._reduced()
        if not self._states:
            return None
        return _result(self._last, self._states.pop(min(self._states)))

    def _reduced(self) -> dict[int, Block]:
        states: dict[int, Block] = {}
        while (block := self._cursor.read(self._growth.number)) is not None:
            self._growth.saw(block)
            start = 0
            for outcome in self._keys.outcomes(block):
                if isinstance(outcome, Exception):
                    raise outcome
                numbers: Any = outcome.columns[0]
                for row, key in enumerate(numbers.tolist(), start):
                    state = states.get(key)
                    if state is None:
                        state = _result(self._first, Block((np.array([key]),), 1))
                    element = block.part(row, row + 1)
                    states[key] = _result(self._step, Block((*state.columns, *element.columns), 1))
                start += outcome.count
        return states

    def save(self) -> Any:
        streams = [caller.save() for caller in (self._keys, self._first, self._step, self._last)]
        states = None if self._states is None else dict(self._states)
        return {"cursor": self._cursor.save(), "streams": streams, "states": states}

    def restore(self, state: Any) -> None:
        self._cursor.restore(state["cursor"])
        for caller, stream in zip((self._keys, self._first, self._step, self._last), state["streams"], strict=True):
            caller.restore(stream)
        self._states = None if state["states"] is None else dict(state["states"])


def _result(caller: Caller, arguments: Block) -> Block:
    """The result of one call. Raises its error."""
    (outcome,) = caller.outcomes(arguments)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
