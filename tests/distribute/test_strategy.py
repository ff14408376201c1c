"""Strategies with one replica: contexts, runs, reductions, variables, datasets. Expected values are TensorFlow's."""

from __future__ import annotations

import pytest

import tfcompat as tf

D = tf.distribute
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
STRATEGIES = {
    "default": D.get_strategy,
    "one_device": lambda: D.OneDeviceStrategy("CPU:0"),
    "mirrored": lambda: D.MirroredStrategy(["CPU:0"]),
}
# Those that code enters.
ENTERED = {name: make for name, make in STRATEGIES.items() if name != "default"}

each = pytest.mark.parametrize("make", STRATEGIES.values(), ids=STRATEGIES)
each_entered = pytest.mark.parametrize("make", ENTERED.values(), ids=ENTERED)


def place():
    """Whether a strategy is entered, whether code runs for all replicas, and whether it has a replica context."""
    return D.has_strategy(), D.in_cross_replica_context(), D.get_replica_context() is not None


def test_code_outside_of_strategies_is_in_the_replica_of_the_default_strategy():
    assert place() == (False, False, True)
    assert D.get_strategy() is D.get_strategy()
    context = D.get_replica_context()
    assert (context.replica_id_in_sync_group, context.num_replicas_in_sync, context.devices) == (0, 1, ("",))
    with D.get_strategy().scope() as strategy:
        assert strategy is D.get_strategy()
        assert place() == (False, False, True)


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: D.OneDeviceStrategy("CPU:0"), ("OneDeviceExtended", "_OneDeviceReplicaContext")),
        (lambda: D.MirroredStrategy(["CPU:0"]), ("MirroredExtended", "_MirroredReplicaContext")),
        (lambda: D.MirroredStrategy(["CPU:0", "CPU:1"]), ("MirroredExtended", "_MirroredReplicaContext")),
        (
            lambda: D.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"], "CPU:0"),
            ("ParameterServerStrategyExtended", "_MirroredReplicaContext"),
        ),
    ],
    ids=["one_device", "mirrored", "replicated", "central"],
)
def test_classes_have_the_names_that_programs_print(make, names):
    found = []
    strategy = make()
    strategy.run(lambda: found.append(type(D.get_replica_context()).__name__))
    assert (type(strategy.extended).__name__, found[0]) == names


def test_classes_outside_of_strategies_have_the_names_that_programs_print():
    assert type(D.get_strategy().extended).__name__ == "_DefaultDistributionExtended"
    assert type(D.get_replica_context()).__name__ == "_DefaultReplicaContext"
    assert D.StrategyExtended.__name__ == "StrategyExtendedV2"


@each_entered
def test_scope_is_cross_replica_and_run_is_in_replica_context(make):
    strategy = make()
    with strategy.scope() as entered:
        assert entered is strategy is D.get_strategy()
        assert place() == (True, True, False)
        with strategy.scope():
            assert D.get_strategy() is strategy
    assert place() == (False, False, True)
    assert strategy.run(place) == (True, False, True)
    replica = strategy.run(lambda: D.get_replica_context().replica_id_in_sync_group)
    assert (replica.dtype, replica.numpy()) == (tf.int32, 0)
    assert strategy.extended.worker_devices == strategy.extended.parameter_devices == (CPU,)


@each
def test_run_calls_the_function_and_returns_its_result(make):
    strategy = make()
    assert strategy.run(lambda x, y=0: x + y, args=(1,), kwargs={"y": 2}) == 3
    assert strategy.run(lambda x: x, args=({"a": None},)) == {"a": None}
    assert strategy.num_replicas_in_sync == 1
    with pytest.raises(ZeroDivisionError):
        strategy.run(lambda: 1 // 0)
    assert place() == (False, False, True)


@each_entered
def test_run_refuses_other_arguments(make):
    strategy = make()
    with pytest.raises(TypeError, match="not callable"):
        strategy.run(3)
    with pytest.raises(ValueError, match="positional args must be a list or tuple"):
        strategy.run(lambda x: x, 3)
    assert strategy.run(lambda x: x, [3], options=D.RunOptions()) == 3
    options = D.RunOptions(experimental_xla_options=tf.tpu.XLAOptions(enable_xla_dynamic_padder=False))
    assert options == (True, False, (True, False, False))
    assert strategy.run(lambda x: x, [3], options=options) == 3


@each_entered
def test_methods_for_all_replicas_are_refused_in_a_replica(make):
    strategy = make()

    def enter():
        with strategy.scope():
            pass

    for call in (
        lambda: strategy.run(int),
        lambda: strategy.reduce("SUM", 1.0, axis=None),
        enter,
    ):
        with pytest.raises(RuntimeError, match="requires being in cross-replica context"):
            strategy.run(call)
    with pytest.raises(RuntimeError, match="all_gather"):
        strategy.run(lambda: strategy.gather(tf.constant([1]), axis=0))


def test_strategies_are_not_mixed():
    one, other = D.OneDeviceStrategy("CPU:0"), D.OneDeviceStrategy("CPU:0")
    with one.scope():
        with pytest.raises(RuntimeError, match="Mixing different"), other.scope():
            pass
        with pytest.raises(RuntimeError, match="Mixing different"):
            other.run(int)
        with pytest.raises(RuntimeError, match="Mixing different"), D.get_strategy().scope(), other.scope():
            pass


def test_global_strategy_is_entered_everywhere():
    strategy = D.OneDeviceStrategy("CPU:0")
    D.experimental_set_strategy(strategy)
    try:
        assert place() == (True, True, False)
        assert D.get_strategy() is strategy
    finally:
        D.experimental_set_strategy(None)
    assert place() == (False, False, True)
    with strategy.scope(), pytest.raises(RuntimeError, match="Must not be called inside"):
        D.experimental_set_strategy(None)


@each
def test_reduce_reduces_along_an_axis(make):
    strategy = make()
    assert strategy.reduce("SUM", tf.constant([1.0, 2.0]), axis=None).numpy().tolist() == [1.0, 2.0]
    assert strategy.reduce("sum", [1, 2], axis=0).numpy() == 3
    assert strategy.reduce(D.ReduceOp.MEAN, tf.constant([1.0, 2.0]), axis=0).numpy() == 1.5
    mean = strategy.reduce("MEAN", tf.constant([1, 2]), axis=0)
    assert (mean.dtype, mean.numpy()) == (tf.float64, 1.5)
    with pytest.raises(ValueError, match="'MAX' is not a valid ReduceOp"):
        strategy.reduce("MAX", [1.0], axis=0)


@each
def test_a_replica_reduces_and_gathers_its_own_value(make):
    def step():
        context = D.get_replica_context()
        return (
            context.all_reduce("SUM", {"a": tf.constant(2.0)})["a"].numpy(),
            context.all_reduce(D.ReduceOp.MEAN, tf.constant(3.0)).numpy(),
            context.all_gather(tf.constant([4.0]), axis=0).numpy().tolist(),
        )

    strategy = make()
    assert strategy.run(step) == (2.0, 3.0, [4.0])
    assert strategy.gather(tf.constant([1]), axis=0).numpy().tolist() == [1]
    with pytest.raises(ValueError, match="'BAD' is not a valid ReduceOp"):
        strategy.run(lambda: D.get_replica_context().all_reduce("BAD", tf.constant(1.0)))


@each
def test_merge_call_is_in_cross_replica_context(make):
    strategy = make()

    def merged(inner, x, y):
        assert inner is strategy
        assert D.get_replica_context() is None
        return x + y, D.in_cross_replica_context()

    assert strategy.run(lambda: D.get_replica_context().merge_call(merged, (1,), {"y": 2})) == (3, True)
    assert place() == (False, False, True)


@each
def test_update_calls_the_function_with_the_variable(make):
    strategy = make()
    with strategy.scope():
        variable = tf.Variable(1.0)
        strategy.extended.update(variable, lambda v, delta: v.assign_add(delta), args=(2.0,))
        assert variable.numpy() == 3.0
        assert strategy.extended.update(variable, lambda _: 3) == 3
        with strategy.extended.colocate_vars_with(variable):
            assert tf.Variable(1.0).numpy() == 1.0
        assert strategy.extended.variable_created_in_scope(variable)


def test_results_that_are_not_grouped_are_in_a_tuple():
    update = D.get_strategy().extended.update
    assert update(tf.Variable(1.0), lambda _: 3, group=False) == (3,)


@each
def test_local_results_are_those_of_one_replica(make):
    assert make().experimental_local_results(3) == make().unwrap(3) == (3,)


def test_variables_of_one_device_are_plain():
    with D.OneDeviceStrategy("CPU:0").scope():
        variable = tf.Variable(1.0)
    assert not isinstance(variable, D.DistributedValues)


def test_mirrored_variables_have_a_component():
    strategy = D.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        variable = tf.Variable([1.0, 2.0], name="w")
    assert isinstance(variable, tf.Variable)
    assert isinstance(variable, D.DistributedValues)
    assert tf.is_tensor(variable)
    (component,) = variable.values
    assert variable.name == component.name == "w:0"
    assert variable.synchronization is tf.VariableSynchronization.ON_WRITE
    assert variable.distribute_strategy is strategy
    assert strategy.extended.variable_created_in_scope(variable)
    assert not D.get_strategy().extended.variable_created_in_scope(variable)
    variable.assign_add([1.0, 1.0])
    assert variable.numpy().tolist() == component.numpy().tolist() == [2.0, 3.0]
    assert strategy.experimental_local_results(variable)[0] is component
    lines = repr(variable).splitlines()
    assert (lines[0], lines[1].startswith("  0: <tf.Variable 'w:0' shape=(2,)"), lines[-1]) == (
        "MirroredVariable:{",
        True,
        "}",
    )


def test_mirrored_variables_are_differentiated_and_trained():
    strategy = D.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        variable = tf.Variable(3.0)

    def step():
        with tf.GradientTape() as tape:
            loss = variable * variable
        gradient = tape.gradient(loss, variable)
        variable.assign_sub(0.5 * gradient)
        return gradient

    assert strategy.run(step).numpy() == 6.0
    assert variable.numpy() == 0.0


def test_tapes_outside_of_a_mirrored_replica_record_none_of_its_ops():
    x, found = tf.constant(3.0), {}
    for strategy in (D.OneDeviceStrategy("CPU:0"), D.MirroredStrategy(["CPU:0"])):
        with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            tape.watch(x)
            y = strategy.run(lambda: x * x)
        found[type(strategy)] = (tape.gradient(y, x), accumulator.jvp(y))
    assert [float(value) for value in found[D.OneDeviceStrategy]] == [6.0, 6.0]
    assert found[D.MirroredStrategy] == (None, None)


@pytest.mark.parametrize("count", [1, 2])
def test_devices_of_a_mirrored_replica_are_in_a_list_of_a_list(count):
    strategy = D.MirroredStrategy([f"CPU:{number}" for number in range(count)])
    found = []
    strategy.run(lambda: found.append(D.get_replica_context().devices))
    assert found == [[[f"/job:localhost/replica:0/task:0/device:CPU:{number}"]] for number in range(count)]


@pytest.mark.parametrize("method", ["assign_add", "assign_sub"])
def test_sums_are_not_changed_by_a_number_outside_of_replicas(method):
    strategy = D.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        variable = tf.Variable(
            1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
        with pytest.raises(ValueError, match=f"does not support `{method}` in cross-replica"):
            getattr(variable, method)(2.0)
    with pytest.raises(ValueError, match=f"does not support `{method}` in cross-replica"):
        getattr(variable, method)(2.0)
    strategy.run(lambda: getattr(variable, method)(2.0))
    assert variable.numpy() == {"assign_add": 3.0, "assign_sub": -1.0}[method]


def test_variables_synchronized_on_read_are_another_class():
    with D.MirroredStrategy(["CPU:0"]).scope():
        variable = tf.Variable(
            1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
    assert type(variable).__name__ == "SyncOnReadVariable"
    assert not variable.trainable


def test_datasets_of_the_default_strategy_are_as_they_were():
    dataset = tf.data.Dataset.range(4)
    assert D.get_strategy().experimental_distribute_dataset(dataset) is dataset
    made = D.get_strategy().distribute_datasets_from_function(
        lambda context: dataset.batch(context.num_input_pipelines)
    )
    assert isinstance(made, tf.data.Dataset)


@each_entered
def test_datasets_are_distributed_without_another_batching(make):
    strategy = make()
    dataset = tf.data.Dataset.range(5).batch(2)
    for distributed in (
        strategy.experimental_distribute_dataset(dataset),
        strategy.distribute_datasets_from_function(lambda _: dataset),
    ):
        assert isinstance(distributed, D.DistributedDataset)
        assert not isinstance(distributed, tf.data.Dataset)
        assert [x.numpy().tolist() for x in distributed] == [[0, 1], [2, 3], [4]]
        assert distributed.element_spec == tf.TensorSpec([None], tf.int64)
    iterator = iter(strategy.experimental_distribute_dataset(dataset))
    assert isinstance(iterator, D.DistributedIterator)
    assert iterator.get_next().numpy().tolist() == [0, 1]
    assert strategy.experimental_distribute_dataset(dataset).cardinality == 3


def test_input_contexts_divide_batches():
    context = D.InputContext(num_input_pipelines=2, input_pipeline_id=1, num_replicas_in_sync=4)
    assert (context.num_input_pipelines, context.input_pipeline_id) == (2, 1)
    assert context.get_per_replica_batch_size(16) == 4
    with pytest.raises(ValueError, match="not divisible by `num_replicas_in_sync` 4"):
        context.get_per_replica_batch_size(10)
    assert str(context) == "tf.distribute.InputContext(input pipeline id 1, total: 2)"


def test_values_come_from_a_function():
    shown = D.OneDeviceStrategy("CPU:0").experimental_distribute_values_from_function(str)
    assert shown == "tf.distribute.ValueContext(replica id 0,  total replicas in sync: 1)"
    mirrored = D.MirroredStrategy(["CPU:0"]).experimental_distribute_values_from_function(
        lambda context: context.replica_id_in_sync_group
    )
    assert mirrored.values == (0,)
    assert repr(mirrored) == "PerReplica:{\n  0: 0\n}"
    assert D.MirroredStrategy(["CPU:0"]).run(lambda x, y: x + y, (mirrored,), {"y": 2}) == 2


def test_devices_must_be_different_and_have_names():
    with pytest.raises(AssertionError, match="No duplicates allowed"):
        D.MirroredStrategy(["CPU:0", "/cpu:0"])
    with pytest.raises(ValueError, match="Unknown attribute 'x'"):
        D.OneDeviceStrategy("x")


@pytest.mark.parametrize(
    "call",
    [
        lambda: D.cluster_resolver.TPUClusterResolver(),
        lambda: D.cluster_resolver.TPUClusterResolver(""),
        lambda: D.cluster_resolver.TPUClusterResolver.connect(),
        lambda: D.TPUStrategy(),
        lambda: tf.tpu.experimental.initialize_tpu_system(),
    ],
)
def test_scripts_that_look_for_a_tpu_find_none_at_once(call):
    with pytest.raises(ValueError, match="Please provide a TPU Name to connect to"):
        call()


def test_the_idiom_for_tpus_takes_the_default_strategy():
    try:
        resolver = D.cluster_resolver.TPUClusterResolver()
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
        strategy = D.TPUStrategy(resolver)
    except ValueError:
        strategy = D.get_strategy()
    assert strategy is D.get_strategy()


def test_a_local_tpu_that_is_missing_is_not_found():
    resolver = D.cluster_resolver.TPUClusterResolver("local")
    assert resolver.master() == ""
    tf.config.experimental_connect_to_cluster(resolver)
    with pytest.raises(tf.errors.NotFoundError, match="TPUs not found in the cluster"):
        tf.tpu.experimental.initialize_tpu_system(resolver)


def test_addresses_of_tpus_are_those_of_a_cluster():
    resolver = D.cluster_resolver.TPUClusterResolver("grpc://10.0.0.1:8470,grpc://10.0.0.2:8470")
    assert (resolver.master(), resolver.master("worker", 1)) == ("grpc://10.0.0.1:8470", "grpc://10.0.0.2:8470")
    assert resolver.cluster_spec().as_dict() == {"worker": ["10.0.0.1:8470", "10.0.0.2:8470"]}


def test_strategies_are_no_instances_of_each_other():
    mirrored, single = tf.distribute.MirroredStrategy(), tf.distribute.OneDeviceStrategy("/cpu:0")
    central = tf.distribute.experimental.CentralStorageStrategy()
    kinds = (tf.distribute.MirroredStrategy, tf.distribute.OneDeviceStrategy, type(central))
    for strategy in (mirrored, single, central):
        assert [isinstance(strategy, kind) for kind in kinds].count(True) == 1
        assert type(strategy) in kinds


@each_entered
def test_only_replica_draws_from_its_own_stream(make):
    strategy = make()
    outside = tf.random.Generator.from_seed(1)
    with strategy.scope():
        generator = tf.random.Generator.from_seed(1)
    drawn = [strategy.run(one.normal, [[]]).numpy() for one in (generator, outside)]
    assert drawn == pytest.approx([-0.87930447, 0.43842274])
    assert generator.normal([]).numpy() == pytest.approx(1.6272374)
