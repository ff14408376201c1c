"""Traces of functions whose code finds sizes: symbols, whose values the program computes (see `bound.py`)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from tfcompat._core.operation.bound import known_prefix
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UnmetError
from tfcompat._core.tracing.constancy import step_at
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.graphs.answers import AnswerShapes
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.sizes.expected_value import Expected, expected_value
from tfcompat._function.sizes.found_size import FoundSizes
from tfcompat._ops.array.known import known


def _are_equal(*arrays: Any) -> Any:
    half = len(arrays) // 2
    pairs = zip(arrays[:half], arrays[half:], strict=True)
    return jnp.stack([jnp.all(found == expected) for found, expected in pairs]).all()


_AS_EXPECTED = Op("as_expected", _are_equal, gradient=GradientRule(blocked=True))


class Earlier(NamedTuple):
    """The experience of earlier calls with the same key, or of the same kind.

    Attributes:
      is_met: whether the first value that decides a shape is to be expected. If it is None, none is.
      lengths: for each loop, the sizes of the arrays of dynamic size that it has enlarged.
      shapes: those of the results of Python functions.
      streams: the random streams, in the order of their draws.
    """

    is_met: Callable[[np.ndarray], bool] | None
    lengths: Sequence[list[int]]
    shapes: AnswerShapes | None
    streams: Sequence[Any]


class BoundedGraph(Graph):
    """The trace of a function that finds sizes.

    Attributes:
      found: the sizes that it finds.
      found_sizes: by slot, the sizes with symbols that tensors in the trace have as values, and the expected values.
      expected: by slot, the values that calls are expected to have, and that decide shapes.
      expects_shapes: whether calls are expected to get results of the same shapes from Python functions.
      streams: the random streams of earlier calls, in the order of their draws.
    """

    __slots__ = (
        *("_flat", "_is_met", "_lengths", "_shapes"),
        *("expected", "expects_shapes", "found", "found_sizes", "streams"),
    )

    def __init__(self, label: str, flat: Sequence[Any], earlier: Earlier, *, creates: bool) -> None:
        """The trace for a call with the leaves `flat`."""
        super().__init__(label, creates=creates)
        self.found = FoundSizes(self, "function")
        self.found_sizes = self.found.values
        self.expected: dict[int, Expected] = {}
        self.streams = earlier.streams
        self._flat = flat
        self._is_met = earlier.is_met
        self._lengths = list(earlier.lengths)
        self._shapes = earlier.shapes
        self.expects_shapes = False

    @property
    def is_unsure(self) -> bool:
        """Whether it has found sizes or expects values, so that code may fail which works when it runs."""
        return bool(self.found.counts or self.expects)

    @property
    def expects(self) -> bool:
        """Whether calls are expected to have some values or shapes."""
        return bool(self.expected) or self.expects_shapes

    def as_expected(self) -> Tensor | None:
        """As `Graph.as_expected`."""
        if not self.expected:
            return None
        found = [self.tensor(each.slot, each.aval) for each in self.expected.values()]
        part, here.trace = here.trace, self
        try:
            return record(_AS_EXPECTED, (*found, *[Tensor(each.value) for each in self.expected.values()]))
        finally:
            here.trace = part

    def _close(self) -> None:
        super()._close()
        self._flat, self._is_met = (), None

    def is_found(self, size: Any) -> bool:
        """As `Graph.is_found`."""
        return self.found.has(size)

    def first_rows(self, arrays: Sequence[Tensor], count: Tensor, what: str, least: int = 0) -> list[Tensor]:
        """As `Graph.first_rows`."""
        return self.found.first_rows(arrays, count, what, least)

    def deciding(self, tensor: Tensor) -> Any:
        """As `Graph.deciding`. Raises UnmetError if the value is not to be expected yet."""
        slot = tensor._slot
        if slot not in self.expected:
            value = expected_value(self, tensor, self._flat) if self._is_met is not None else None
            if value is None or self._is_met is None:
                return super().deciding(tensor)
            if not self.expected and not self._is_met(value):
                raise UnmetError(f"the value of {tensor!r} decides a shape or an attribute, and has not recurred")
            self.expect(tensor, value)
        return self.expected[slot].value

    def may_assume(self, tensor: Tensor) -> bool:
        """As `Graph.may_assume`."""
        return self._is_met is not None and tensor._trace is self

    def assume(self, tensor: Tensor, value: int) -> None:
        """As `Graph.assume`. Raises UnmetError if no earlier call has run the Python code."""
        assumed = np.array(value, tensor._aval.dtype.as_numpy_dtype)
        if not self.expected and self._is_met is not None and not self._is_met(assumed):
            raise UnmetError(f"the value of {tensor!r} decides which branch is taken, and only one can be traced")
        self.expect(tensor, assumed)

    def expect(self, tensor: Tensor, value: np.ndarray) -> None:
        """Makes calls expect that `tensor`, which belongs to this graph, has `value`."""
        slot = tensor._slot
        self.expected[slot] = Expected(slot, tensor._aval, value)
        if len(step_at(self, slot).avals) == 1:
            self.found_sizes[slot] = value

    def expected_lengths(self, count: int) -> list[int] | None:
        """As `Graph.expected_lengths`."""
        found = self._lengths.pop(0) if count and self._lengths else None
        return found if found is not None and len(found) == count else None

    def expected_shapes(
        self, function: Hashable, inputs: Sequence[Any], shapes: Sequence[TensorShape]
    ) -> Mapping[int, tuple[int, ...]] | None:
        """As `Graph.expected_shapes`."""
        found = {} if self._shapes is None else self._shapes.expected(function, inputs, shapes)
        self.expects_shapes = self.expects_shapes or bool(found)
        return found

    def sizes(self, sizes: Sizes) -> Tensor:
        """`sizes` as a tensor that the program computes, before the loop or the branch that asks for it."""
        return self.found.tensor(sizes)


class ExpectingGraph(BoundedGraph):
    """The trace of a function that expects the values of the sizes which it could find."""

    __slots__ = ()

    def first_rows(self, arrays: Sequence[Tensor], count: Tensor, what: str, least: int = 0) -> list[Tensor]:
        """As `Graph.first_rows`."""
        del least
        number = known(count, what).item()
        taken = known_prefix(max(0, min(number, arrays[0]._aval.shape[0])))
        return [record(taken, (rows, number)) for rows in arrays]
