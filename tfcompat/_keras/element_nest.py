"""Structures of elements of datasets, as in `tensorflow.python.data.util.nest`: a list is one component."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.types.container import container_of, is_mapping, sorted_keys
from tfcompat._data.blocks.nesting import flatten, flatten_up_to, is_nested, packer

__all__ = [
    "assert_same_structure",
    "flatten",
    "flatten_up_to",
    "is_nested",
    "map_structure",
    "map_structure_up_to",
    "pack_sequence_as",
]


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """The components `flat_sequence` in a structure like `structure`.

    Raises: TypeError if `flat_sequence` is neither a list nor a tuple; ValueError for another number of components.
    Source: TF 2.21, `tensorflow.python.data.util.nest.pack_sequence_as`.
    """
    if not isinstance(flat_sequence, (list, tuple)):
        raise TypeError(f"Argument `flat_sequence` must be a list or tuple. Got '{type(flat_sequence).__name__}'.")
    count = len(flatten(structure))
    if len(flat_sequence) != count:
        raise ValueError(
            f"`flat_sequence` should have an element for each of the {count} components of the structure "
            f"{structure}, but has {len(flat_sequence)}."
        )
    return packer(structure)(flat_sequence)


def map_structure(func: Callable[..., Any], *structure: Any, check_types: bool = True) -> Any:
    """A structure like the first one, with `func` of the components of each.

    Raises: TypeError if `func` is not callable; ValueError without structures; as `assert_same_structure`.
    Source: TF 2.21, `tensorflow.python.data.util.nest.map_structure`.
    """
    if not callable(func):
        raise TypeError(f"Argument `func` must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=check_types)
    return packer(structure[0])([func(*parts) for parts in zip(*map(flatten, structure), strict=True)])


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any) -> Any:
    """A structure like `shallow_tree`, with `func` of the parts of `inputs` at its components.

    Raises: ValueError without inputs; TypeError or ValueError for an input that does not begin with `shallow_tree`.
    Source: TF 2.21, `tensorflow.python.data.util.nest.map_structure_up_to`.
    """
    if not inputs:
        raise ValueError("Argument `inputs` is empty. Cannot map over no sequences.")
    parts = [flatten_up_to(shallow_tree, each) for each in inputs]
    return packer(shallow_tree)([func(*row) for row in zip(*parts, strict=True)])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Checks that two structures differ in their components only.

    Raises: ValueError for another nesting or other keys; with `check_types`, TypeError for containers of other classes.
    Source: TF 2.21, `tensorflow.python.data.util.nest.assert_same_structure`.
    """
    ours, theirs = _children(nest1), _children(nest2)
    if (ours is None) != (theirs is None) or len(ours or ()) != len(theirs or ()):
        raise ValueError(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: type={type(nest1).__name__} str={nest1}\n\n"
            f"Second structure: type={type(nest2).__name__} str={nest2}"
        )
    both_map = is_mapping(type(nest1)) and is_mapping(type(nest2))
    if ours is not None and check_types and type(nest1) is not type(nest2) and not both_map:
        raise TypeError(
            "The two structures don't have the same sequence type. First structure has type "
            f"{type(nest1).__name__}, while second structure has type {type(nest2).__name__}."
        )
    if both_map and sorted_keys(nest1) != sorted_keys(nest2):
        raise ValueError(
            f"The two dictionaries don't have the same set of keys. First structure has keys {list(nest1)}, "
            f"while second structure has keys {list(nest2)}."
        )
    for one, other in zip(ours or (), theirs or (), strict=True):
        assert_same_structure(one, other, check_types)


def _children(structure: Any) -> list[Any] | None:
    found = container_of(type(structure)) if is_nested(structure) else None
    return None if found is None else list(found.children(structure))
