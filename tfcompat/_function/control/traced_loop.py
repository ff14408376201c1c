"""The condition and the body of a `tf.while_loop`, traced, with the checks on its loop variables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.text import is_text
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UntraceableError
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types import nest
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dtype import bool_, int32
from tfcompat._function.block.block import Block, has_value
from tfcompat._function.graphs.equal_value import EqualValues
from tfcompat._function.graphs.graph import Graph, is_symbolic
from tfcompat._function.graphs.host_string import is_same_text, shown
from tfcompat._function.graphs.refusal import refuse_strings
from tfcompat._function.graphs.source import Argument, Drawn
from tfcompat._function.sizes.part_graph import PartGraph
from tfcompat._function.tensor_array.array import TensorArray
from tfcompat._function.tensor_array.unshaped import Unshaped
from tfcompat._ops.array.layout import reshape

_SHIFT = 32
# 2 ** 32 divided by the golden ratio: it keeps the numbers of nested loops' iterations apart.
_SPREAD = 2654435769
_MOST = 2**31 - 1


class IteratedGraph(PartGraph):
    """A graph whose argument 0 is the number of the iteration.

    Draws without a seed, and draws of iterations that run `at_once`, depend on the iteration's number only. The first
    iteration draws the same numbers as without a loop. In iteration k the op's stream continues at a different place:
    k * 2 ** 32 is added to the high half of the counter. In nested loops k is a hash of the iterations' numbers.
    """

    __slots__ = ("_at_once", "iteration")

    is_iterated = True

    def __init__(self, label: str, *, at_once: bool = False) -> None:
        super().__init__(label)
        self._at_once = at_once
        self.iteration = self.argument(aval_of((), int32), 0)

    @property
    def may_find(self) -> bool:
        """See `PartGraph`."""
        return not self._at_once

    @property
    def keeps_positions(self) -> bool:
        """Whether draws in it and its parts continue where the previous draw from the stream ended."""
        return not self._at_once and super().keeps_positions

    def drawn(self, source: Drawn) -> Tensor:
        """The vector that each iteration draws."""
        position = self.position_of(source)
        if position is not None:
            return position.drawn()
        vector = super().drawn(source)
        inner, here.trace = here.trace, self
        try:
            return record(_MOVED, (vector, self.iteration))
        finally:
            here.trace = inner


def _moved(drawn: Any, iteration: Any) -> Any:
    key, low, high = drawn
    place = (high >> _SHIFT) * np.int64(_SPREAD) + iteration.astype(np.int64) & _MOST
    return jnp.stack((key, low, (place << _SHIFT) + (high & (2**_SHIFT - 1))))


_MOVED = Op("drawn_in_iteration", _moved, gradient=GradientRule(blocked=True))


class TracedLoop:
    """A loop's condition and body, traced.

    Attributes:
      test, step: the blocks. Argument 0 is the iteration's number; the others are the leaves of the loop variables.
      state: the leaves that are tensors; `after`: their values after an iteration.
      arguments: the place of each argument: 0 for the iteration's number, then those of the state.
      rooms: by how many elements each array of dynamic size may grow; `lengths`: the places of their sizes; `sizes`:
        the sizes after the loop, if they are known or expected; `expected`: the latter.
    """

    def __init__(
        self, cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, rooms: Sequence[int]
    ) -> None:
        self.rooms = list(rooms)
        self.sizes: list[int] | None = None
        self.expected: Sequence[int] = ()
        room = iter(rooms)
        self._given = loop_vars
        self._loop_vars = nest.map_structure(lambda x: x.with_room(next(room)) if grows(x) else x, loop_vars)
        for value in nest.flatten(loop_vars):
            if isinstance(value, TensorArray) and value.room is not None:
                value.room.is_enough = False
        self._leaves = [_entering(leaf) for leaf in nest.flatten(self._loop_vars, expand_composites=True)]
        self.test = self._trace("while_cond", cond, as_condition)
        self.step = self._trace("while_body", body, self._fitting)
        for k, (leaf, new) in enumerate(zip(self._leaves, self.step.leaves, strict=True)):
            if type(leaf) is Unshaped and type(new) is Tensor:
                self._leaves[k] = leaf.resolve(new._aval.shape[1:], here.trace)
            elif is_text(leaf) or is_text(new):
                _require_same_text(leaf, new)
        self.state: list[Tensor] = [leaf for leaf in self._leaves if has_value(leaf)]
        self.after = self.step.outputs
        places = itertools.count(1)
        self.arguments = [0, *(next(places) if has_value(leaf) else 0 for leaf in self._leaves)]
        self.lengths = list(self._find_lengths())

    def _find_lengths(self) -> Iterator[int]:
        """The places of the sizes of the arrays that were enlarged for the loop."""
        leaf = 0
        for value, grown in zip(nest.flatten(self._given), nest.flatten(self._loop_vars), strict=True):
            leaf += len(nest.flatten(grown, expand_composites=True))
            if grows(value):
                yield self.arguments[leaf]

    def packed(self, state: Sequence[Tensor]) -> Any:
        """The result of the loop, from the final `state`."""
        first = {} if self.sizes is not None or len(self.lengths) < 2 else self._equal_lengths()
        given = iter([state[first.get(place, place) - 1] for place in range(1, len(state) + 1)])
        leaves = [next(given) if has_value(leaf) else leaf for leaf in self._leaves]
        found = nest.pack_sequence_as(self._loop_vars, leaves, expand_composites=True)
        sizes = itertools.repeat(None) if self.sizes is None else iter(self.sizes)

        def settled(value: Any, given: Any) -> Any:
            if not grows(given):
                return value
            size = next(sizes)
            return value.after_loop() if size is None else value.trimmed(size)

        return nest.map_structure(settled, found, self._given)

    def _equal_lengths(self) -> dict[int, int]:
        """For the place of each size of an array the first place of one that is equal to it in every iteration.

        All that begin equal are supposed to be, and then told apart until each iteration keeps equal ones equal.
        """
        graph = self.step.graph
        leaves = [node.first for node in graph.node.path() if node.op is None and not node.inputs]
        pairs = zip(graph.sources, leaves, strict=True)
        slots = {self.arguments[source.index]: slot for source, slot in pairs if type(source) is Argument}
        first: dict[int, int] = {}
        for place in self.lengths:
            first[place] = next((k for k in first if _begin_equal(self.state[k - 1], self.state[place - 1])), place)
        while True:
            values = EqualValues(graph, {slots[place]: slots[k] for place, k in first.items()})
            numbers = {place: values.number(graph.slot_of(self.after[place - 1])) for place in self.lengths}
            told = {
                place: next(k for k in first if first[k] == first[place] and numbers[k] == numbers[place])
                for place in self.lengths
            }
            if told == first:
                return first
            first = told

    @property
    def writes(self) -> list[int]:
        """At how many unknown places an iteration writes into each array of dynamic size.

        Raises: UntraceableError if a loop in the body writes into one.
        """
        arrays = [
            grown
            for value, grown in zip(*map(nest.flatten, (self._given, self._loop_vars)), strict=True)
            if grows(value)
        ]
        if not all(array.room.is_enough for array in arrays):
            raise UntraceableError(
                "tf.while_loop: how much a loop in the body of another enlarges a tf.TensorArray is only known when "
                "the function runs, but an XLA program's shapes are fixed; give the array a sufficient `size`."
            )
        return [array.room.writes for array in arrays]

    def _trace(self, label: str, function: Callable[..., Any], checked: Callable[[Any], Any]) -> Block:
        graph = IteratedGraph(label)

        def call() -> Any:
            given = [_given(graph, leaf, k) for k, leaf in enumerate(self._leaves, 1)]
            return checked(function(*nest.pack_sequence_as(self._loop_vars, given, expand_composites=True)))

        return Block(graph, call)

    def require_fixed(self, *, has_invariants: bool) -> None:
        """Raises TypeError, ValueError or UntraceableError unless an iteration keeps dtypes and shapes."""
        require_fixed(self.state, self.after, has_invariants)

    def _fitting(self, found: Any) -> Any:
        """The result of the body as a structure like the loop variables. Raises ValueError if the structures differ."""
        if not nest.is_nested(found):
            found = [found]
        nest.assert_same_structure(list(found), list(self._loop_vars), check_types=False, expand_composites=True)
        for new, given in zip(nest.flatten(list(found)), nest.flatten(list(self._loop_vars)), strict=True):
            if isinstance(given, TensorArray) and given.room is not None and new.room is not given.room:
                raise UntraceableError("tf.while_loop: an iteration replaces a tf.TensorArray of dynamic size")
        return found


def _begin_equal(one: Tensor, other: Tensor) -> bool:
    if is_symbolic(one) or is_symbolic(other):
        return one is other
    return bool(one.numpy() == other.numpy())


def grows(value: Any) -> bool:
    """Whether `value` is an array that a loop must enlarge before it writes into it."""
    return isinstance(value, TensorArray) and value.grows


def _entering(leaf: Any) -> Any:
    if leaf is None:
        raise ValueError("None values not supported.")
    if type(leaf) is Unshaped:
        return leaf
    try:
        return convert_to_tensor(leaf)
    except ValueError as refused:
        raise TypeError(
            f"Failed to convert elements of {leaf} to Tensor. Consider casting elements to a supported type. See "
            "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes."
        ) from refused


def _given(graph: Graph, leaf: Any, number: int) -> Any:
    """The argument `number` of a block of the loop, in place of `leaf`. A string is passed as it is."""
    if type(leaf) is Unshaped:
        return Unshaped(
            leaf.size, leaf.dtype, lambda dims: graph.argument(aval_of((leaf.size, *dims), leaf.dtype), number)
        )
    return graph.argument(leaf._aval, number) if has_value(leaf) else leaf


def _require_same_text(leaf: Any, new: Any) -> None:
    if not is_text(leaf) or not is_text(new):
        raise _changed_dtype(leaf, new)
    if not is_same_text(leaf, new):
        refuse_strings(f"tf.while_loop: an iteration turns the loop variable {shown(leaf)} into {shown(new)}")


def as_condition(found: Any) -> Tensor:
    """The result of a condition as a boolean scalar. Raises InvalidArgumentError for any other result."""
    pred = convert_to_tensor(found)
    if pred.dtype is not bool_:
        raise InvalidArgumentError.of(f"Input 'input' passed {pred.dtype.name} expected bool in tf.while_loop's cond.")
    if pred._aval.size != 1:
        raise InvalidArgumentError.of(f"tf.while_loop: cond must return a scalar, but it has shape {pred._aval.shape}.")
    return pred if pred.ndim == 0 else reshape(pred, ())


def _changed_dtype(tensor: Tensor, new: Tensor) -> TypeError:
    name = _name_of(tensor)
    return TypeError(
        f"Loop var {name} enters the loop with type {tensor.dtype!r} but has type {new.dtype!r} after 1 iteration. "
        f"{name} type should remain constant."
    )


def _name_of(tensor: Tensor) -> str:
    return tensor._trace.name_of(tensor) if is_symbolic(tensor) else "Const:0"


def require_fixed(state: Sequence[Tensor], after: Sequence[Tensor], has_invariants: bool) -> None:
    """Raises TypeError, ValueError or UntraceableError unless `after` has the dtypes and shapes of `state`."""
    for tensor, new in zip(state, after, strict=True):
        name = _name_of(tensor)
        if tensor.dtype is not new.dtype:
            raise _changed_dtype(tensor, new)
        if tensor._aval == new._aval:
            continue
        if has_invariants:
            raise UntraceableError(
                f"tf.while_loop: {name} enters the loop with shape {tensor._aval.shape} and has shape "
                f"{new._aval.shape} after one iteration; an XLA program's shapes are fixed, whatever "
                "`shape_invariants`. Write into a tf.TensorArray, or into a tensor of the final size."
            )
        raise ValueError(
            f"Input tensor `{name}` enters the loop with shape {tensor._aval.shape}, but has shape {new._aval.shape} "
            "after one iteration. To allow the shape to vary across iterations, use the `shape_invariants` argument "
            "of tf.while_loop to specify a less-specific shape."
        )
