"""Structures of values of replicas: joined into structures of distributed values, and taken apart again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from operator import is_
from types import NoneType
from typing import Any

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._distribute.values import DistributedValues, Mirrored, PerReplica
from tfcompat._state.variable import AssignedVariable, Variable

_GROUPED = frozenset((PerReplica, Mirrored))
Wrap = Callable[[tuple[Any, ...]], Any]


def container_of(value: Any) -> Any:
    """The distributed variable of which `value` is a component; or else `value`."""
    return value._whole() if isinstance(value, Variable) else value


def regroup(values: Sequence[Any], wrap: Wrap = PerReplica, *, wraps_all: bool = False) -> Any:
    """The structure of `values`, one for each replica, with `wrap` of the values of each leaf.

    A leaf that is the same object for all replicas stays as it is; if it `wraps_all`, only a distributed one does.
    Components of a variable become the variable.

    Raises: AssertionError if the structures differ.
    """
    first = values[0]
    if type(first) is Tensor:  # the same as below, in less time
        return first if not wraps_all and all(map(is_, values, repeat(first))) else wrap(tuple(values))
    if isinstance(first, (list, tuple)):
        kind = list if isinstance(first, list) else tuple
        for value in values[1:]:
            assert isinstance(value, kind), f"Values to regroup had different types: {type(value)}, {type(first)}"
            assert len(value) == len(first), (
                f"Values to regroup had different lengths: len(v) == {len(value)}, len(v0) == {len(first)}, "
                f"v: {value}, v0: {first}"
            )
        columns = zip(*values, strict=True)
        # Tensors that differ are wrapped here: the same as by a call, in less time.
        parts = [
            wrap(column)
            if type(column[0]) is Tensor and column[-1] is not column[0]
            else regroup(column, wrap, wraps_all=wraps_all)
            for column in columns
        ]
        if kind is list:
            return parts
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    if isinstance(first, Mapping):
        for value in values[1:]:
            assert isinstance(value, Mapping), f"v[0]: {first!r}  v[i]: {value!r}"
            assert set(value) == set(first), f"v[0].keys: {set(first)}  v[i].keys: {set(value)}"
        grouped: Any = {key: regroup([value[key] for value in values], wrap, wraps_all=wraps_all) for key in first}
        return type(first)(grouped)  # pyright: ignore[reportCallIssue]
    is_component = not isinstance(first, AssignedVariable) and container_of(first) is not first
    is_kept = not (wraps_all or is_component) or isinstance(first, DistributedValues)
    if is_kept and all(value is first for value in values[1:]):
        return first
    if is_component:
        whole = container_of(first)
        assert all(container_of(value) is whole for value in values[1:])
        return whole
    return wrap(tuple(values))


def selected(replica: int, structure: Any) -> Any:
    """`structure` with each distributed value replaced by the component of the replica with number `replica`."""
    kind = type(structure)
    if kind in _GROUPED:  # the same as below, in less time
        return structure._values[replica]
    if kind is Tensor or kind is NoneType:
        return structure
    if kind is dict and not structure:
        return {}
    if kind is tuple or kind is list:
        return kind([selected(replica, part) for part in structure])
    return nest.map_structure(lambda value: value.values[replica] if is_distributed(value) else value, structure)


def parted(structure: Any, count: int) -> Sequence[Any]:
    """`selected` of `structure` for each of `count` replicas."""
    if type(structure) is list and structure and _GROUPED.issuperset(map(type, structure)):  # the same, in less time
        return list(map(list, zip(*[value._values for value in structure], strict=True)))
    return [selected(replica, structure) for replica in range(count)]


def is_distributed(value: Any) -> bool:
    """Whether `value` has a component for each replica, and is not a variable."""
    return isinstance(value, DistributedValues) and not isinstance(value, Variable)


def local_results(structure: Any, count: int) -> tuple[Any, ...]:
    """The structures of the components of `structure`, for each of `count` replicas; one for another single value."""
    if not (nest.is_nested(structure) or isinstance(structure, DistributedValues)):
        return (structure,)

    def component(value: Any, replica: int) -> Any:
        return value.values[replica] if isinstance(value, DistributedValues) else value

    return tuple(
        nest.map_structure(lambda value, replica=replica: component(value, replica), structure)
        for replica in range(count)
    )


def mirrored(values: Sequence[Any]) -> Any:
    """The structure of `values`, which are equal in all replicas."""
    return regroup(values, Mirrored)
