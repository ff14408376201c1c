"""Traces with symbols for the open dimensions of specs, for programs of any size: sizes of 1 included."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.system.error import OpError
from tfcompat._core.types import nest
from tfcompat._function.arguments.argument_placeholder import placeholders_of, values_to_trace
from tfcompat._function.arguments.equal_sizes import Classes
from tfcompat._function.arguments.open_size import axes_of_specs
from tfcompat._function.arguments.signature import Call, entered
from tfcompat._function.functions.concrete import Decorated
from tfcompat._function.functions.open_traces import OpenTraces
from tfcompat._function.functions.symbolic import fixes_size
from tfcompat._function.graphs.source import Argument
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._function.graphs.untraced import kind_of, values_of
from tfcompat._function.running.body import Body
from tfcompat._function.sizes.sized_trace import rescoped
from tfcompat._jaxpr.size import is_open

# Sizes of a trace that is copied for other sizes: different ones get different symbols.
_FIRST = 48
# A network of layers without margins needs images of some size.
_MOST_LEAST = 256
_SYMBOL = re.compile(r"\bn\d+\b")


class SymbolicTrace(NamedTuple):
    """A trace with symbols.

    Attributes:
      call, body: the call that was traced, and the body; its symbols are at least 1, or 2 where ops require that.
      structs: for each leaf of the arguments a struct with symbols, or None for other leaves than numeric tensors.
    """

    call: Call
    body: Body
    structs: list[Any]


def axes_of_open_sizes(specs: Any) -> tuple[int, ...]:
    """For each open dimension of `specs`, in order, its axis."""
    shapes = [spec.shape.as_list() for spec in nest.flatten(placeholders_of(specs)) if isinstance(spec, TensorSpec)]
    return tuple(axis for shape in shapes for axis, size in enumerate(shape) if size is None)


def traced_for_any_size(function: Decorated, specs: Any, classes: Classes) -> SymbolicTrace | None:
    """A trace for any sizes of the open dimensions of `specs`; None if it cannot be traced so.

    The open dimensions of each of the `classes` have one symbol.
    """
    call = _call(specs, classes)
    traces = OpenTraces()
    try:
        if function.traced_with_symbols(call, axes_of_specs(specs, call.flat), traces) is None:
            return None
        body = traces.shown((kind_of(call), values_of(call)))
        stored = None if body is None else _with_small_sizes(body.stored)
    except (ValueError, TypeError, OpError):
        return None
    if body is None or stored is None or fixes_size(body):
        return None
    structs: list[Any] = [None] * len(call.flat)
    for source, aval in zip(stored.sources, stored.leaf_avals, strict=True):
        if type(source) is Argument:
            structs[source.index] = aval.struct
    # Symbols may have been refused for all axes but the first.
    if sum(map(is_open, itertools.chain.from_iterable(x.shape for x in structs if x is not None))) < len(classes):
        return None
    return SymbolicTrace(call, body.with_trace(stored), structs)


def _with_small_sizes(stored: StoredTrace) -> StoredTrace | None:
    """The copy of `stored` whose symbols are at least 1, except those that its steps require to be larger.

    The number of windows of a pooling, for example, has to be known to be positive. Raises: as `rescoped`.
    """
    if _serves(stored, (), 1):
        return rescoped(stored, _scope((), 1))
    larger = sorted(set(_SYMBOL.findall(repr(stored.leaf_avals))))
    least = _least_size(stored, larger)
    for name in tuple(larger):
        others = [other for other in larger if other != name]
        if _serves(stored, others, least):
            larger = others
    return rescoped(stored, _scope(larger, least))


def _least_size(stored: StoredTrace, larger: Sequence[str]) -> int:
    """The least size for which the steps of `stored` need no comparison of sizes; 2 if it exceeds `_MOST_LEAST`."""
    most = 2
    while most <= _MOST_LEAST and not _serves(stored, larger, most):
        most *= 2
    if most > _MOST_LEAST:
        return 2
    below = most // 2
    while most - below > 1 < below:
        middle = (most + below) // 2
        below, most = (below, middle) if _serves(stored, larger, middle) else (middle, most)
    return most


def _serves(stored: StoredTrace, larger: Sequence[str], least: int) -> bool:
    """Whether no step compares sizes, where the symbols `larger` are at least `least`."""
    try:
        return rescoped(stored, _scope(larger, least)) is not None
    except jax.errors.InconclusiveDimensionOperation:
        return False


def _scope(larger: Sequence[str], least: int) -> jax.export.SymbolicScope:
    return jax.export.SymbolicScope([f"{name} >= {least}" for name in larger])


def _call(specs: Any, classes: Classes) -> Call:
    """The call to trace: with another size for each of the `classes` of open dimensions."""
    sizes = iter(classes)

    def known(spec: Any) -> Any:
        if not isinstance(spec, TensorSpec):
            return spec
        shape = [_FIRST + next(sizes) if size is None else size for size in spec.shape.as_list()]
        return TensorSpec(shape, spec.dtype, spec.name)

    return entered(*values_to_trace(nest.map_structure(known, placeholders_of(specs))))
