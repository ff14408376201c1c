"""Results whose sizes the program of a function finds: parts of padded arrays."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from tfcompat._core.operation.sized import has_symbols
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._function.graphs.source import Drawn
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._function.sizes.padding_waste import Waste
from tfcompat._jaxpr.padded.padding import physical_shape
from tfcompat._jaxpr.size import is_open, value_of


class FoundResults:
    """The results of a trace, some of which have sizes that its program finds, and the random numbers of such sizes.

    Attributes:
      sources: the sources of the leaves. Calls reserve as many random numbers as there can be.
      outputs: the outputs of the program, like `StoredTrace.outputs`: padded arrays for these, then the true sizes.
    """

    def __init__(self, stored: StoredTrace, waste: Waste) -> None:
        self._waste = waste
        self._avals = [aval if aval is not None and has_symbols(aval) else None for _, aval in stored.outputs]
        self._has_parts = any(aval is not None for aval in self._avals)
        bounds = stored.node.bounds
        largest = {bound.name: bound.most for bound in bounds}
        kinds = {node.first + k: aval for node in stored.node.path() for k, aval in enumerate(node.avals)}
        self._names = list(largest)
        self._draws = [each.stream for each in stored.sources if type(each) is Drawn and is_open(each.stream.blocks)]
        self.sources = [_reserving(source, largest) for source in stored.sources]
        self._largest = largest
        self.outputs = [
            (value, aval if sized is None else aval_of(physical_shape(sized.shape, largest), sized.dtype))
            for (value, aval), sized in zip(stored.outputs, self._avals, strict=True)
        ]
        self.outputs += [(bound.slot, kinds[bound.slot]) for bound in bounds]

    def __call__(self, found: Sequence[Any]) -> list[Any]:
        """The results, from the values of `outputs`. Waits for the program if they have sizes that it finds.

        Raises: the errors of checks that these results depend on.
        """
        count = len(self._avals)
        if not (self._has_parts or self._draws or self._waste.is_pending):
            return list(found[:count])
        values = {name: int(size.numpy()) for name, size in zip(self._names, found[count:], strict=True)}
        self.note(values)
        return [
            value if aval is None else _part(value, aval, values)
            for value, aval in zip(found, self._avals, strict=False)
        ]

    def note(self, values: Mapping[str, int]) -> None:
        """Takes the true sizes of a call: more random numbers were not drawn."""
        if self._waste.is_pending:
            self._waste.note(values)
        for stream in self._draws:
            stream.give_back(value_of(stream.blocks, self._largest) - value_of(stream.blocks, values))


def _reserving(source: Any, largest: Mapping[str, int]) -> Any:
    """`source`; if it draws as many random numbers as a size says that the program finds, it draws the most."""
    if type(source) is not Drawn or not is_open(source.stream.blocks):
        return source
    stream: Any = functools.partial(source.stream.reserved, value_of(source.stream.blocks, largest))
    return Drawn(stream)


def _part(padded: Tensor, aval: Aval, values: Mapping[str, int]) -> Tensor:
    """The part of `padded` that is like `aval`, for these `values` of the symbols."""
    part = tuple([slice(value_of(size, values)) for size in aval.shape])
    return Tensor(padded.numpy()[part].copy())
