"""`assert_cardinality` and `ignore_errors`."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import count_of, generated, listed

D = tf.data.Dataset
FIVE = D.range(5)
assert_cardinality = tf.data.experimental.assert_cardinality


def test_cardinality_is_set():
    found = FIVE.unique().apply(assert_cardinality(5))
    assert (count_of(found), len(found), listed(found)) == (5, 5, [0, 1, 2, 3, 4])
    assert listed(FIVE.repeat().apply(assert_cardinality(-1)).take(7)) == [0, 1, 2, 3, 4, 0, 1]


@pytest.mark.parametrize(
    ("said", "message"),
    [(3, "contain 3 elements but contained at least 4"), (7, "contain 7 elements but contained only 5")],
)
def test_other_number_is_found_where_it_shows(said, message):
    iterator = iter(FIVE.apply(assert_cardinality(said)))
    for _ in range(min(said, 5)):
        next(iterator)
    with pytest.raises(tf.errors.FailedPreconditionError, match=message):
        next(iterator)


def test_errors_are_ignored():
    values = generated([1, "a", 3, None, 5], tf.TensorSpec([], tf.int32))
    assert listed(values.ignore_errors()) == [1, 3, 5]
    assert listed(values.apply(tf.data.experimental.ignore_errors()).batch(2)) == [[1, 3], [5]]
