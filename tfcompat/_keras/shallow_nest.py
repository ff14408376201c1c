"""Structures that are followed to the leaves of another, shallow structure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tfcompat._core.types.nest import assert_same_structure, is_nested, pack_sequence_as


def flatten_up_to(shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False) -> Any:
    """The parts of `input_tree` at the leaves of `shallow_tree`.

    Raises: TypeError or ValueError if `input_tree` does not begin with the structure of `shallow_tree`.
    Source: TF 2.21 `tf.__internal__.nest.flatten_up_to`.
    """
    _refuse_composites("flatten_up_to", expand_composites)
    assert_shallow_structure(shallow_tree, input_tree, check_types)
    return [part for _, part in _parts(shallow_tree, input_tree, ())]


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any) -> Any:
    """`func` of the parts of `inputs` at the leaves of `shallow_tree`, in the structure of `shallow_tree`.

    Source: TF 2.21 `tf.__internal__.nest.map_structure_up_to`.
    """
    return map_structure_with_tuple_paths_up_to(shallow_tree, lambda _, *parts: func(*parts), *inputs, **kwargs)


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, check_types: bool = True
) -> Any:
    """As `map_structure_up_to`; `func` has the path of the leaf as its first argument.

    Source: TF 2.21, `tensorflow.python.util.nest.map_structure_with_tuple_paths_up_to`.
    """
    if not inputs:
        raise ValueError("Argument `inputs` is empty. Cannot map over no sequences.")
    for each in inputs:
        assert_shallow_structure(shallow_tree, each, check_types)
    found = [list(_parts(shallow_tree, each, ())) for each in inputs]
    results = [func(row[0][0], *(part for _, part in row)) for row in zip(*found, strict=True)]
    return pack_sequence_as(shallow_tree, results)


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func` of the path and the leaves of `structure` at it.

    Source: TF 2.21, `tensorflow.python.util.nest.map_structure_with_tuple_paths`.
    """
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=kwargs.get("check_types", True))
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func` of the path of each leaf of the first structure, joined by "/", and of the parts of all at it.

    Source: TF 2.21, `tensorflow.python.util.nest.map_structure_with_paths`.
    """
    return map_structure_with_tuple_paths_up_to(
        structure[0], lambda path, *parts: func("/".join(map(str, path)), *parts), *structure, **kwargs
    )


def flatten_with_tuple_paths(structure: Any, expand_composites: bool = False) -> list[tuple[tuple[Any, ...], Any]]:
    """Pairs of a path and the leaf at it.

    Source: TF 2.21, `tensorflow.python.util.nest.flatten_with_tuple_paths`.
    """
    _refuse_composites("flatten_with_tuple_paths", expand_composites)
    return list(_parts(structure, structure, ()))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """As `flatten_with_tuple_paths`, with paths as texts whose parts are joined by `separator`.

    Source: TF 2.21, `tensorflow.python.util.nest.flatten_with_joined_string_paths`.
    """
    pairs = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), leaf) for path, leaf in pairs]


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[tuple[Any, ...]]:
    """The paths of the leaves.

    Source: TF 2.21 `tf.__internal__.nest.yield_flat_paths`.
    """
    _refuse_composites("yield_flat_paths", expand_composites)
    return (path for path, _ in _parts(nest, nest, ()))


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that `input_tree` begins with the structure of `shallow_tree`.

    Raises: TypeError if a part is not a container, or one of another class; ValueError if its length or keys differ.
    Source: TF 2.21, `tensorflow.python.util.nest.assert_shallow_structure`.
    """
    _refuse_composites("assert_shallow_structure", expand_composites)
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"'{type(input_tree).__name__}'."
        )
    one_is_mapping = is_mapping(shallow_tree)
    if check_types and not _is_alike(shallow_tree, input_tree):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"'{type(input_tree).__name__}', while shallow structure has type '{type(shallow_tree).__name__}'."
        )
    if len(input_tree) != len(shallow_tree):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(input_tree)}, while shallow structure has length {len(shallow_tree)}."
        )
    for key, part in _children(shallow_tree):
        if one_is_mapping and key not in input_tree:
            raise ValueError(f"The two structures don't have the same keys. Input has no key {key!r}.")
        assert_shallow_structure(part, _child(input_tree, key), check_types)


def _is_alike(shallow_tree: Any, input_tree: Any) -> bool:
    """Whether a container may be followed by `shallow_tree`: lists, mappings and equal named tuples of any classes."""
    if isinstance(input_tree, type(shallow_tree)):
        return True
    names = getattr(type(shallow_tree), "_fields", None)
    if names is not None and names == getattr(type(input_tree), "_fields", None):
        return type(shallow_tree).__name__ == type(input_tree).__name__
    both = (shallow_tree, input_tree)
    return all(isinstance(each, list) for each in both) or all(map(is_mapping, both))


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """A structure with True where `traverse_fn` does, and False where it ends.

    `traverse_fn` of a part returns a boolean, or a structure of booleans for its children.

    Raises: TypeError if `traverse_fn` returns something else.
    Source: TF 2.21 `tf.__internal__.nest.get_traverse_shallow_structure`.
    """
    _refuse_composites("get_traverse_shallow_structure", expand_composites)
    answer = traverse_fn(structure)
    if not is_nested(structure):
        if not isinstance(answer, bool):
            raise TypeError(f"traverse_fn returned structure: {answer} for a non-structure: {structure}.")
        return answer
    if answer is False:
        return False
    wanted = dict(_children(answer)) if is_nested(answer) else {}
    parts = [
        get_traverse_shallow_structure(traverse_fn, part) if wanted.get(key, answer is True) else False
        for key, part in _children(structure)
    ]
    return sequence_like(structure, parts)


def list_to_tuple(structure: Any) -> Any:
    """`structure` with tuples in place of lists.

    Source: TF 2.21 `tf.__internal__.nest.list_to_tuple`.
    """
    if not is_nested(structure):
        return structure
    parts = [list_to_tuple(part) for _, part in _children(structure)]
    return tuple(parts) if isinstance(structure, list) else sequence_like(structure, parts)


def sequence_like(instance: Any, args: Sequence[Any]) -> Any:
    """A container of the class and the keys of `instance` with the children `args`, in the order of sorted keys.

    Source: TF 2.21 `tf.__internal__.nest.sequence_like`.
    """
    if is_mapping(instance):
        return (
            pack_sequence_as(dict.fromkeys(instance, 0), args)
            if type(instance) is dict
            else type(instance)(zip(sorted(instance), args, strict=True))
        )
    if is_namedtuple(instance):
        return type(instance)(*args)
    return type(instance)(args)


def is_mapping(obj: Any) -> bool:
    """Whether `obj` is a mapping.

    Source: TF 2.21 `tf.__internal__.nest.is_mapping`.
    """
    return isinstance(obj, Mapping)


def is_attrs(obj: Any) -> bool:
    """Whether the class of `obj` was made by the package attrs.

    Source: TF 2.21 `tf.__internal__.nest.is_attrs`.
    """
    return hasattr(type(obj), "__attrs_attrs__")


def is_namedtuple(obj: Any, strict: bool = False) -> bool:
    """Whether `obj` is a named tuple; with `strict`, one whose class has no other parent.

    Source: TF 2.21, `tensorflow.python.util.nest._is_namedtuple`.
    """
    is_one = isinstance(obj, tuple) and hasattr(obj, "_fields")
    return is_one and (not strict or type(obj).__bases__ == (tuple,))


def sorted_items(iterable: Any) -> Iterator[tuple[Any, Any]]:
    """Pairs of the key and the part of each child of a container, in the order of `tf.nest.flatten`.

    Source: TF 2.21, `tensorflow.python.util.nest._yield_sorted_items`.
    """
    return _children(iterable)


def values(iterable: Any) -> Iterator[Any]:
    """The children of a container, in the order of `tf.nest.flatten`.

    Source: TF 2.21, `tensorflow.python.util.nest._yield_value`.
    """
    return (part for _, part in _children(iterable))


def _children(tree: Any) -> Iterator[tuple[Any, Any]]:
    if is_mapping(tree):
        return ((key, tree[key]) for key in sorted(tree))
    if is_attrs(tree):
        return ((each.name, getattr(tree, each.name)) for each in type(tree).__attrs_attrs__)
    if is_namedtuple(tree):
        return ((name, getattr(tree, name)) for name in tree._fields)
    return iter(enumerate(tree))


def _child(tree: Any, key: Any) -> Any:
    return getattr(tree, key) if isinstance(key, str) and not is_mapping(tree) else tree[key]


def _parts(shallow: Any, tree: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if not is_nested(shallow):
        yield path, tree
        return
    for key, part in _children(shallow):
        yield from _parts(part, _child(tree, key), (*path, key))


def _refuse_composites(name: str, expand_composites: bool) -> None:
    if expand_composites:
        raise NotImplementedError(
            f"tf.nest.{name}: expand_composites is not supported; flatten the parts with tf.nest.flatten."
        )
