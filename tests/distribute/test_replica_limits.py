"""Elements of distributed datasets, the strategy of all code, and optimizers that belong to no strategy."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.distribute.replica import context, parts

D = tf.distribute
keras = tf.keras


def test_the_strategy_of_all_code(strategy):
    D.experimental_set_strategy(strategy)
    try:
        assert D.get_strategy() is strategy
        assert D.in_cross_replica_context()
        assert context() is None
        with strategy.scope():
            assert D.get_strategy() is strategy
    finally:
        D.experimental_set_strategy(None)
    assert not D.has_strategy()
    with strategy.scope(), pytest.raises(RuntimeError):
        D.experimental_set_strategy(strategy)


def test_elements_keep_their_structure_and_kind(strategy):
    rows = tf.ragged.constant([[1], [2, 3], [], [4], [5, 6], [7], [8]])
    sparse = tf.sparse.from_dense([[number, 0] for number in range(7)])
    elements = {"text": tf.constant(list("abcdefg")), "rows": rows, "sparse": (sparse, tf.range(7))}
    (found,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(elements).batch(7))
    assert set(found) == {"text", "rows", "sparse"}
    texts = [part.numpy().tolist() for part in found["text"].values]
    assert texts == [[b"a", b"b"], [b"c", b"d"], [b"e", b"f"], [b"g"]]
    assert [part.to_list() for part in found["rows"].values] == [[[1], [2, 3]], [[], [4]], [[5, 6], [7]], [[8]]]
    dense = [tf.sparse.to_dense(part).numpy().tolist() for part in found["sparse"][0].values]
    assert dense == [[[0, 0], [1, 0]], [[2, 0], [3, 0]], [[4, 0], [5, 0]], [[6, 0]]]
    assert parts(found["sparse"][1]) == [[0, 1], [2, 3], [4, 5], [6]]


@pytest.mark.parametrize(
    ("dataset", "error"), [(lambda: tf.data.Dataset.range(4), IndexError), (lambda: [1, 2], AttributeError)]
)
def test_other_elements_than_batches_are_refused(strategy, dataset, error):
    with pytest.raises(error):
        strategy.experimental_distribute_dataset(dataset())


def weights(strategy):
    with strategy.scope():
        return tf.Variable([1.0, 2.0])


def descent(strategy):
    with strategy.scope():
        return keras.optimizers.SGD(0.5)


def test_an_optimizer_without_slots_may_be_made_anywhere(strategy):
    variable, optimizer = weights(strategy), keras.optimizers.SGD(0.5)
    strategy.run(lambda: optimizer.apply_gradients([(tf.ones([2]), variable)]))
    assert parts(variable) == [[-1.0, 0.0]] * 4


def test_slots_from_outside_are_refused(strategy):
    variable, optimizer = weights(strategy), keras.optimizers.Adam(0.5)
    optimizer.build([tf.Variable([1.0, 2.0])])
    with pytest.raises((RuntimeError, AssertionError, KeyError, ValueError)):
        strategy.run(lambda: optimizer.apply_gradients([(tf.ones([2]), variable)]))


def test_variables_from_outside_are_not_updated_in_replicas(strategy):
    variable, optimizer = tf.Variable([1.0, 2.0]), keras.optimizers.SGD(0.5)
    with pytest.raises(AssertionError):
        strategy.run(lambda: optimizer.apply_gradients([(tf.ones([2]), variable)]))


def test_gradients_are_applied_outside_of_scope_and_run(strategy):
    variable, optimizer = weights(strategy), descent(strategy)
    optimizer.apply_gradients([(tf.ones([2]), variable)])
    assert parts(variable) == [[0.5, 1.5]] * 4


def test_gradients_are_not_applied_in_a_scope_outside_of_run(strategy):
    variable, optimizer = weights(strategy), descent(strategy)
    with strategy.scope(), pytest.raises(AttributeError, match="merge_call"):
        optimizer.apply_gradients([(tf.ones([2]), variable)])


def test_a_decorated_function_runs_in_replicas(strategy):
    variable, optimizer = weights(strategy), descent(strategy)
    strategy.run(tf.function(lambda: optimizer.apply_gradients([(tf.ones([2]), variable)])))
    assert parts(variable) == [[-1.0, 0.0]] * 4


def test_accumulated_gradients_are_refused_in_decorated_steps(strategy):
    variable = weights(strategy)
    with strategy.scope():
        optimizer = keras.optimizers.SGD(0.5, gradient_accumulation_steps=2)
    step = tf.function(lambda: strategy.run(lambda: optimizer.apply_gradients([(tf.ones([2]), variable)])))
    with pytest.raises(RuntimeError):
        step()
