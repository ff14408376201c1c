"""Which Python objects are containers, how they are flattened, and how they are rebuilt.

A container is a sequence other than a string, a mapping, a view of a mapping, an attrs class, or a class with
`__tf_flatten__` and `__tf_unflatten__`, or a sequence of ours with a method `_rebuilt(children)`. Everything else is a
leaf, None and strings included. The children of a mapping are in the order of its sorted keys. The kind of a class does
not change, so it is determined once per class.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, MappingView, MutableMapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeGuard


class Composite(Protocol):
    """A tensor that is made of several, such as `tf.IndexedSlices`: a leaf, unless composites are to be expanded.

    Every class with these two methods is a composite, without inheriting from this one. Two composites with an
    attribute `_type_spec` are alike if their specs have a common supertype; without it, if they are of one class. A
    method `_deciding` returns the places of the components whose values determine shapes, and `_plain` the parts that
    are not tensors. Functions are traced for each such value, which must be hashable. An attribute `_open_axes` has, by
    the places of components, the axes whose sizes traces leave open. A composite of many tensors may have a method
    `_entry`, which returns its part of the key of a call of a function (see `_function/arguments/signature.py`), or
    nothing if its components have to be looked at.
    """

    def _flatten_composite(self) -> list[Any]:
        """The components, which may be composites again."""
        ...

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> Any:
        """The composite with the components `leaves`. `spec` is the composite or type spec that it replaces."""
        ...


class Container(NamedTuple):
    """How the instances of one class are flattened and rebuilt.

    Attributes:
      children: takes an instance, returns its elements.
      rebuild: takes an instance and a list of new children, returns a similar instance with these children.
      metadata: takes an instance, returns the other parts of it; functions are traced for each value of these.
    """

    children: Callable[[Any], Iterable[object]]
    rebuild: Callable[[Any, list[Any]], Any]
    metadata: Callable[[Any], Any] | None = None


@functools.lru_cache(maxsize=4096)
def container_of(cls: type[Any]) -> Container | None:
    """The `Container` for instances of `cls`, or None if they are leaves."""
    if cls is list or issubclass(cls, MappingView | range):
        return Container(iter, _as_list)
    if hasattr(cls, "__attrs_attrs__"):
        return Container(_attrs_values, _rebuild_from_arguments)
    if hasattr(cls, "__tf_flatten__") and hasattr(cls, "__tf_unflatten__"):
        return Container(_custom_components, _rebuild_custom, _custom_metadata)
    if hasattr(cls, "_rebuilt"):
        return Container(iter, cls._rebuilt)
    if is_mapping(cls):
        return Container(_sorted_values, _mapping_rebuilder(cls))
    if is_namedtuple(cls):
        return Container(iter, _rebuild_from_arguments)
    if issubclass(cls, Sequence) and not issubclass(cls, str | bytes):
        return Container(iter, _rebuild_sequence)
    return None


@functools.lru_cache(maxsize=4096)
def container_or_composite_of(cls: type[Any]) -> Container | None:
    """As `container_of`, with composite tensors flattened too."""
    return Container(_components, _rebuild_composite) if is_composite(cls) else container_of(cls)


def is_composite(cls: type[Any]) -> TypeGuard[type[Composite]]:
    """Whether `cls` is a `Composite`."""
    return hasattr(cls, "_flatten_composite")


def is_mapping(cls: type[Any]) -> bool:
    """Whether instances of `cls` are flattened by their keys."""
    return issubclass(cls, Mapping)


def sorted_keys(mapping: Any) -> list[Any]:
    """The keys of `mapping` in the order of its children. Raises TypeError if they cannot be sorted."""
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError(f"tf.nest: nest only supports dicts with sortable keys, got {list(mapping)}.") from None


def is_namedtuple(cls: type[Any]) -> bool:
    """Whether `cls` was made by `collections.namedtuple` or `typing.NamedTuple`."""
    return tuple in cls.__mro__ and hasattr(cls, "_fields")


def _as_list(_: Any, children: list[Any]) -> Any:
    return children


def _rebuild_sequence(like: Any, children: list[Any]) -> Any:
    return type(like)(children)


def _rebuild_from_arguments(like: Any, children: list[Any]) -> Any:
    return type(like)(*children)


def _attrs_values(instance: Any) -> list[Any]:
    return [getattr(instance, attribute.name) for attribute in instance.__attrs_attrs__]


def _custom_components(instance: Any) -> Any:
    return instance.__tf_flatten__()[1]


def _custom_metadata(instance: Any) -> Any:
    return instance.__tf_flatten__()[0]


def _rebuild_custom(like: Any, children: list[Any]) -> Any:
    return like.__tf_unflatten__(_custom_metadata(like), tuple(children))


def _components(composite: Any) -> list[Any]:
    return composite._flatten_composite()


def _rebuild_composite(like: Any, children: list[Any]) -> Any:
    return like._unflatten_composite(like, children)


def _sorted_values(mapping: Any) -> list[Any]:
    return [mapping[key] for key in sorted_keys(mapping)]


def _paired(like: Any, children: list[Any]) -> list[tuple[Any, Any]]:
    """Pairs of keys and children in the order of `like`. The given `children` are in the order of the sorted keys."""
    by_key = dict(zip(sorted_keys(like), children, strict=True))
    return [(key, by_key[key]) for key in like]


def _mapping_rebuilder(cls: type[Any]) -> Callable[[Any, list[Any]], Any]:
    if issubclass(cls, defaultdict):
        return _rebuild_defaultdict
    return _rebuild_mutable_mapping if issubclass(cls, MutableMapping) else _rebuild_mapping


def _rebuild_defaultdict(like: Any, children: list[Any]) -> Any:
    return type(like)(like.default_factory, _paired(like, children))


def _rebuild_mutable_mapping(like: Any, children: list[Any]) -> Any:
    made = type(like)()
    for key, child in _paired(like, children):
        made[key] = child
    return made


def _rebuild_mapping(like: Any, children: list[Any]) -> Any:
    return type(like)(_paired(like, children))
