"""Partitions of open dimensions: `tfcompat._function.arguments.equal_sizes`."""

import itertools

import pytest

from tfcompat._function.arguments.equal_sizes import finest


def partitions(count):
    """All partitions of `count` dimensions, as numbers of classes that increase from the first one on."""
    for classes in itertools.product(range(count), repeat=count):
        if all(number <= len(set(classes[:place])) for place, number in enumerate(classes)):
            yield classes


def is_coarser(classes, required):
    pairs = itertools.combinations(range(len(classes)), 2)
    return all(classes[i] == classes[j] for i, j in pairs if required[i] == required[j])


def normal(classes):
    return tuple(classes.index(number) for number in classes)


@pytest.mark.parametrize("axes", [(0, 1, 2, 3), (0, 1, 0, 1), (0, 1, 2, 0, 1), (0, 0, 0, 1, 1)])
def test_finest_partition_is_found(axes):
    for required in partitions(len(axes)):
        found = finest(axes, lambda classes, required=required: is_coarser(classes, required))
        assert normal(found) == normal(required)


def test_without_a_valid_partition_there_is_none():
    assert finest((0, 1, 0), lambda _: False) is None


@pytest.mark.parametrize(
    ("required", "trials"),
    [
        ((0, 1, 2, 3), [(0, 1, 2, 3)]),
        ((0, 1, 0, 1), [(0, 1, 2, 3), (0, 1, 0, 1), (0, 1, 2, 1), (0, 1, 0, 3)]),
    ],
)
def test_partitions_that_are_tried(required, trials):
    tried = []

    def is_valid(classes):
        tried.append(normal(classes))
        return is_coarser(classes, required)

    finest((0, 1, 0, 1), is_valid)
    assert tried == [normal(classes) for classes in trials]
