"""Values that decide shapes in a function and are expected to be the same in each call with the same sizes.

An example is the greatest length of a padded batch, which is the size of an axis. A trace is right for the values that
it expects. Its program computes them, too: results and assignments count if they are as expected.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.operation.sized import has_symbols
from tfcompat._core.programs.hosting import compilation, estimated
from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import Trace
from tfcompat._core.types.aval import Aval
from tfcompat._function.graphs.source import Argument
from tfcompat._function.graphs.stored_trace import computed
from tfcompat._state.cell import Cell

_KINDS = frozenset("biu")
# The most numbers that one value may have.
_MOST_NUMBERS = 1024
# The most keys of calls that are remembered. One is given up if it has brought other values that often, or if that many
# traces were refused.
_MOST_KEYS, _MOST_CHANGES, _MOST_REFUSALS = 256, 3, 7


class Expected(NamedTuple):
    """A value that decides a shape.

    Attributes:
      slot, aval: the tensor that has it.
      value: the value that each call has to compute for it.
    """

    slot: int
    aval: Aval
    value: np.ndarray


def expected_value(graph: Any, tensor: Tensor, flat: Sequence[Any]) -> np.ndarray | None:
    """The value of `tensor`, which belongs to `graph`, in a call with the leaves `flat`.

    None if it is not expected: it is neither integers nor booleans, depends on random numbers or Python functions, or
    takes longer to compute than a compilation.
    """
    aval = tensor._aval
    is_kind = np.dtype(aval.dtype.as_numpy_dtype).kind in _KINDS
    if not is_kind or type(aval.size) is not int or aval.size > _MOST_NUMBERS:
        return None
    steps = Plan(graph.node.path(), (), (tensor._slot,)).steps
    ops = [step for step in steps if step.op is not None]
    if any(map(_is_refused, ops)) or estimated(ops) > compilation(len(ops)):
        return None
    leaves = [Tensor(np.zeros(0))] * len(graph.sources)
    for step in steps:
        if step.op is None and not step.inputs:
            leaf = _leaf(graph.sources[step.leaves - 1], flat)
            if leaf is None:
                return None
            leaves[step.leaves - 1] = leaf
    return value_at(tensor._slot, aval, graph.node, leaves, (graph.floats, graph.ints))


def _is_refused(step: Any) -> bool:
    """Whether the value of `step` calls Python functions, or has a size that depends on data itself."""
    return step.op.calls_python or any(map(has_symbols, (*step.signature, *step.avals, step.op)))


def _leaf(source: Any, flat: Sequence[Any]) -> Tensor | None:
    """The value of the leaf from `source`; None for random numbers and for what only receives gradients."""
    if type(source) is Argument:
        return computed(flat[source.index])
    held = source._held if isinstance(source, Cell) else source
    return computed(held) if type(held) is Tensor and not held._is_symbolic() else None


def value_at(
    slot: int, aval: Aval, node: Any, leaves: Sequence[Any], numbers: tuple[list[float], list[int]]
) -> np.ndarray:
    """The value of `slot`: computed by the steps up to `node`, which need not all of `leaves`, and from `numbers`."""
    trace = Trace()
    trace.node = node
    trace.leaves = list(leaves)
    trace.floats, trace.ints = numbers
    trace.runs_once = True
    return np.asarray(trace.tensor(slot, aval))


class Expectations:
    """Which calls of a function are traced for the values that decide their shapes: those that have had them before."""

    def __init__(self) -> None:
        # By the keys of calls: the value that decided a shape first in the last call that was looked at, if any was,
        # how often that has changed, and how many traces were refused; None for those that are given up.
        self._met: dict[Hashable, tuple[bytes | None, int, int] | None] = {}
        self._lengths: dict[Hashable, Sequence[list[int]]] = {}

    def is_new(self, key: Hashable) -> bool:
        """Whether no call with this `key` is remembered."""
        return key not in self._met and len(self._met) < _MOST_KEYS

    def recurs(self, key: Hashable) -> bool:
        """Whether a call with this `key`, for which there is no trace, is to be traced: one has run before."""
        if self.is_new(key):
            self._met[key] = None, 0, 0
            return False
        return self._met.get(key) is not None

    def is_met(self, key: Hashable, value: np.ndarray) -> bool:
        """Takes the first value that decides a shape in a call; returns whether the last one was the same."""
        met = self._met.get(key, (None, 0, 0))
        if met is None:
            return False
        before, changes, refusals = met
        found = value.tobytes()
        changes += before is not None and before != found
        self._met[key] = (found, changes, refusals) if changes <= _MOST_CHANGES else None
        return before == found

    def note_lengths(self, key: Hashable, lengths: Sequence[list[int]]) -> None:
        """Takes, for each loop of a call, the sizes of the arrays of dynamic size that it has enlarged."""
        if lengths and (key in self._lengths or len(self._lengths) < _MOST_KEYS):
            self._lengths[key] = lengths
            self._met.setdefault(key, (None, 0, 0))

    def note_shapes(self, key: Hashable) -> None:
        """Takes that a call has got results from Python functions, so that their shapes are known."""
        if len(self._met) < _MOST_KEYS:
            self._met.setdefault(key, (None, 0, 0))

    def lengths(self, key: Hashable) -> Sequence[list[int]]:
        """Those of the last call with this `key`."""
        return self._lengths.get(key, ())

    def note(self, key: Hashable, *, is_given_up: bool) -> None:
        """Takes that a call with this `key` runs its Python code, as later ones do if it `is_given_up`."""
        met = self._met.get(key, (None, 0, 0))
        if met is not None and (key in self._met or is_given_up or len(self._met) < _MOST_KEYS):
            value, changes, refusals = met
            is_given_up = is_given_up or refusals == _MOST_REFUSALS
            self._met[key] = None if is_given_up else (value, changes, refusals + 1)
