"""`group_by_reducer` and `rejection_resample`; expected orders are TensorFlow's."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import count_of, listed, refuses

D = tf.data.Dataset
experimental = tf.data.experimental


def zero(_):
    return tf.constant(0, tf.int64)


def total(state, element):
    return state + element


def same(state):
    return state


SUM = experimental.Reducer(zero, total, same)


def remainder(x):
    return x % 2


def test_groups_come_in_the_order_of_their_keys():
    def pair(state, key):
        return state, key

    reducer = experimental.Reducer(lambda k: (zero(k), k), lambda s, x: (s[0] + x, s[1]), pair)
    numbers = D.from_tensor_slices(tf.constant([7, 5, 9, 3, 5], tf.int64))
    found = numbers.apply(experimental.group_by_reducer(lambda x: x % 4, reducer))
    assert listed(found) == [(19, 1), (10, 3)]
    assert listed(found.repeat(2).skip(1).take(2)) == [(10, 3), (19, 1)]
    assert count_of(found) == tf.data.UNKNOWN_CARDINALITY
    assert repr(found).startswith("<_GroupByReducerDataset element_spec=(TensorSpec(shape=(), dtype=tf.int64")


def test_states_may_grow_and_elements_are_one_argument():
    joined = experimental.Reducer(
        lambda _: tf.zeros([0], tf.int64), lambda state, pair: tf.concat([state, [pair[1]]], 0), same
    )
    pairs = D.range(5).map(lambda x: (x, -x))
    assert listed(pairs.apply(experimental.group_by_reducer(lambda x, _: x % 2, joined))) == [[0, -2, -4], [-1, -3]]


def test_reducer_has_its_functions():
    assert (SUM.init_func, SUM.reduce_func, SUM.finalize_func) == (zero, total, same)


def test_refused_reducers():
    def apply(key, reducer):
        return D.range(5).apply(experimental.group_by_reducer(key, reducer))

    refuses(lambda: apply(lambda x: tf.cast(x, tf.int32), SUM), ValueError, "`key_func`")
    other = experimental.Reducer(lambda _: 0, lambda _, x: x, same)
    refuses(lambda: apply(remainder, other), TypeError, "Invalid `reducer`. The element types for the new state")
    refuses(lambda: apply(remainder, 5), AttributeError, "init_func")


def third(x):
    return tf.cast(x % 3, tf.int32)


def half(x):
    return tf.cast(x % 2, tf.int32)


def elements(dataset):
    return [element for _, element in listed(dataset)]


def test_estimated_shares():
    found = D.range(40).rejection_resample(third, [0.5, 0.3, 0.2], seed=4)
    assert listed(found)[:14] == [
        *[(0, 0), (0, 0), (1, 1), (2, 2), (0, 3), (0, 3), (1, 4)],
        *[(2, 5), (0, 6), (0, 6), (1, 7), (2, 8), (0, 9), (1, 7)],
    ]
    assert len(listed(found)) == 54
    assert repr(found).startswith("<_DirectedInterleaveDataset element_spec=(TensorSpec(shape=(), dtype=tf.int32")


def test_known_shares():
    found = D.range(60).rejection_resample(third, [0.6, 0.2, 0.2], [0.3, 0.3, 0.4], seed=8)
    tf.random.set_seed(5)
    try:
        drawn = D.range(60).rejection_resample(third, [0.6, 0.2, 0.2])
        assert elements(drawn)[:12] == [0, 1, 2, 3, 4, 0, 3, 5, 6, 7, 8, 6]
        found = D.range(60).rejection_resample(third, [0.6, 0.2, 0.2], [0.3, 0.3, 0.4])
        listed(found)
    finally:
        tf.random.set_seed(None)
    pairs = D.range(4).map(lambda x: (x, x)).rejection_resample(lambda x, _: half(x), [0.5, 0.5], [0.5, 0.5], seed=1)
    assert listed(pairs) == [(k % 2, (k, k)) for k in range(4)]
    assert listed(D.range(4).rejection_resample(half, [1.0, 0.0], [0.5, 0.5], seed=1)) == [(0, 0), (0, 2)]


def test_function_for_apply():
    found = D.range(6).apply(experimental.rejection_resample(half, [0.5, 0.5], [0.5, 0.5], seed=1))
    assert listed(found) == [(k % 2, k) for k in range(6)]


def test_weights_may_be_a_dataset():
    choices = D.from_tensor_slices([[1.0, 0.0], [0.0, 1.0]]).repeat()
    found = D.sample_from_datasets([D.range(3), D.range(10, 13)], choices, seed=2)
    assert listed(found)[:4] == [0, 10, 1, 11]


@pytest.mark.parametrize("wrong", [[0.5, 0.3], [0.5, 0.3, 0.1, 0.1]])
def test_shares_of_another_number_of_classes(wrong):
    refuses(
        lambda: D.range(4).rejection_resample(third, [0.5, 0.3, 0.2], wrong),
        tf.errors.InvalidArgumentError,
        "(?i)incompatible shapes",
    )
