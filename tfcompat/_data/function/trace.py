"""The trace of a function of elements, as calls use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tfcompat._core.types.dtype import DType
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.function.graph import HostSource, HostStep
from tfcompat._data.function.size import ElementSizes, Shape
from tfcompat._data.nodes.node import Node
from tfcompat._function.graphs.stored_trace import StoredTrace


class Computed(NamedTuple):
    """A component of the result that the program computes: its output number `place`."""

    place: int


class Passed(NamedTuple):
    """A component of the result that is an argument: component number `place` of the elements."""

    place: int


class FromHost(NamedTuple):
    """A component of the result that the host computes."""

    source: HostSource
    shape: TensorShape
    dtype: DType


class Constant(NamedTuple):
    """A component of the result that is the same for each element, as a host value."""

    value: Any


class Parts(NamedTuple):
    """A component of the result that is a composite tensor of the type `spec`: how its tensors are made."""

    spec: Any
    parts: tuple[Any, ...]


class Instances(NamedTuple):
    """A component of the result that is a dataset, made for each element: an instance of `node`.

    `places` are the results for the tensors that it depends on, by the `id` of the tensor.
    """

    node: Node
    places: Mapping[int, Any]


Result = Computed | Passed | FromHost | Constant | Parts | Instances


class ElementTrace(NamedTuple):
    """A trace of a function of elements.

    Attributes:
      stored: the part that programs compute.
      steps: the part that the host computes; `shapes` are the shapes of its values, None for unknown ranks.
      opened: the values of the host with open sizes, in the order of the trace.
      sizes: the symbols for open sizes; None without open sizes.
      results: how each component of the result is made; `outputs` are those that the program computes.
      pack: packs components into the result.
    """

    stored: StoredTrace
    steps: Sequence[HostStep]
    shapes: Mapping[HostSource, Shape | None]
    opened: Sequence[HostSource]
    sizes: ElementSizes | None
    results: Sequence[Result]
    outputs: Sequence[Any]
    pack: Any

    @property
    def shares_sizes(self) -> bool:
        """Whether values of the host have symbols that were given to other values, too."""
        return self.sizes is not None and self.sizes.shares_values
