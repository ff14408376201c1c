"""`zip`, `enumerate` and `concatenate`."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import count_of, generated, listed, outcomes

D = tf.data.Dataset
FIVE = D.range(5)


def test_structures():
    assert listed(D.zip((FIVE, D.range(7, 10)))) == listed(D.zip(FIVE, D.range(7, 10))) == [(0, 7), (1, 8), (2, 9)]
    assert listed(D.zip(datasets=(FIVE, FIVE)).take(1)) == [(0, 0)]
    assert listed(D.zip({"b": FIVE, "a": (FIVE, FIVE.skip(1))}).take(1)) == [{"b": 0, "a": (0, 1)}]
    assert listed(D.zip(FIVE)) == [0, 1, 2, 3, 4]
    nested = D.zip(D.zip(FIVE, FIVE), FIVE.batch(2))
    assert listed(nested.take(1)) == [((0, 0), [0, 1])]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: D.zip([FIVE, FIVE]), "Python `list` is not supported and you should use `tuple` instead"),
        (lambda: D.zip(), "Must pass at least one dataset to `zip`"),
        (lambda: D.zip(5), "but encountered object of type <class 'int'>"),
        (lambda: D.zip(FIVE, datasets=(FIVE,)), r"Both `\*args` and `datasets` cannot be set"),
    ],
    ids=range(4),
)
def test_refusals(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_numbers():
    assert listed(D.from_tensors((1, 2)).repeat(2).enumerate(5)) == [(5, (1, 2)), (6, (1, 2))]
    assert FIVE.enumerate().element_spec == (tf.TensorSpec([], tf.int64), tf.TensorSpec([], tf.int64))
    with pytest.raises(TypeError, match="Cannot convert 'a'"):
        FIVE.enumerate("a")


def test_bad_element_takes_its_neighbours_along():
    values = generated([1, "a", 3], tf.TensorSpec([], tf.int32))
    found = D.zip(D.range(9), values, D.range(9).batch(1).unbatch())
    assert outcomes(found, 4) == [(0, 1, 0), "InvalidArgumentError", (2, 3, 2), "end"]


def test_blocks_of_other_sizes():
    found = listed(D.zip(D.range(1000), D.range(1000).batch(7).unbatch(), D.range(1000).shuffle(1)))
    assert found == [(k, k, k) for k in range(1000)]


def test_concatenation_of_many_datasets():
    joined = D.range(1)
    for number in range(1, 1200):
        joined = joined.concatenate(D.range(number, number + 1))
    assert count_of(joined) == 1200
    assert listed(joined.batch(1200)) == [list(range(1200))]
    iterator = iter(joined)
    next(iterator)
    place = iterator._serialize_to_tensors()
    other = iter(joined)
    other._restore_from_tensors(place)
    assert next(other).numpy() == 1
