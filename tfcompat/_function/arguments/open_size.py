"""The sizes that the arguments of a function leave open: symbols for a trace, and their values in a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from tfcompat._core.operation.inference import LEAST
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._jaxpr.size import is_open

# The open axes of each leaf of the arguments.
Axes = tuple[tuple[int, ...], ...]


def axes_of_specs(specs: Any, flat: Sequence[Any]) -> Axes | None:
    """The axes that `specs` leave open, for the leaves `flat` of arguments; None if a spec is not that of one leaf."""
    kinds = nest.flatten(specs)
    if len(kinds) != len(flat):
        return None
    return tuple([_axes_of_spec(kind, value) or () for kind, value in zip(kinds, flat, strict=True)])


def open_axes(specs: Any, values: Any) -> Axes:
    """For each leaf of `values`, the axes that the structure `specs` leaves open; none for parts of composites."""
    found: list[tuple[int, ...]] = []
    for spec, value in zip(nest.flatten(specs), nest.flatten(values), strict=True):
        axes = _axes_of_spec(spec, value)
        found += [()] * len(nest.flatten(value, expand_composites=True)) if axes is None else [axes]
    return tuple(found)


def _axes_of_spec(spec: Any, value: Any) -> tuple[int, ...] | None:
    """The axes of `value` that `spec` leaves open; None unless `value` is a numeric tensor."""
    if not isinstance(spec, TensorSpec) or type(value) is not Tensor or value._aval.struct is None:
        return None
    dims = [None] * value._aval.ndim if spec.shape.rank is None else spec.shape.as_list()
    return tuple([axis for axis, size in enumerate(dims) if size is None])


def joined_axes(one: Axes | None, other: Axes) -> Axes:
    """The axes that are open in `one` or in `other`."""
    if one is None:
        return other
    return tuple([tuple(sorted({*left, *right})) for left, right in zip(one, other, strict=True)])


class OpenSizes:
    """The symbols of one trace, and the arguments that it serves.

    Open sizes that are equal in the call that is traced have one symbol; sizes of 0 and 1 have none.

    Attributes:
      symbols: the names of the symbols; `made`: the symbols by name.
      avals: for each leaf of the arguments its aval, with symbols; None for leaves that are not numeric tensors.
    """

    def __init__(self, flat: Sequence[Any], axes: Axes) -> None:
        """The symbols for a call with the leaves `flat`, in which `axes` are open."""
        sizes = dict.fromkeys(
            value._aval.shape[axis]
            for value, open_axes in zip(flat, axes, strict=True)
            for axis in open_axes
            if value._aval.shape[axis] >= LEAST
        )
        self.symbols = tuple([f"n{k}" for k in range(len(sizes))])
        constraints = [f"{name} >= {LEAST}" for name in self.symbols]
        made = jax.export.symbolic_shape(", ".join(self.symbols), constraints=constraints) if sizes else ()
        self.made = dict(zip(self.symbols, made, strict=True))
        symbol = dict(zip(sizes, made, strict=True))
        self.avals = [
            _aval(value, open_axes, symbol) if type(value) is Tensor and value._aval.struct is not None else None
            for value, open_axes in zip(flat, axes, strict=True)
        ]

    @property
    def pattern(self) -> tuple[str, ...]:
        """Equal for traces that serve the same sizes."""
        return tuple(map(repr, self.avals))

    def values(self, flat: Sequence[Any]) -> dict[str, int] | None:
        """The values of the symbols in a call with the leaves `flat`; None if the trace does not serve it."""
        found: dict[str, int] = {}
        for aval, value in zip(self.avals, flat, strict=True):
            if aval is None or type(value) is not Tensor:
                continue
            given = value._aval
            if type(given) is not Aval or given.dtype is not aval.dtype or given.ndim != aval.ndim:
                return None
            for size, number in zip(aval.shape, given.shape, strict=True):
                if not is_open(size):
                    if size != number:
                        return None
                elif number < LEAST or found.setdefault(str(size), number) != number:
                    return None
        return found

    def values_of(self, shapes: Sequence[tuple[int, ...]]) -> dict[str, int] | None:
        """The values of the symbols for `shapes`, even if they are small; None if one symbol had two."""
        found: dict[str, int] = {}
        for aval, shape in zip(self.avals, shapes, strict=True):
            assert aval is not None
            for size, number in zip(aval.shape, shape, strict=True):
                if is_open(size) and found.setdefault(str(size), number) != number:
                    return None
        return {name: found[name] for name in self.symbols}


def _aval(value: Tensor, axes: Sequence[int], symbol: dict[int, Any]) -> Aval:
    shape = value._aval.shape
    sizes = [symbol.get(size, size) if axis in axes else size for axis, size in enumerate(shape)]
    return aval_of(tuple(sizes), value._aval.dtype)
