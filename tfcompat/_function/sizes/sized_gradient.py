"""Custom gradients of a trace with symbols, in the copies of the trace for some sizes.

A gradient function is called when an outer tape differentiates a call. It reads tensors of the trace, which have the
sizes of that call meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from tfcompat._autodiff.connection import with_zeros
from tfcompat._autodiff.gradient import CustomCall, Dense
from tfcompat._core.operation.sized import Sized
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._core.tracing.trace import Trace
from tfcompat._core.types.aval import Aval, SymbolicAval
from tfcompat._function.graphs.graph import Graph

# The tensors of a trace have the sizes of one call at a time.
_lock = threading.RLock()


def sizes_of_call(source: Sizes, sized: Sized) -> Tensor:
    """The values of the sizes in `source`."""
    sizes = sized.array(source.array)
    return Tensor(sizes.astype(source.dtype.as_numpy_dtype))


def sized_custom(custom: CustomCall, graph: Graph, sized: Sized, outputs: Sequence[Aval]) -> CustomCall:
    """`custom`, of a step of `graph` whose outputs are like `outputs`, for the sizes of `sized`."""
    return CustomCall(custom.inputs, _SizedPull(custom.pull, graph, sized, tuple(outputs)))


class _SizedPull:
    """The gradient function of a step with a custom gradient, for some sizes."""

    def __init__(self, pull: Callable[..., Any], graph: Graph, sized: Sized, outputs: tuple[Aval, ...]) -> None:
        self._pull = pull
        self._graph = graph
        self._sized = sized
        self._outputs = outputs

    def __call__(self, trace: Trace, cotangents: Sequence[Dense | None]) -> Any:
        upstream = [None if cotangent is None else trace.tensor(*cotangent) for cotangent in cotangents]
        given = with_zeros(trace, upstream, self._outputs)
        with _lock, self._with_sizes():
            return self._pull(trace, [Dense(trace.slot_of(tensor), tensor._aval) for tensor in given])

    @contextmanager
    def _with_sizes(self) -> Generator[None]:
        """A context in which the tensors of the trace, and the sizes that are leaves of it, have the sizes."""
        alive = [tensor for reference in self._graph.pending if (tensor := reference()) is not None]
        opened = [(tensor, tensor._aval) for tensor in alive if isinstance(tensor._aval, SymbolicAval)]
        sources = self._graph.sources.copy()
        try:
            for tensor, aval in opened:
                tensor._aval = self._sized.aval(aval)
            self._graph.sources[:] = [
                sizes_of_call(source, self._sized) if type(source) is Sizes else source for source in sources
            ]
            yield
        finally:
            self._graph.sources[:] = sources
            for tensor, aval in opened:
                tensor._aval = aval
