"""Branches of functions of elements that the host runs: those with strings, files, calls of Python, or open shapes.

A branch is traced like a function of elements. Its arguments are the values of the enclosing trace that it reads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from tfcompat._core.calls.by_row import Dims, apart
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import OperatorNotAllowedInGraphError, UntraceableError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import DType
from tfcompat._data.blocks.block import Block, entries
from tfcompat._data.blocks.component import component
from tfcompat._data.blocks.structure import host_array
from tfcompat._data.function.calling import Calls, unserved
from tfcompat._data.function.graph import ElementGraph, HostValue, key_of
from tfcompat._data.function.row import outcomes
from tfcompat._data.function.stream import Streams
from tfcompat._data.function.trace import Computed, Constant, ElementTrace, FromHost, Result
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.graphs.refusal import returned
from tfcompat._function.graphs.source import Part
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._jaxpr.size import has_symbols, symbols_of
from tfcompat._state.variable import Variable

# The sizes of a value, None if they are open, and its dtype.
Kind = tuple[Dims, DType]


# How many rows programs compute together.
_MOST_ROWS = 256
# One thread at a time traces branches again.
_retracing = threading.RLock()


class HostBlock:
    """A Python function that is traced as a part of a function of elements.

    Attributes:
      label: for messages.
      given: the function that was traced.
      result: the structure of its result; `leaves` are its leaves, tensors or None.
      kinds: for each leaf the sizes that are known outside, and its dtype; None for None.
      captured: the values of the enclosing trace that it reads.
      calls: the programs that compute it.
    """

    def __init__(self, label: str, outer: ElementGraph, function: Callable[..., Any], *arguments: Any) -> None:
        """Traces `function` of `arguments`, values of the trace `outer`."""
        self.label = label
        self.given = function
        self.structure = None
        self.numeric: list[int] = []
        self._outer, self._arguments = outer, arguments
        graph = outer.branch(label)
        outside = frozenset() if outer.open_sizes is None else frozenset(outer.open_sizes.made)
        self.result, self.trace = self._traced(graph)
        self.leaves = nest.flatten(self.result, expand_composites=True)
        self.kinds: list[Any] = [
            leaf if leaf is None else known_outside(kind_of(leaf), outside) for leaf in self.leaves
        ]
        self.captured = list(graph.captured)
        self.components = [component(TensorSpec(tensor.shape, tensor.dtype)) for tensor in self.captured]
        self.calls = Calls(self)

    def _traced(self, graph: ElementGraph) -> tuple[Any, ElementTrace]:
        """The result of the function in `graph`, and its trace."""
        with graph.recording():
            for tensor in nest.flatten(self._arguments):
                if has_symbols(tensor._aval.shape):
                    graph.capture(tensor)  # the block may read its sizes only
            found = self.given(*self._arguments)
            graph.conclude()
            result = nest.map_structure(
                lambda value: None if value is None else returned(self.given, value), found, expand_composites=True
            )
            computed: list[Tensor] = []
            results = [_result(graph, leaf, computed) for leaf in nest.flatten(result, expand_composites=True)]
            stored = StoredTrace(graph, computed, {})
        if any(isinstance(cell, Variable) for cell, _, _ in stored.updates):
            raise NotImplementedError(
                f"{self.label}: variables can't be assigned in a branch whose values the host computes (strings, "
                "files, calls of Python); assign them outside of it."
            )
        for k, source in enumerate(stored.sources):
            if type(source) is Tensor and source._is_symbolic():
                stored.sources[k] = graph.capture(source)
        opened = [source for source in graph.opened if not isinstance(source, Part)]
        return result, ElementTrace(
            stored, graph.steps, graph.shapes, opened, graph.open_sizes, results, computed, lambda leaves: leaves
        )

    def trace_for(self, shapes: Sequence[Any], opened: Sequence[Any]) -> ElementTrace:
        """The trace for values of the host with the sizes `opened`; those of captured values remain open.

        Raises: the errors of the function; NotImplementedError if no trace can hold it.
        """
        del shapes
        keys = [key_of(self.trace.steps, source) for source in self.trace.opened]
        try:
            with apart(), _reopened(self._outer):
                graph = self._outer.branch(self.label)
                graph.given = {key: sizes for key, sizes in zip(keys, opened, strict=True) if sizes is not None}
                for tensor in self.captured:
                    graph.capture(tensor)
                _, trace = self._traced(graph)
        except (UntraceableError, OperatorNotAllowedInGraphError) as refused:
            raise unserved(self.label) from refused
        if len(graph.captured) > len(self.captured):
            raise unserved(self.label)
        return trace

    def traced_anew(self) -> NoReturn:
        """Raises NotImplementedError: a branch is not traced again for other shapes of variables."""
        raise NotImplementedError(
            f"{self.label}: a variable that a branch captures, which the host runs, has another shape than when the "
            "branch was traced; read the variable outside of the branch, or make the dataset again."
        )

    def call(self, element: Block) -> NoReturn:
        """Raises NotImplementedError: the function that contains the branch is called."""
        del element
        raise NotImplementedError(self.label)

    def __call__(self, values: Mapping[str, int], streams: Streams, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The results for the values `arrays` of the captured tensors. Raises the errors of its ops."""
        return [column[0] for column in self.of_rows(values, streams, [array[np.newaxis] for array in arrays], 1)]

    def of_rows(
        self, values: Mapping[str, int], streams: Streams, columns: Sequence[np.ndarray], count: int
    ) -> list[list[np.ndarray]]:
        """The results for the `count` rows of `columns`, those of the captured tensors. Raises their first error."""
        calls = self.calls.present()
        at_once = 1 if calls.is_sequential else _MOST_ROWS
        found: list[list[np.ndarray]] = [[] for _ in self.leaves]
        for start in range(0, count, at_once):
            part = Block(tuple([column[start : start + at_once] for column in columns]), min(at_once, count - start))
            for each in outcomes(calls, streams, part, values):
                if isinstance(each, Exception):
                    raise each
                for results, column in zip(found, each.columns, strict=True):
                    results += entries(column)
        return found


@contextmanager
def _reopened(graph: ElementGraph) -> Generator[None]:
    """A context in which a part of `graph` is traced, with the values of it and of those around it."""
    around: list[Any] = [graph]
    while isinstance(around[-1].outer, Graph):
        around.append(around[-1].outer)
    with _retracing:
        closed = [each for each in around if not each.is_open]
        for each in closed:
            each.is_open = True
        here.trace = here.graph = graph
        try:
            yield
        finally:
            for each in closed:
                each.is_open = False


def known_outside(kind: Kind, outside: frozenset[str]) -> Kind:
    """`kind` without the sizes that depend on symbols which only the block knows, not those `outside`."""
    dims, dtype = kind
    return dims and [size if symbols_of([size]) <= outside else None for size in dims], dtype


def _result(graph: ElementGraph, leaf: Any, computed: list[Tensor]) -> Result:
    if leaf is None:
        return Constant(None)
    owner = leaf._trace
    if isinstance(owner, HostValue):
        source = owner.source if owner.graph is graph else graph.capture(leaf)
        return FromHost(source, leaf.shape, leaf.dtype)
    if leaf._is_symbolic():
        computed.append(leaf)
        return Computed(len(computed) - 1)
    return Constant(host_array(leaf))


def kind_of(leaf: Tensor) -> Kind:
    """The sizes of `leaf`, and its dtype."""
    return None if leaf.shape.rank is None else list(leaf._aval.shape), leaf.dtype


def merged_kind(kinds: Sequence[Kind]) -> Kind:
    """The sizes that all of `kinds` have, and their dtype."""
    dtype = kinds[0][1]
    shapes = [dims for dims, _ in kinds if dims is not None]
    if len(shapes) < len(kinds) or len(set(map(len, shapes))) > 1:
        return None, dtype
    return [one[0] if len(set(map(str, one))) == 1 else None for one in zip(*shapes, strict=True)], dtype
