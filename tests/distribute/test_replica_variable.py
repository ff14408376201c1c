"""Variables with a component for each of several replicas. Expected values are TensorFlow's."""

from __future__ import annotations

import copy

import pytest

import tfcompat as tf
from tests.distribute.replica import context, number, parts

D = tf.distribute
AGGREGATIONS = ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA")


def made(strategy, value, aggregation="NONE", synchronization="AUTO", **options):
    """A variable of `strategy`."""
    with strategy.scope():
        return tf.Variable(
            value,
            aggregation=getattr(tf.VariableAggregation, aggregation),
            synchronization=getattr(tf.VariableSynchronization, synchronization),
            **options,
        )


def held(variable):
    """The values of the components."""
    return [component.numpy().tolist() for component in variable.values]


def test_a_mirrored_variable_has_equal_components(strategy):
    calls = []

    def initial():
        calls.append(1)
        return tf.constant(2.0)

    variable = made(strategy, initial, name="w")
    assert calls == [1]
    assert held(variable) == [2.0] * 4
    assert "MirroredVariable" in type(variable).__name__
    assert isinstance(variable, tf.Variable)
    assert isinstance(variable, D.DistributedValues)
    assert not isinstance(variable, tf.__internal__.CompositeTensor)
    assert isinstance(variable, tf.types.experimental.distributed.Mirrored)
    assert tf.is_tensor(variable)
    assert [component.name for component in variable.values[:2]] == ["w:0", "w/replica_1:0"]
    assert variable.values[3].device == "/job:localhost/replica:0/task:0/device:CPU:3"
    assert variable.distribute_strategy is strategy
    assert variable.aggregation is tf.VariableAggregation.NONE
    assert strategy.experimental_local_results(variable)[2] is variable.values[2]
    assert variable.synchronization is tf.VariableSynchronization.ON_WRITE
    assert strategy.extended.value_container(variable.values[1]) is variable
    assert repr(variable).splitlines()[:3] == [
        "MirroredVariable:{",
        "  0: <tf.Variable 'w:0' shape=() dtype=float32, numpy=2.0>,",
        "  1: <tf.Variable 'w/replica_1:0' shape=() dtype=float32, numpy=2.0>,",
    ]
    for convert in (float, int, complex):
        with pytest.raises(TypeError, match="MirroredVariable"):
            convert(variable)


@pytest.mark.parametrize("make", [lambda given: given, lambda _: tf.distribute.MirroredStrategy(["CPU:0"])])
def test_as_a_condition_a_variable_is_an_object(strategy, make):
    late = {"synchronization": tf.VariableSynchronization.ON_READ, "aggregation": tf.VariableAggregation.SUM}
    with make(strategy).scope():
        variables = [tf.Variable(0.0), tf.Variable(False), tf.Variable(0.0, **late)]
    assert [bool(variable) for variable in variables] == [True] * 3


def test_assigning_outside_of_replicas_changes_all_components(strategy):
    variable = made(strategy, 1.0, "SUM")
    assert parts(variable.assign(3.0)) == [3.0] * 4
    assert parts(variable.assign_add(1.0)) == held(variable) == [4.0] * 4
    assert variable.assign(3.0, read_value=False) is None
    variable.assign(strategy.run(number))
    assert held(variable) == [0.0, 1.0, 2.0, 3.0]
    assert variable.numpy() == (variable + 0.0).numpy() == 0.0


@pytest.mark.parametrize(
    ("aggregation", "assigned", "added"),
    [
        ("NONE", [1, 2, 3, 4], [2, 3, 4, 5]),
        ("SUM", [10] * 4, [11] * 4),
        ("MEAN", [2.5] * 4, [3.5] * 4),
        ("ONLY_FIRST_REPLICA", [1] * 4, [2] * 4),
    ],
)
@pytest.mark.parametrize("form", ["eager", "decorated"])
def test_assigning_in_replicas_aggregates(strategy, aggregation, assigned, added, form):
    variable = made(strategy, 1.0, aggregation)
    run = strategy.run if form == "eager" else tf.function(lambda step: strategy.run(step))

    def assign():
        variable.assign(number() + 1.0)
        return variable + 0.0

    assert parts(run(assign)) == assigned
    variable.assign(1.0)

    def add():
        variable.assign_add(number() + 1.0)

    run(add)
    assert held(variable) == added
    if aggregation == "SUM":
        with pytest.raises(ValueError, match="cannot be reduced with the given reduce op"):
            strategy.run(lambda: variable.assign_sub(1.0))


def test_the_result_of_an_assignment(strategy):
    free, summed = made(strategy, 1.0), made(strategy, 1.0, "SUM")
    views = strategy.run(lambda: free.assign(number()))
    assert views.values[1].name == "UnreadVariable"
    assert parts(strategy.run(lambda: summed.assign(number()))) == [6.0] * 4
    assert strategy.run(lambda: summed.assign(number(), read_value=False)) is None


def test_parts_of_variables_are_assigned_in_all_components(strategy):
    variable = made(strategy, [1.0, 2.0])
    variable.scatter_add(tf.IndexedSlices([1.0], [0]))
    strategy.run(lambda: variable.scatter_add(tf.IndexedSlices([1.0], [0])))
    assert held(variable) == [[3.0, 2.0]] * 4
    strategy.run(lambda: variable[1].assign(5.0))
    assert held(variable) == [[3.0, 5.0]] * 4


def test_variables_are_reduced_by_component(strategy):
    variable = made(strategy, [1.0, 2.0])
    strategy.run(lambda: variable.assign_add([1.0, 2.0] * number()))
    assert held(variable) == [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [4.0, 8.0]]
    assert strategy.reduce("MEAN", variable, axis=None) is variable.values[0]
    with pytest.raises(AssertionError):
        strategy.reduce("SUM", variable, axis=None)
    for op, along, within in (("MEAN", 3.75, [2.5, 5.0]), ("SUM", 30.0, [10.0, 20.0])):
        assert float(strategy.reduce(op, variable, axis=0)) == along
        assert strategy.reduce(op, {"a": variable}, axis=None)["a"].numpy().tolist() == within


def test_a_variable_with_one_component_is_reduced_to_it():
    strategy = D.MirroredStrategy(["CPU:0"])
    variable = made(strategy, [1.0, 2.0])
    late = made(strategy, 3.0, "SUM", "ON_READ")
    assert strategy.reduce("MEAN", variable, axis=None) is variable.values[0]
    with pytest.raises(AssertionError):
        strategy.reduce("SUM", variable, axis=None)
    found = [
        strategy.reduce("SUM", [variable], axis=None)[0],
        strategy.reduce("SUM", late, axis=None),
        strategy.gather(variable, axis=0),
    ]
    assert not any(isinstance(each, tf.Variable) for each in found)
    assert [each.numpy().tolist() for each in found] == [[1.0, 2.0], 3.0, [1.0, 2.0]]


def test_distributed_values_of_one_replica_are_their_component():
    strategy = D.MirroredStrategy(["CPU:0"])
    variable = made(strategy, [0.0, 0.0])
    value = strategy.experimental_distribute_values_from_function(lambda _: tf.constant([1.0, 2.0]))
    with strategy.scope():
        found = [
            strategy.reduce("SUM", value, axis=None),
            strategy.gather(value, axis=0),
            strategy.extended.reduce_to("SUM", value, variable),
            *strategy.extended.batch_reduce_to("MEAN", [(value, variable)]),
            *strategy.experimental_local_results(value),
        ]
        strategy.extended.update(variable, lambda part, delta: part.assign_add(delta), args=(value,))
        assert variable.numpy().tolist() == [1.0, 2.0]
        variable.assign_sub(strategy.extended.reduce_to("SUM", value, variable))
        variable.assign(value)
        variable.assign_add(value)
    assert variable.numpy().tolist() == [2.0, 4.0]
    assert [each.numpy().tolist() for each in found] == [[1.0, 2.0]] * 5
    assert strategy.experimental_local_results(variable)[0] is variable.values[0]


ON_READ = [("SUM", 10.0, 2.0), ("MEAN", 2.5, 8.0), ("ONLY_FIRST_REPLICA", 1.0, 8.0)]


@pytest.mark.parametrize(("aggregation", "read", "stored"), ON_READ)
def test_variables_synchronized_on_read_are_reduced_outside(strategy, aggregation, read, stored):
    variable = made(strategy, 0.0, aggregation, "ON_READ")
    assert type(variable).__name__ == "SyncOnReadVariable"
    assert not variable.trainable

    def step():
        variable.assign_add(number() + 1.0)
        return variable + 0.0

    assert parts(strategy.run(step)) == held(variable) == [1.0, 2.0, 3.0, 4.0]
    assert variable.numpy() == (variable + 0.0).numpy() == read
    assert strategy.reduce("SUM", variable, axis=None).numpy() == 10.0
    variable.assign(8.0)
    assert held(variable) == [stored] * 4
    if aggregation == "SUM":
        with pytest.raises(ValueError, match="does not support `assign_add` in cross-replica context"):
            variable.assign_add(1.0)


def test_variables_without_aggregation_are_not_read_outside(strategy):
    variable = made(strategy, 1.0, "NONE", "ON_READ")
    with pytest.raises(ValueError, match="Could not convert from"):
        variable.numpy()
    assert parts(strategy.run(lambda: variable + 0.0)) == [1.0] * 4


def test_variables_that_strategies_refuse(strategy):
    with pytest.raises(ValueError, match="`NONE` variable synchronization mode is not supported"):
        made(strategy, 1.0, synchronization="NONE")
    with strategy.scope(), pytest.raises(ValueError, match="Invalid variable aggregation mode: mean"):
        tf.Variable(1.0, aggregation="mean")
    with strategy.scope(), pytest.raises(ValueError, match="Invalid variable synchronization mode: late"):
        tf.Variable(1.0, synchronization="late")
    with pytest.raises(ValueError, match="non-floating dtype"):
        made(strategy, 1, "MEAN")


def test_variables_made_in_replicas_are_one(strategy):
    variable = strategy.run(lambda: tf.Variable(number(), name="q"))
    assert [component.name for component in variable.values[:2]] == ["q:0", "q/replica_1:0"]
    assert held(variable) == [0.0] * 4
    assert strategy.run(lambda: variable.values[2]) is variable

    def only_second():
        return tf.Variable(1.0, name="lonely") if int(number()) == 1 else None

    with pytest.raises(RuntimeError, match="mismatching name"):
        strategy.run(only_second)


def test_variables_are_made_in_a_decorated_step(strategy):
    class Model(tf.Module):
        variable = None

        @tf.function
        def step(self, x):
            return strategy.run(self.add, (x,))

        def add(self, x):
            if self.variable is None:
                self.variable = tf.Variable(number() + 1.0)
            self.variable.assign_add(x)
            return self.variable + 0.0

    model = Model()
    assert parts(model.step(tf.constant(1.0))) == [2.0] * 4
    assert parts(model.step(tf.constant(1.0))) == [3.0] * 4


def test_a_variable_from_outside_is_shared(strategy):
    variable = tf.Variable(5.0)
    strategy.run(lambda: variable.assign_add(1.0))
    assert variable.numpy() == 9.0


def test_copies_keep_the_components(strategy):
    variable = made(strategy, 1.0)
    variable.assign(strategy.run(number))
    assert held(copy.copy(variable)) == [0.0, 1.0, 2.0, 3.0]
    assert held(copy.deepcopy(variable)) == [0.0, 1.0, 2.0, 3.0]
    with strategy.scope():
        inside = copy.deepcopy(variable)
    assert held(inside) == [0.0, 1.0, 2.0, 3.0]
    assert not any(isinstance(component, D.DistributedValues) for component in inside.values)


def test_checkpoints_have_one_value(strategy, tmp_path):
    summed, free = made(strategy, 1.0, "SUM", "ON_READ"), made(strategy, 1.0)

    def step():
        summed.assign(number() + 1.0)
        free.assign(number() + 5.0)

    strategy.run(step)
    checkpoint = tf.train.Checkpoint(summed=summed, free=free)
    path = checkpoint.write(str(tmp_path / "of_four"))
    names = [name for name, _ in tf.train.list_variables(path) if "VARIABLE_VALUE" in name]
    assert [tf.train.load_variable(path, name).tolist() for name in sorted(names)] == [5.0, 10.0]
    checkpoint.read(path)
    assert (held(summed), held(free)) == ([2.5] * 4, [5.0] * 4)
    alone = tf.train.Checkpoint(summed=tf.Variable(0.0), free=tf.Variable(0.0))
    alone.read(path)
    assert (alone.summed.numpy(), alone.free.numpy()) == (10.0, 5.0)
    summed.assign(0.0)
    checkpoint.read(alone.write(str(tmp_path / "of_one")))
    assert (held(summed), held(free)) == ([2.5] * 4, [5.0] * 4)


def test_central_storage_has_one_copy(strategy):
    del strategy
    central = D.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"], "CPU:0")
    with central.scope():
        summed, free = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM), tf.Variable(2.0)
    assert not isinstance(summed, D.DistributedValues)
    central.run(lambda: summed.assign_add(number() + 1.0))
    assert summed.numpy() == 4.0
    with pytest.raises(ValueError, match="must specify an aggregation method"):
        central.run(lambda: free.assign(1.0))
    assert parts(central.run(lambda: free * number())) == [0.0, 2.0]
    assert context().num_replicas_in_sync == 1


@pytest.mark.parametrize("spec", [tf.TensorSpec([None]), tf.TensorSpec([None], tf.string)], ids=["sizes", "strings"])
def test_saved_functions_of_open_sizes_and_of_strings_use_plain_variables(strategy, tmp_path, spec):
    model = tf.Module()
    model.late = made(strategy, 0.0, "SUM", "ON_READ")
    strategy.run(lambda: model.late.assign(number() + 1.0))
    model.scaled = tf.function(lambda x: model.late * tf.cast(tf.size(x), tf.float32), input_signature=[spec])
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.scaled(tf.zeros([3], spec.dtype)).numpy() == 30.0


@pytest.mark.parametrize(("aggregation", "saved", "own"), [("SUM", 10.0, 2.5), ("MEAN", 2.5, 2.5)])
def test_functions_of_saved_models_use_plain_variables(strategy, tmp_path, aggregation, saved, own):
    model = tf.Module()
    model.late, model.free = made(strategy, 0.0, aggregation, "ON_READ"), made(strategy, 1.0)
    strategy.run(lambda: model.late.assign(number() + 1.0))

    def step(x):
        model.free.assign_add(x)
        return model.late * x

    model.step = tf.function(step, input_signature=[tf.TensorSpec([])])
    model.called = tf.function(lambda x: model.late + x)
    assert model.called(tf.constant(1.0)).numpy() == saved + 1.0
    tf.saved_model.save(model, str(tmp_path))
    assert model.called(tf.constant(2.0)).numpy() == saved + 2.0
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.step(tf.constant(2.0)).numpy() == 2.0 * saved
    assert loaded.called(tf.constant(1.0)).numpy() == saved + 1.0
    assert (loaded.free.numpy(), held(model.free)) == (3.0, [1.0] * 4)
    with strategy.scope():
        again = tf.saved_model.load(str(tmp_path))
    assert held(again.late) == [own] * 4
    assert again.called(tf.constant(1.0)).numpy() == own + 1.0
    assert parts(strategy.run(lambda: again.called(number()))) == [own, own + 1.0, own + 2.0, own + 3.0]
