"""Functions that run in several replicas: order, arguments, results, errors. Expected values are TensorFlow's."""

from __future__ import annotations

import threading
import time

import pytest

import tfcompat as tf
from tests.distribute.replica import context, forms, number, parts
from tests.summary.event_reader import events

D = tf.distribute


def test_replicas_run_in_order_and_wait_for_each_other_at_collectives(strategy):
    order = []

    def step():
        order.append(("before", int(number())))
        context().all_reduce("SUM", number())
        order.append(("after", int(number())))

    strategy.run(step)
    assert order == [(when, replica) for when in ("before", "after") for replica in range(4)]


def test_a_replica_knows_its_number(strategy):
    seen = []

    def step():
        replica = context().replica_id_in_sync_group
        assert replica.dtype == tf.int32
        assert context().num_replicas_in_sync == 4
        assert D.get_strategy() is strategy
        assert not D.in_cross_replica_context()
        seen.append(int(replica))
        return "first" if replica == 0 else "other"

    assert strategy.run(step).values == ("first", "other", "other", "other")
    assert seen == [0, 1, 2, 3]
    assert (D.has_strategy(), D.in_cross_replica_context()) == (False, False)


def test_distributed_arguments_are_replaced_by_components(strategy):
    given = {"x": [strategy.run(number), 10.0], "y": (strategy.run(number),)}
    result = strategy.run(lambda a, y: a["x"][0] * a["x"][1] + a["y"][0] + y, (given,), {"y": 1.0})
    assert parts(result) == [1.0, 12.0, 23.0, 34.0]


def test_each_replica_receives_containers_of_its_own(strategy):
    given = ([], {})

    def step(listed, named):
        assert (listed, named) == ([], {})
        listed.append(1)
        named["x"] = 1
        return len(listed) + len(named)

    assert strategy.run(step, given) == 2
    assert given == ([], {})


def test_results_are_grouped_leaf_by_leaf(strategy):
    shared = tf.constant(7.0)
    result = strategy.run(lambda: (None, 5, shared, int(number()), {"x": [number()]}))
    assert result[:2] == (None, 5)
    assert result[2] is shared
    assert result[3].values == (0, 1, 2, 3)
    assert parts(result[4]["x"][0]) == [0.0, 1.0, 2.0, 3.0]
    with pytest.raises(AssertionError, match="different lengths"):
        strategy.run(lambda: (1,) * (1 + (int(number()) == 0)))


def test_per_replica_values_are_no_tensors(strategy):
    value = strategy.run(number)
    assert isinstance(value, tf.types.experimental.distributed.PerReplica)
    assert isinstance(value, D.DistributedValues)
    assert len(tf.nest.flatten(value)) == 1
    assert len(tf.nest.flatten(value, expand_composites=True)) == 4
    assert repr(value).startswith("PerReplica:{\n  0: <tf.Tensor: shape=(), dtype=float32, numpy=0.0>,\n  1: ")
    assert str(value).startswith("PerReplica:{\n  0: tf.Tensor(0.0, shape=(), dtype=float32),\n")
    with pytest.raises(ValueError, match="using a PerReplica object while not inside a replica context"):
        tf.add(value, 1.0)
    for use in (lambda: value + 1, lambda: float(value), lambda: value[0], lambda: len(value)):
        with pytest.raises(TypeError, match="PerReplica"):
            use()
    with pytest.raises(AttributeError, match="numpy"):
        value.numpy()


def test_local_results_are_structures_of_components(strategy):
    value = strategy.run(number)
    first, *_ = strategy.experimental_local_results({"a": value, "b": 3})
    assert (first["a"].numpy(), first["b"]) == (0.0, 3)
    assert len(strategy.experimental_local_results(value)) == 4
    assert strategy.experimental_local_results(None) == (None,)
    same = tf.constant(1.0)
    assert strategy.experimental_local_results(same) == (same,)
    assert strategy.experimental_local_results([same, None]) == ([same, None],) * 4
    assert strategy.experimental_local_results(()) == ((),) * 4


def test_the_exception_of_a_replica_ends_all(strategy):
    before = set(threading.enumerate())

    def step():
        context().all_reduce("SUM", number())
        return 1 // (2 - int(number()))

    with pytest.raises(ZeroDivisionError):
        strategy.run(step)
    assert (D.has_strategy(), D.in_cross_replica_context()) == (False, False)
    limit = time.monotonic() + 60.0
    while set(threading.enumerate()) - before:  # a thread that has nothing to do ends after a second
        assert time.monotonic() < limit
        time.sleep(0.01)
    assert parts(strategy.run(number)) == [0.0, 1.0, 2.0, 3.0]


def test_replicas_must_meet_equally_often(strategy):
    def step():
        return context().merge_call(lambda _: 1) if int(number()) == 0 else 2

    with pytest.raises(RuntimeError, match="different number of replica_context"):
        strategy.run(step)
    assert parts(strategy.run(number)) == [0.0, 1.0, 2.0, 3.0]


def test_a_context_is_refused_after_its_run(strategy):
    kept = []
    strategy.run(lambda: kept.append(context()))
    with pytest.raises(RuntimeError):
        kept[0].merge_call(lambda _: 1)


@pytest.mark.parametrize("call", ["run", "reduce", "scope", "gather"])
def test_methods_for_all_replicas_are_refused_in_a_replica(strategy, call):
    calls = {
        "run": lambda: strategy.run(int),
        "reduce": lambda: strategy.reduce("SUM", 1.0, axis=None),
        "scope": lambda: strategy.scope().__enter__(),
        "gather": lambda: strategy.gather(tf.constant([1]), axis=0),
    }
    with pytest.raises(RuntimeError, match=r"cross-replica context"):
        strategy.run(calls[call])


def test_functions_are_traced_for_each_context(strategy):
    seen = []

    @tf.function
    def traced():
        seen.append((D.get_strategy().num_replicas_in_sync, D.in_cross_replica_context()))
        return tf.constant(1)

    traced()
    with strategy.scope():
        traced()
    strategy.run(lambda: traced())
    traced()
    assert seen[:2] == [(1, False), (4, True)]
    assert set(seen[2:]) == {(4, False)}


@pytest.mark.parametrize("form", ["around", "inside"])
def test_decorated_runs_call_python_once_for_each_replica(strategy, form):
    seen = []

    def step(x):
        seen.append(1)
        if context().replica_id_in_sync_group == 0:
            x = x + 100.0
        return context().all_reduce("SUM", x) + number()

    inside = tf.function(step)
    run = tf.function(lambda x: strategy.run(step, (x,))) if form == "around" else lambda x: strategy.run(inside, (x,))
    given = strategy.run(number)
    assert parts(run(given)) == parts(run(given)) == [106.0, 107.0, 108.0, 109.0]
    assert len(seen) == 4


def test_collectives_in_control_flow_are_refused(strategy):
    def step(count):
        total = number()
        for _ in tf.range(count):
            total = context().all_reduce("SUM", total)
        return total

    with pytest.raises(RuntimeError, match="`merge_call` called while defining a new graph"):
        tf.function(lambda count: strategy.run(step, (count,)))(tf.constant(3))


@pytest.mark.parametrize(("limit", "wanted"), [(0, [0.0, 1.0, 2.0, 3.0]), (2, [0.0, -1.0, -2.0, -3.0])])
def test_branches_may_run_replicas(strategy, limit, wanted):
    @tf.function
    def step(limit):
        result = strategy.run(number)
        if limit > 1:
            result = strategy.run(lambda: -number())
        return result

    assert parts(step(tf.constant(limit))) == wanted


def test_random_numbers_are_drawn_in_the_order_of_the_replicas(strategy):
    tf.random.set_seed(42)
    successive = [float(tf.random.normal([])) for _ in range(8)]
    tf.random.set_seed(42)
    drawn = [parts(strategy.run(lambda: tf.random.normal([]))) for _ in range(2)]
    assert drawn[0] + drawn[1] == pytest.approx(successive)
    assert drawn[0] == pytest.approx([0.32746851, 0.08422458, -0.55909735, 0.65648675])


def test_a_seed_of_an_op_gives_equal_numbers_in_all_replicas(strategy):
    first, second = (parts(strategy.run(lambda: tf.random.normal([], seed=7))) for _ in range(2))
    assert len(set(first)) == len(set(second)) == 1
    assert first != second


def test_generators_of_a_strategy_draw_different_numbers_in_replicas(strategy):
    with strategy.scope():
        generator = tf.random.Generator.from_seed(3)
    expected = [[0.81355172, 1.33606112], [0.2773456, 0.40124485], [0.56300968, 0.66270614], [-0.31443843, -0.61202937]]
    for drawn, wanted in zip(parts(strategy.run(lambda: generator.normal([2]))), expected, strict=True):
        assert drawn == pytest.approx(wanted)
    state = generator.state.numpy().tolist()
    strategy.run(lambda: generator.normal([2]))
    assert generator.state.numpy().tolist() != state


@forms
def test_the_first_replica_writes_summaries(strategy, tmp_path, form):
    writer = tf.summary.create_file_writer(str(tmp_path))

    def step():
        with writer.as_default():
            context().merge_call(lambda _: tf.summary.write("merged", 1.0, step=0))
            return tf.summary.write("number", number(), step=0)

    with writer.as_default():
        assert parts(form(strategy, step)) == [True, False, False, False]
        assert bool(tf.summary.should_record_summaries())
    writer.close()
    assert [tag for event in events(tmp_path) for tag, _ in event.values()] == ["merged", "number"]
