"""Packing of leaves into structures like a given one, prepared once for many calls."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from tfcompat._core.types.container import Container, container_of, container_or_composite_of, sorted_keys
from tfcompat._core.types.nest import ContainerOf


def packer(structure: object, expand_composites: bool = False) -> Callable[[Sequence[Any]], Any]:
    """The function that packs leaves like `structure`, as `nest.packed` does.

    `structure` must not change afterwards.
    """
    return _packer(structure, container_or_composite_of if expand_composites else container_of, itertools.count())


def _packer(structure: object, of: ContainerOf, places: Iterator[int]) -> Callable[[Sequence[Any]], Any]:
    container = of(type(structure))
    if container is None:
        return itemgetter(next(places))
    parts = [_packer(child, of, places) for child in container.children(structure)]
    rebuild = _rebuilder(container, structure)
    return lambda leaves: rebuild([part(leaves) for part in parts])


def _rebuilder(container: Container, structure: Any) -> Callable[[list[Any]], Any]:
    """The function that rebuilds `structure` with other children."""
    if type(structure) is tuple:
        return tuple
    if type(structure) is dict:
        place = {key: k for k, key in enumerate(sorted_keys(structure))}
        pairs = [(key, place[key]) for key in structure]
        return lambda children: {key: children[k] for key, k in pairs}
    return lambda children: container.rebuild(structure, children)
