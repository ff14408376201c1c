"""The difference of two integers without known values, where it is the same for all values.

In `rows[i * 20 : (i + 1) * 20]` a shape depends on the difference of two tensors, which is always 20.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tfcompat._core.structure.node import Node, Reference
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.constancy import constant_at
from tfcompat._core.tracing.trace import Trace, here

# A sum: the coefficient of each slot, and the constant term under the key None.
Sum = Counter[int | None]

_KEEPS = frozenset(("cast", "identity", "convert_to_tensor", "read"))
_MOST_STEPS = 64


def distance(start: int | Tensor, stop: int | Tensor) -> int | None:
    """`stop - start` if it is a constant, else None. Tensors are scalars of the function that is being traced."""
    trace = here.trace
    # The ends may be new leaves of the trace.
    ends = [trace.slot_of(end) if isinstance(end, Tensor) else _constant(end) for end in (start, stop)]
    by_slot = {slot: node for node in trace.node.path() for slot in range(node.first, node.slot)}
    first, last = (_sum(trace, by_slot.__getitem__, end, _MOST_STEPS) if isinstance(end, int) else end for end in ends)
    difference = _added(last, _scaled(first, -1))
    return difference[None] if all(slot is None or not count for slot, count in difference.items()) else None


def _constant(value: int) -> Sum:
    return Counter({None: value})


def _scaled(terms: Sum, factor: int) -> Sum:
    return Counter({slot: count * factor for slot, count in terms.items()})


def _added(one: Sum, other: Sum) -> Sum:
    return Counter({slot: one[slot] + other[slot] for slot in {None, *one, *other}})


def _has_several(trace: Trace, reference: Reference) -> bool:
    """Whether `reference` is a constant of another number of elements than one."""
    value = constant_at(trace, reference)
    return value is not None and value.size != 1


def _sum(trace: Trace, node_of: Callable[[int], Node], reference: Reference, steps: int) -> Sum:
    """`reference` as a linear combination of slots. After `steps` levels a slot is not expanded further."""
    value = constant_at(trace, reference)
    if value is not None and value.dtype.kind in "iu" and value.size == 1:
        return _constant(int(value.item()))
    assert isinstance(reference, int)
    node = node_of(reference)
    itself: Sum = Counter({reference: 1})
    if (
        node.op is None
        or not steps
        or not node.avals[0].dtype.is_integer
        or not all(aval.dtype.is_integer for aval in node.signature)
        or any(_has_several(trace, operand) for operand in node.inputs)
    ):
        return itself
    terms = [_sum(trace, node_of, operand, steps - 1) for operand in node.inputs]
    name = node.op.name
    if name in _KEEPS:
        return terms[0]
    if name == "negative":
        return _scaled(terms[0], -1)
    if name in ("add", "subtract"):
        return _added(terms[0], _scaled(terms[1], 1 if name == "add" else -1))
    if name == "multiply":
        for factor, other in (terms, terms[::-1]):
            if set(factor) == {None}:
                return _scaled(other, factor[None])
    return itself
