"""Structures of elements: tuples, dictionaries and attrs classes are structures, a list is one tensor.

Otherwise they are those of `tf.nest`: dictionaries are flattened by their sorted keys, and rebuilt in their own order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.types.container import Container, container_of, is_mapping, sorted_keys


def container(structure: Any) -> Container | None:
    """How to take `structure` apart; None for a component."""
    kind: type[Any] = type(structure)
    is_structure = (
        (issubclass(kind, tuple) and getattr(kind, "_fields", None) != ("indices", "values", "dense_shape"))
        or is_mapping(kind)
        or hasattr(kind, "__attrs_attrs__")
        or (hasattr(kind, "__tf_flatten__") and hasattr(kind, "__tf_unflatten__"))
    )
    return container_of(kind) if is_structure else None


def is_nested(structure: Any) -> bool:
    """Whether `structure` is not a single component."""
    return container(structure) is not None


def flatten(structure: Any) -> list[Any]:
    """The components of `structure`."""
    found = container(structure)
    if found is None:
        return [structure]
    return [leaf for child in found.children(structure) for leaf in flatten(child)]


def packer(structure: Any) -> Callable[[Sequence[Any]], Any]:
    """The function that packs components into a structure like `structure`."""
    found = container(structure)
    if found is None:
        return lambda leaves: leaves[0]
    children = list(found.children(structure))
    if not any(map(is_nested, children)):
        return tuple if type(structure) is tuple else lambda leaves: found.rebuild(structure, list(leaves))
    packers = [packer(child) for child in children]
    counts = [len(flatten(child)) for child in children]

    def pack(leaves: Sequence[Any]) -> Any:
        inner: list[Any] = []
        start = 0
        for each, count in zip(packers, counts, strict=True):
            inner.append(each(leaves[start : start + count]))
            start += count
        return found.rebuild(structure, inner)

    return pack


def mapped(function: Callable[[Any], Any], structure: Any) -> Any:
    """A structure like `structure` with `function` of each component."""
    return packer(structure)([function(leaf) for leaf in flatten(structure)])


def flatten_up_to(shallow: Any, deep: Any) -> list[Any]:
    """The parts of `deep` in the places of the components of `shallow`.

    Raises: TypeError if a structure of `shallow` is of another kind in `deep`; ValueError if it is of another size.
    """
    found = container(shallow)
    if found is None:
        return [deep]
    if container(deep) is None:
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"'{type(deep).__name__}'."
        )
    if is_mapping(type(shallow)) != is_mapping(type(deep)) or (
        type(deep) is not type(shallow) and not is_mapping(type(shallow))
    ):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"'{type(deep).__name__}', while shallow structure has type '{type(shallow).__name__}'."
        )
    children = list(found.children(shallow))
    others = list(container_of(type(deep)).children(deep))  # pyright: ignore[reportOptionalMemberAccess]
    if len(children) != len(others):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(others)}, while shallow structure has length {len(children)}."
        )
    if is_mapping(type(shallow)) and sorted_keys(shallow) != sorted_keys(deep):
        raise ValueError("The two structures don't have the same keys.")
    return [leaf for one, other in zip(children, others, strict=True) for leaf in flatten_up_to(one, other)]


def is_alike(one: Any, other: Any) -> bool:
    """Whether two structures differ in their components only."""
    if not is_nested(one) or not is_nested(other):
        return is_nested(one) == is_nested(other)
    try:
        parts = flatten_up_to(one, other)
    except (TypeError, ValueError):
        return False
    return not any(map(is_nested, parts))


def common_supertype(one: Any, other: Any) -> Any:
    """The most specific structure of specs that includes both; None if they have nothing in common."""
    if not is_alike(one, other):
        return None
    pairs = zip(flatten(one), flatten(other), strict=True)
    leaves = [spec.most_specific_common_supertype([other]) for spec, other in pairs]
    return None if any(leaf is None for leaf in leaves) else packer(one)(leaves)


def is_compatible(one: Any, other: Any) -> bool:
    """Whether a value can be of both structures of specs."""
    return is_alike(one, other) and all(
        spec.is_compatible_with(more) for spec, more in zip(flatten(one), flatten(other), strict=True)
    )


def is_subtype(one: Any, other: Any) -> bool:
    """Whether the structure of specs `other` includes `one`."""
    return is_alike(one, other) and all(
        spec.is_subtype_of(more) for spec, more in zip(flatten(one), flatten(other), strict=True)
    )
