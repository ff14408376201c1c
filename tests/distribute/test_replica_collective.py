"""Reductions over replicas, merged calls, and their gradients. Expected values are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.distribute.replica import context, forms, number, parts

D = tf.distribute


def test_reduce_is_over_replicas_and_along_an_axis(strategy):
    assert strategy.reduce("SUM", strategy.run(number), axis=None).numpy() == 6.0
    mean = strategy.reduce("MEAN", strategy.run(lambda: context().replica_id_in_sync_group), axis=None)
    assert (mean.dtype, mean.numpy()) == (tf.float64, 1.5)
    uneven = strategy.run(lambda: tf.range(number() + 1.0))
    assert strategy.reduce(D.ReduceOp.MEAN, uneven, axis=0).numpy() == pytest.approx(1.0)
    assert strategy.reduce("sum", uneven, axis=0).numpy() == 10.0
    assert strategy.reduce("SUM", tf.constant([2.0, 3.0]), axis=0).numpy() == 20.0
    assert strategy.reduce("MEAN", tf.constant(3.0), axis=None).numpy() == 3.0
    assert strategy.gather(uneven, axis=0).numpy().tolist() == [0, 0, 1, 0, 1, 2, 0, 1, 2, 3]


def test_gather_takes_tensors_with_axes(strategy):
    rows = strategy.run(lambda: tf.fill([2, int(number()) + 1], number()))
    assert strategy.gather(rows, axis=1).shape == [2, 10]
    plain = tf.constant([1.0, 2.0])
    assert strategy.gather(plain, axis=0).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"(?i)scalar|rank|dimension"):
        strategy.gather(strategy.run(number), axis=0)


def test_gather_joins_the_components_of_variables_and_ragged_rows(strategy):
    with strategy.scope():
        variable = tf.Variable([1.0, 2.0])
    strategy.run(lambda: variable.assign_add([number(), 0.0]))
    assert strategy.gather(variable, axis=0).numpy().tolist() == [1.0, 2.0, 2.0, 2.0, 3.0, 2.0, 4.0, 2.0]
    rows = strategy.run(lambda: tf.ragged.constant([[1], [2, 3]]))
    assert strategy.gather(rows, axis=0).to_list() == [[1], [2, 3]] * 4


def test_gather_refuses_other_values_and_axes(strategy):
    rows = strategy.run(lambda: number()[None])
    for axis in (1, None):
        with pytest.raises(ValueError):  # noqa: PT011  # TensorFlow's are those of the ops of a graph
            strategy.gather(rows, axis=axis)
    with pytest.raises(AttributeError, match="dtype"):
        strategy.gather(strategy.run(lambda: int(number())), axis=0)
    with pytest.raises(TypeError):
        strategy.gather(strategy.run(lambda: tf.sparse.from_dense([[1.0, 0.0]])), axis=0)


@pytest.mark.parametrize(
    ("dtype", "wanted"), [("int8", "float32"), ("uint8", "float32"), ("int16", "float32"), ("int64", "float64")]
)
def test_means_along_an_axis_have_the_dtype_of_a_division(strategy, dtype, wanted):
    mean = strategy.reduce("MEAN", strategy.run(lambda: tf.cast([number(), 2.0], dtype)), axis=0)
    assert (mean.dtype.name, mean.numpy()) == (wanted, 1.75)


@pytest.mark.parametrize("axis", [(0, 1), (-1, 0)])
def test_means_along_several_axes(strategy, axis):
    uneven = strategy.run(lambda: tf.fill([2, int(number()) + 1], number()))
    assert strategy.reduce("MEAN", uneven, axis=axis).numpy() == 2.0
    assert strategy.reduce("SUM", uneven, axis=axis).numpy() == 40.0


def test_reduce_refuses_other_values(strategy):
    with pytest.raises(AssertionError):
        strategy.reduce(None, strategy.run(number), axis=None)
    for value in (3.0, None):
        with pytest.raises(ValueError, match="cannot be reduced with the given reduce op"):
            strategy.reduce("SUM", value, axis=None)
    with pytest.raises(tf.errors.InvalidArgumentError):
        strategy.reduce("SUM", strategy.run(lambda: number() > 1.0), axis=None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size and shape"):
        strategy.reduce("SUM", strategy.run(lambda: tf.range(number() + 1.0)), axis=None)
    with pytest.raises(AttributeError):
        strategy.reduce("SUM", strategy.run(lambda: int(number())), axis=None)


def test_all_reduce_gives_all_replicas_the_result(strategy):
    result = strategy.run(lambda: context().all_reduce("SUM", {"a": number(), "b": [number() * 2.0]}))
    assert parts(result["a"]) == [6.0] * 4
    assert parts(result["b"][0]) == [12.0] * 4
    assert parts(strategy.run(lambda: context().all_reduce("MEAN", np.float32(2.0)))) == [2.0] * 4
    same = tf.constant([1.0, 2.0])  # one object has one component
    assert parts(strategy.run(lambda: context().all_reduce("SUM", same))) == [[1.0, 2.0]] * 4


def test_all_reduce_joins_rows(strategy):
    def step():
        count = 1 + int(number())
        rows = tf.IndexedSlices(tf.ones([count, 2]), tf.zeros([count], tf.int32), dense_shape=[2, 2])
        return context().all_reduce("SUM", rows)

    rows = strategy.run(step).values[2]
    assert rows.values.shape == (10, 2)
    assert tf.convert_to_tensor(rows).numpy().tolist() == [[10.0, 10.0], [0.0, 0.0]]


def test_all_reduce_refuses_other_values(strategy):
    for value in (1.0, None):
        with pytest.raises(AttributeError, match="dtype"):
            strategy.run(lambda value=value: context().all_reduce("SUM", [value]))
    with pytest.raises(ValueError, match="'MAX' is not a valid ReduceOp"):
        strategy.run(lambda: context().all_reduce("MAX", number()))


def test_all_reduce_takes_numbers_in_functions(strategy):
    first, second = strategy.run(tf.function(lambda: context().all_reduce("SUM", [1.5, 2.0])))
    assert (parts(first), parts(second)) == ([6.0] * 4, [8.0] * 4)


def test_values_are_reduced_for_their_destinations(strategy):
    values, device = strategy.run(number), "/CPU:0"
    reduce_to = strategy.extended.reduce_to
    assert parts(reduce_to("SUM", values, values)) == [6.0] * 4
    assert reduce_to("MEAN", values, device).numpy() == 1.5
    with strategy.scope():
        variable = tf.Variable(2.0)
    for way in (D.ReductionToOneDevice(), D.HierarchicalCopyAllReduce()):
        assert parts(way.reduce(D.ReduceOp.SUM, values, variable)) == [6.0] * 4
        assert parts(way.reduce(D.ReduceOp.SUM, variable, values)) == [8.0] * 4
        assert way.reduce(D.ReduceOp.MEAN, values, device).numpy() == 1.5
        first, second = way.batch_reduce(D.ReduceOp.MEAN, [(values, values), (values, device)])
        assert (parts(first), second.numpy()) == ([1.5] * 4, 1.5)
        assert parts(way.broadcast(tf.constant(3.0), values)) == [3.0] * 4
        with pytest.raises(ValueError, match="destination"):
            way.batch_reduce(D.ReduceOp.SUM, [values])
    assert D.ReduceOp.from_variable_aggregation(tf.VariableAggregation.MEAN) is D.ReduceOp.MEAN
    with pytest.raises(ValueError, match="Could not convert from"):
        D.ReduceOp.from_variable_aggregation(tf.VariableAggregation.NONE)


def test_merge_call_is_called_once_with_all_values(strategy):
    calls = []

    def merge(inner, x, factor):
        calls.append(inner)
        assert D.in_cross_replica_context()
        assert parts(x) == [0.0, 1.0, 2.0, 3.0]
        return inner.reduce("SUM", x, axis=None) * factor, x

    total, given = strategy.run(lambda: context().merge_call(merge, (number(),), {"factor": 2.0}))
    assert calls == [strategy]
    assert total.numpy() == 12.0
    assert parts(given) == [0.0, 1.0, 2.0, 3.0]


def test_replicas_may_run_in_a_merged_call(strategy):
    def merge(inner, x):
        return inner.run(lambda y: context().all_reduce("SUM", y), (x,))

    assert parts(strategy.run(lambda: context().merge_call(merge, (number(),)))) == [6.0] * 4


@pytest.fixture
def variable(strategy):
    """A variable with a component for each replica."""
    with strategy.scope():
        return tf.Variable([1.0, 2.0])


@forms
def test_each_replica_has_a_gradient_of_its_own(strategy, variable, form):
    def step():
        with tf.GradientTape() as tape:
            target = tf.reduce_sum(variable * variable * number())
        assert tape.watched_variables()[0] is variable
        return tape.gradient(target, variable)

    assert parts(form(strategy, step)) == [[0, 0], [2, 4], [4, 8], [6, 12]]


@forms
def test_gradients_through_collectives_meet(strategy, variable, form):
    def of_sum():
        with tf.GradientTape() as tape:
            target = tf.reduce_sum(context().all_reduce("SUM", variable * number() * variable))
        return tape.gradient(target, variable)

    def of_mean():
        with tf.GradientTape() as tape:
            target = tf.reduce_sum(context().all_reduce("MEAN", variable * number() * variable)) * (number() + 1.0)
        return tape.gradient(target, variable)

    def of_gather():
        with tf.GradientTape() as tape:
            joined = context().all_gather(variable * number() * variable, axis=0)
            target = tf.reduce_sum(joined * tf.range(1.0, 9.0))
        return tape.gradient(target, variable)

    assert parts(form(strategy, of_sum)) == [[0, 0], [8, 16], [16, 32], [24, 48]]
    assert parts(form(strategy, of_mean)) == [[0, 0], [5, 10], [10, 20], [15, 30]]
    assert parts(form(strategy, of_gather)) == [[0, 0], [24, 64], [80, 192], [168, 384]]


def test_collectives_in_loops(strategy):
    def reduced(x):
        return context().all_reduce("SUM", x * (number() + 1.0))

    decorated = tf.function(reduced)

    @tf.function
    def looped(step, x):
        total = x * 0.0
        for _ in tf.range(3):
            total += strategy.reduce("MEAN", strategy.run(step, (x,)), axis=None)
        return total

    x = tf.constant([2.0])
    assert parts(strategy.run(decorated, (x,))) == [[20.0]] * 4
    for step in (reduced, decorated):
        assert looped(step, x).numpy() == [60.0]


@forms
def test_tapes_do_not_record_merged_functions(strategy, variable, form):
    def merged(merge_fn, *args):
        with tf.GradientTape() as tape:
            target = context().merge_call(merge_fn, args and (variable * (number() + 1.0),))
        gradient = tape.gradient(target, variable)
        return tf.constant([-1.0, -1.0]) if gradient is None else gradient

    def total(given, x):
        return given.reduce("SUM", x, axis=None)

    assert parts(form(strategy, lambda: merged(total, True))) == [[-1.0, -1.0]] * 4
    assert parts(form(strategy, lambda: merged(lambda _: variable * 3.0))) == [[-1.0, -1.0]] * 4
    assert parts(form(strategy, lambda: merged(lambda _, x: x, True))) == [[1, 1], [2, 2], [3, 3], [4, 4]]


@forms
def test_tapes_continue_after_merged_functions(strategy, variable, form):
    def step():
        with tf.GradientTape() as tape:
            before = variable * number()
            context().merge_call(lambda _: None)
            target = before * variable
        return tape.gradient(target, variable)

    assert parts(form(strategy, step)) == [[0, 0], [2, 4], [4, 8], [6, 12]]


def test_tapes_around_replicas_record_nothing_of_them(strategy, variable):
    with tf.GradientTape() as tape:
        target = strategy.reduce("SUM", strategy.run(lambda: tf.reduce_sum(variable * variable)), axis=None)
    assert tape.gradient(target, variable) is None
    assert tape.watched_variables() == ()


def test_losses_are_divided_by_the_number_of_replicas(strategy):
    average = tf.nn.compute_average_loss
    assert parts(strategy.run(lambda: average([1.0, 2.0]))) == [0.375] * 4
    assert parts(strategy.run(lambda: average([1.0, 2.0], global_batch_size=16))) == [0.1875] * 4
    assert parts(strategy.run(lambda: tf.nn.scale_regularization_loss([1.0, 2.0]))) == [0.75] * 4
    with strategy.scope():
        for call in (average, tf.nn.scale_regularization_loss):
            with pytest.raises(RuntimeError, match="in cross replica context"):
                call([1.0])
