"""Traces with symbols for the open dimensions of specs, for programs of any size: sizes of 1 included."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax

from tfcompat._core import nest
from tfcompat._core.error import OpError
from tfcompat._core.spec import TensorSpec
from tfcompat._function.argument_placeholder import placeholders_of, values_to_trace
from tfcompat._function.body import Body
from tfcompat._function.concrete import Decorated
from tfcompat._function.open_size import axes_of_specs
from tfcompat._function.open_traces import OpenTraces
from tfcompat._function.signature import Call, entered
from tfcompat._function.sized_trace import rescoped
from tfcompat._function.source import Argument
from tfcompat._function.stored_trace import StoredTrace
from tfcompat._function.symbolic import fixes_size
from tfcompat._function.untraced import kind_of, values_of
from tfcompat._jaxpr.size import is_open

# Sizes of a trace that is copied for other sizes: different ones get different symbols.
_FIRST = 48
_SYMBOL = re.compile(r"\bn\d+\b")
_SHAPES = re.compile(r"\(([^()]*)\) and \(([^()]*)\)")


# Two open dimensions that have the same size, by their numbers.
Equal = tuple[int, int]


class SymbolicTrace(NamedTuple):
    """A trace with symbols.

    Attributes:
      call, body: the call that was traced, and the body; its symbols are at least 1, or 2 where ops require that.
      structs: for each leaf of the arguments a struct with symbols, or None for other leaves than numeric tensors.
    """

    call: Call
    body: Body
    structs: list[Any]


def traced_for_any_size(
    function: Decorated, specs: Any, *, are_shared: bool, equal: Sequence[Equal] = ()
) -> SymbolicTrace | None:
    """A trace for any sizes of the open dimensions of `specs`; None if it cannot be traced so.

    Each open dimension has its own symbol, but for the pairs that are `equal`. If they `are_shared`, all open
    dimensions of the same axis have one symbol.
    """
    call = _call(specs, equal, are_shared=are_shared)
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
    return SymbolicTrace(call, body.with_trace(stored), structs)


def _with_small_sizes(stored: StoredTrace) -> StoredTrace | None:
    """The copy of `stored` whose symbols are at least 1, except those that its steps require to be at least 2.

    The number of windows of a pooling, for example, has to be known to be positive. Raises: as `rescoped`.
    """
    try:
        return rescoped(stored, jax.export.SymbolicScope())
    except jax.errors.InconclusiveDimensionOperation:
        larger = sorted(set(_SYMBOL.findall(repr(stored.leaf_avals))))
    for name in tuple(larger):
        others = [other for other in larger if other != name]
        try:
            rescoped(stored, _scope(others))
        except jax.errors.InconclusiveDimensionOperation:
            continue
        larger = others
    return rescoped(stored, _scope(larger))


def _scope(larger: Sequence[str]) -> jax.export.SymbolicScope:
    return jax.export.SymbolicScope([f"{name} >= 2" for name in larger])


def equal_dimensions(traced: SymbolicTrace, problem: str) -> list[Equal]:
    """The open dimensions that an op of JAX requires to be equal, according to the message of its error.

    It names two shapes, "(n1, 3) and (n2, 3)".
    """
    numbers: dict[str, int] = {}
    count = itertools.count()
    for size in itertools.chain.from_iterable(each.shape for each in traced.structs if each is not None):
        if is_open(size):
            numbers.setdefault(str(size), next(count))
    found: list[Equal] = []
    for one, other in _SHAPES.findall(problem):
        pairs = zip(one.split(","), other.split(","), strict=False)
        names = [(left.strip(), right.strip()) for left, right in pairs if left.strip() != right.strip()]
        found += [(numbers[left], numbers[right]) for left, right in names if {left, right} <= numbers.keys()]
    return found


def _call(specs: Any, equal: Sequence[Equal], *, are_shared: bool) -> Call:
    """The call to trace: with another size for each open dimension, or for each axis."""
    count = itertools.count()
    same: dict[int, int] = {}
    for one, other in equal:
        first, last = sorted((same.get(one, one), same.get(other, other)))
        same |= dict.fromkeys((last, *[key for key, value in same.items() if value == last]), first)

    def size_of(axis: int) -> int:
        number = next(count)
        return _FIRST + (axis if are_shared else same.get(number, number))

    def known(spec: Any) -> Any:
        if not isinstance(spec, TensorSpec):
            return spec
        sizes = [size_of(axis) if size is None else size for axis, size in enumerate(spec.shape.as_list())]
        return TensorSpec(sizes, spec.dtype, spec.name)

    return entered(*values_to_trace(nest.map_structure(known, placeholders_of(specs))))
