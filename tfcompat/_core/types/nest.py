"""Nested structures of Python containers, flattened and rebuilt: `tf.nest`.

`tfcompat._core.types.container` defines which objects are containers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tfcompat._core.types.container import (
    Container,
    container_of,
    container_or_composite_of,
    is_composite,
    is_mapping,
    is_namedtuple,
    sorted_keys,
)

ContainerOf = Callable[[type[Any]], Container | None]
Difference = tuple[type[Exception], str]


def is_nested(seq: object) -> bool:
    """Whether `seq` is a container that `flatten` flattens.

    Source: TF 2.21 `tf.nest.is_nested`.
    """
    return container_of(type(seq)) is not None


def flatten(structure: object, expand_composites: bool = False) -> list[Any]:
    """The leaves of `structure` from left to right, those of a dictionary by sorted keys; `[structure]` for a leaf.

    Raises: TypeError if the keys of a dictionary cannot be sorted.
    Source: TF 2.21 `tf.nest.flatten`.
    """
    of = container_or_composite_of if expand_composites else container_of
    container = of(type(structure))
    if container is None:
        return [structure]
    leaves: list[Any] = []
    _collect(container, structure, of, leaves)
    return leaves


def pack_sequence_as(structure: object, flat_sequence: object, expand_composites: bool = False) -> Any:
    """A structure like `structure`, whose leaves are those of `flat_sequence` in the order of `flatten`.

    Raises: ValueError if `structure` has another number of leaves; TypeError if `flat_sequence` is not a sequence.
    Source: TF 2.21 `tf.nest.pack_sequence_as`.
    """
    sequence = container_of(type(flat_sequence))
    if sequence is None or is_mapping(type(flat_sequence)):
        got = type(flat_sequence)
        raise TypeError(f"tf.nest.pack_sequence_as: flat_sequence must be a sequence, got incompatible type `{got}`.")
    leaves = list(sequence.children(flat_sequence))
    expected = len(flatten(structure, expand_composites))
    if len(leaves) != expected:
        counts = f"Structure had {expected} atoms, but flat_sequence had {len(leaves)} items"
        shown = _outline(structure)
        raise ValueError(f"tf.nest.pack_sequence_as: Could not pack sequence. {counts}. Structure: {shown}.")
    return _pack(structure, iter(leaves), expand_composites)


def packed(structure: object, leaves: Iterable[Any], expand_composites: bool = False) -> Any:
    """As `pack_sequence_as`, for as many `leaves` as `structure` has, which is not checked."""
    return _pack(structure, iter(leaves), expand_composites)


def map_structure(func: Callable[..., Any], *structure: object, **kwargs: Any) -> Any:
    """A structure like the first of `structure`; each leaf is `func` of the corresponding leaves of all of them.

    `check_types` (True) and `expand_composites` (False) are the only keywords; they have the same meaning as in
    `assert_same_structure`.

    Raises: TypeError or ValueError if the structures are not alike, as in `assert_same_structure`.
    Source: TF 2.21 `tf.nest.map_structure`.
    """
    if not callable(func):
        raise TypeError(f"tf.nest.map_structure: func must be callable, got: {func!r}")
    if not structure:
        raise ValueError("tf.nest.map_structure: Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        allowed = "Only valid keyword arguments are `check_types` and `expand_composites`"
        raise ValueError(f"tf.nest.map_structure: {allowed}, not: {', '.join(f'`{name}`' for name in kwargs)}")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    columns = [flatten(one, expand_composites) for one in structure]
    return _pack(structure[0], iter([func(*row) for row in zip(*columns, strict=True)]), expand_composites)


def assert_same_structure(
    nest1: object, nest2: object, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raises an error unless `nest1` and `nest2` differ in their leaves only.

    With `check_types` two containers must be of one type. Any two lists count as one type, any two mappings with the
    same keys, and namedtuples of the same name and fields.

    Raises: TypeError if types differ; ValueError if lengths, keys, depths or composite tensors do.
    Source: TF 2.21 `tf.nest.assert_same_structure`.
    """
    of = container_or_composite_of if expand_composites else container_of
    difference = _difference(nest1, nest2, check_types, of)
    if difference is not None:
        error, reason = difference
        raise error(
            "tf.nest.assert_same_structure: The two structures don't have the same nested structure. "
            f"First structure: {_outline(nest1)}. Second structure: {_outline(nest2)}. More specifically: {reason}."
        )


def _collect(container: Container, structure: object, of: ContainerOf, leaves: list[object]) -> None:
    for child in container.children(structure):
        inner = of(type(child))
        if inner is None:
            leaves.append(child)
        else:
            _collect(inner, child, of, leaves)


def _pack(structure: object, leaves: Iterator[Any], expand_composites: bool) -> Any:
    of = container_or_composite_of if expand_composites else container_of
    container = of(type(structure))
    return next(leaves) if container is None else _refill(container, structure, of, leaves)


def _refill(container: Container, structure: object, of: ContainerOf, leaves: Iterator[object]) -> Any:
    children: list[object] = []
    for child in container.children(structure):
        inner = of(type(child))
        children.append(next(leaves) if inner is None else _refill(inner, child, of, leaves))
    return container.rebuild(structure, children)


def _difference(one: object, two: object, check_types: bool, of: ContainerOf) -> Difference | None:
    """A description of the first difference of two structures, and the class of the error for it."""
    first, second = of(type(one)), of(type(two))
    if first is None and second is None:
        return None
    if first is None or second is None:
        nested, leaf = (two, one) if first is None else (one, two)
        leaf_type = type(leaf).__name__
        return ValueError, f"Substructure {_outline(nested)} is a sequence, while a leaf of type {leaf_type} is not"
    difference = _difference_of_types(one, two, check_types, of)
    if difference is not None:
        return difference
    ones, twos = list(first.children(one)), list(second.children(two))
    if len(ones) != len(twos):
        reason = "The two structures don't have the same number of elements"
        return ValueError, f"{reason}: {_outline(one)} and {_outline(two)}"
    for child, other in zip(ones, twos, strict=True):
        difference = _difference(child, other, check_types, of)
        if difference is not None:
            return difference
    return None


def _difference_of_types(one: object, two: object, check_types: bool, of: ContainerOf) -> Difference | None:
    """As `_difference`, for the containers themselves; composites are compared whatever `check_types` says."""
    if of is container_or_composite_of and is_composite(type(one)) and is_composite(type(two)):
        first, second = _type_spec(one), _type_spec(two)
        if _have_common_supertype(first, second):
            return None
        return ValueError, f"Incompatible CompositeTensor TypeSpecs: {first} vs. {second}"
    if not check_types:
        return None
    # A wrapper of a tuple counts as the tuple.
    if not _count_as_one_type(one.__class__, two.__class__):
        names = f"{type(one).__name__} and {type(two).__name__}"
        return TypeError, f"The two structures don't have the same sequence type: {names}"
    if is_mapping(type(one)) and sorted_keys(one) != sorted_keys(two):
        keys = f"{sorted_keys(one)} and {sorted_keys(two)}"
        return ValueError, f"The two dictionaries don't have the same set of keys: {keys}"
    return None


def _count_as_one_type(one: type[Any], two: type[Any]) -> bool:
    if is_namedtuple(one) and is_namedtuple(two):
        return one.__name__ == two.__name__ and one._fields == two._fields
    return one is two or (list in one.__mro__ and list in two.__mro__) or (is_mapping(one) and is_mapping(two))


def _type_spec(composite: object) -> Any:
    if hasattr(composite, "most_specific_common_supertype"):  # it is one
        return composite
    return getattr(composite, "_type_spec", type(composite))


def _have_common_supertype(first: Any, second: Any) -> bool:
    if isinstance(first, type) or isinstance(second, type):
        return getattr(first, "value_type", first) is getattr(second, "value_type", second)
    return first.most_specific_common_supertype([second]) is not None


def _outline(structure: object) -> str:
    """`structure` as text, with a dot for every leaf: no tensor is computed for a message."""
    container = container_of(type(structure))
    if container is None:
        return "."
    if is_mapping(type(structure)):
        pairs = zip(sorted_keys(structure), container.children(structure), strict=True)
        return "{" + ", ".join(f"{key!r}: {_outline(child)}" for key, child in pairs) + "}"
    inside = ", ".join(map(_outline, container.children(structure)))
    return f"[{inside}]" if type(structure) is list else f"{type(structure).__name__}({inside})"
