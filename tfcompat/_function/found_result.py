"""Results whose sizes the program of a function finds: parts of padded arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfcompat._core.aval import Aval, aval_of
from tfcompat._core.sized import has_symbols
from tfcompat._core.tensor import Tensor
from tfcompat._function.stored_trace import StoredTrace
from tfcompat._jaxpr.padded.padding import physical_shape
from tfcompat._jaxpr.size import symbols_of, value_of


class FoundResults:
    """The results of a trace, some of which have sizes that its program finds.

    Attributes:
      outputs: what the program computes, like `StoredTrace.outputs`: padded arrays for these, then the true sizes.
    """

    def __init__(self, stored: StoredTrace) -> None:
        self._avals = [aval if aval is not None and has_symbols(aval) else None for _, aval in stored.outputs]
        wanted = symbols_of([size for aval in self._avals if aval is not None for size in aval.shape])
        bounds = [bound for bound in stored.node.bounds if bound.name in wanted]
        largest = {bound.name: bound.most for bound in bounds}
        kinds = {node.first + k: aval for node in stored.node.path() for k, aval in enumerate(node.avals)}
        self._names = list(largest)
        self.outputs = [
            (value, aval if sized is None else aval_of(physical_shape(sized.shape, largest), sized.dtype))
            for (value, aval), sized in zip(stored.outputs, self._avals, strict=True)
        ]
        self.outputs += [(bound.slot, kinds[bound.slot]) for bound in bounds]

    def __call__(self, found: Sequence[Any]) -> list[Any]:
        """The results, from the values of `outputs`. Waits for the program.

        Raises: the errors of checks that these results depend on.
        """
        count = len(self._avals)
        values = {name: int(size.numpy()) for name, size in zip(self._names, found[count:], strict=True)}
        return [
            value if aval is None else _part(value, aval, values)
            for value, aval in zip(found, self._avals, strict=False)
        ]


def _part(padded: Tensor, aval: Aval, values: Mapping[str, int]) -> Tensor:
    """The part of `padded` that is like `aval`, for these `values` of the symbols."""
    part = tuple([slice(value_of(size, values)) for size in aval.shape])
    return Tensor(padded.numpy()[part].copy())
