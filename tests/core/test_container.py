"""Classification of containers; tests of `tf.nest` cover their traversal and reconstruction."""

from __future__ import annotations

from collections import namedtuple

import pytest

from tfcompat._core.types.container import (
    container_of,
    container_or_composite_of,
    is_composite,
    is_mapping,
    is_namedtuple,
)


class Composite:
    def _flatten_composite(self):
        return [1]

    @classmethod
    def _unflatten_composite(cls, spec, leaves):
        return spec, leaves


def test_composite_is_a_container_only_where_asked_for():
    composite = Composite()
    assert is_composite(Composite)
    assert container_of(Composite) is None
    container = container_or_composite_of(Composite)
    assert container.children(composite) == [1]
    assert container.rebuild(composite, [2]) == (composite, [2])


@pytest.mark.parametrize("cls", [list, dict, int, str])
def test_other_classes_are_containers_or_not_either_way(cls):
    assert container_or_composite_of(cls) is container_of(cls)


def test_kinds():
    assert is_namedtuple(namedtuple("Pair", "a b"))
    assert not is_namedtuple(tuple)
    assert is_mapping(dict)
    assert not is_mapping(list)
