"""`filter` and `take_while`."""

from __future__ import annotations

import tfcompat as tf
from tests.data.reading import count_of, listed, outcomes, refuses

D = tf.data.Dataset
TEN = D.range(10)


def test_filters():
    assert listed(TEN.filter(lambda x: x % 3 == 0)) == [0, 3, 6, 9]
    assert listed(D.range(1000).filter(lambda x: x % 100 == 7).batch(4)) == [
        [7, 107, 207, 307],
        [407, 507, 607, 707],
        [807, 907],
    ]
    assert listed(TEN.filter(lambda _: False)) == []
    assert listed(D.from_tensor_slices(([1, 2], ["a", "b"])).filter(lambda x, _: x > 1)) == [(2, b"b")]
    assert listed(TEN.batch(4).filter(lambda x: tf.shape(x)[0] == 2)) == [[8, 9]]
    assert count_of(TEN.filter(lambda _: True)) == -2
    assert TEN.filter(lambda _: True).element_spec == TEN.element_spec


def test_elements_up_to_the_first_that_is_refused():
    assert listed(TEN.take_while(lambda x: x < 4)) == [0, 1, 2, 3]
    assert listed(TEN.take_while(lambda _: True)) == [*range(10)]
    assert listed(D.range(5).repeat(2).take_while(lambda x: x < 3)) == [0, 1, 2]
    assert count_of(TEN.take_while(lambda x: x < 4)) == -2


def test_predicates_return_a_boolean():
    for method in (TEN.filter, TEN.take_while):
        refuses(lambda method=method: method(lambda x: x), ValueError, "`predicate` must return a `tf.bool` scalar")


def test_errors_take_the_place_of_their_elements():
    bad = "InvalidArgumentError"
    assert outcomes(D.range(5).filter(lambda x: 4 // (x - 2) != 4), 6) == [0, 1, bad, 4, "end", "end"]
    assert outcomes(D.range(5).take_while(lambda x: 4 // (x - 1) != 2), 4) == [0, bad, 2, "end"]
