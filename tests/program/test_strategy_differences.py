"""Known differences of strategies; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import threading
import time

import jax
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.tracing import strand

D = tf.distribute
keras = tf.keras


@pytest.fixture
def strategy():
    return D.MirroredStrategy(["CPU:0", "CPU:1"])


def number():
    return tf.cast(D.get_replica_context().replica_id_in_sync_group, tf.float32)


def test_replicas_are_computed_on_the_first_device(strategy):
    value = strategy.run(number)
    device = jax.devices("cpu")[0]
    assert {part.__jax_array__().device for part in value.values} == {device}


def test_threads_of_replicas_serve_later_calls(strategy, monkeypatch):
    while strand.idle_threads():  # those of other tests, which end after a second
        time.sleep(0.01)
    monkeypatch.setattr(strand, "_PATIENCE", 3600.0)
    own = threading.local()

    def step():
        D.get_replica_context().merge_call(lambda _: None)
        own.calls = getattr(own, "calls", 0) + 1
        return own.calls

    strategy.run(step)
    assert strand.idle_threads() == 2
    assert strategy.run(step) == 2
    monkeypatch.setattr(strand, "_PATIENCE", 0.0)
    strategy.run(step)  # after it they end
    while strand.idle_threads():
        time.sleep(0.01)


def test_decorated_steps_in_replicas_make_slots_on_their_first_call(strategy):
    with strategy.scope():
        weights, optimizer = tf.Variable([1.0]), keras.optimizers.Adam(0.1)

    @tf.function
    def step():
        return strategy.run(lambda: optimizer.apply_gradients([(tf.ones([1]), weights)]))

    step()
    assert weights.values[1].numpy() == pytest.approx([0.9])


def test_parts_of_variables_are_assigned_in_all_components_outside_of_replicas(strategy):
    with strategy.scope():
        weights = tf.Variable([1.0, 2.0])
    weights[1].assign(7.0)
    assert [part.numpy().tolist() for part in weights.values] == [[1.0, 7.0]] * 2


def test_slots_made_in_a_step_are_restored_in_all_components(strategy, tmp_path):
    def trained():
        with strategy.scope():
            weights, optimizer = tf.Variable([1.0]), keras.optimizers.Adam(0.1)

        def step():
            optimizer.apply_gradients([(tf.ones([1]), weights)])

        return weights, tf.train.Checkpoint(weights=weights, optimizer=optimizer), step

    weights, checkpoint, step = trained()
    strategy.run(step)
    path = checkpoint.save(str(tmp_path / "c"))
    again, restored, next_step = trained()
    restored.restore(path)
    for each in (step, next_step):
        strategy.run(each)
    assert again.values[0].numpy() == again.values[1].numpy() == weights.values[1].numpy()


@pytest.mark.parametrize(
    "options", [{"gradient_accumulation_steps": 2}, {"use_ema": True, "ema_overwrite_frequency": 2}]
)
def test_one_replica_updates_variables_in_branches(options):
    alone = D.MirroredStrategy(["CPU:0"])
    with alone.scope():
        weights, optimizer = tf.Variable([1.0]), keras.optimizers.SGD(0.1, **options)
        optimizer.build([weights])
    step = tf.function(lambda: alone.run(lambda: optimizer.apply_gradients([(tf.ones([1]), weights)])))
    plain, same = tf.Variable([1.0]), keras.optimizers.SGD(0.1, **options)
    for _ in range(4):
        step()
        same.apply_gradients([(tf.ones([1]), plain)])
    assert weights.numpy() == pytest.approx(plain.numpy())


@pytest.mark.parametrize("options", [{"steps_per_execution": 2}, {"jit_compile": True}], ids=["steps", "jit"])
def test_fit_in_replicas_runs_several_steps_and_compiles(strategy, options):
    x, y = np.ones([16, 2], "f"), np.ones([16, 1], "f")
    with strategy.scope():
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="zeros")])
        model.compile("adam", "mse", **options)
    losses = model.fit(x, y, batch_size=4, epochs=2, verbose=0).history["loss"]
    assert losses[1] < losses[0] <= 1.0


def test_different_shapes_in_a_reduction_leave_the_process_usable(strategy):
    with pytest.raises(tf.errors.InvalidArgumentError):
        strategy.run(lambda: D.get_replica_context().all_reduce("SUM", tf.range(number() + 1.0)))
    assert strategy.reduce("SUM", strategy.run(number), axis=None).numpy() == 1.0


def test_per_replica_values_count_as_tensors(strategy):
    assert tf.is_tensor(strategy.run(number))


def test_pieces_of_sparse_batches_may_be_empty(strategy):
    rows = tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0]])).batch(1)
    (element,) = strategy.experimental_distribute_dataset(rows)
    assert [tuple(part.dense_shape.numpy()) for part in element.values] == [(1, 2), (0, 2)]


def test_a_mirrored_strategy_needs_a_device():
    with pytest.raises(ValueError, match="at least one device"):
        D.MirroredStrategy([])


def test_undecorated_runs_log_no_warning(strategy, caplog):
    strategy.run(number)
    assert not caplog.records


def test_structures_are_gathered_leaf_by_leaf(strategy):
    value = strategy.run(lambda: number()[None])
    assert strategy.gather({"a": value}, axis=0)["a"].numpy().tolist() == [0.0, 1.0]


def test_scopes_of_different_strategies_have_different_traces(strategy):
    @tf.function
    def count():
        return D.get_strategy().num_replicas_in_sync

    found = []
    for each in (strategy, D.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"])):
        with each.scope():
            found.append(int(count()))
    assert found == [2, 3]


def test_values_of_all_dtypes_are_gathered(strategy):
    value = strategy.run(lambda: tf.cast(number()[None], tf.int8))
    assert strategy.gather(value, axis=-1).numpy().tolist() == [0, 1]


def test_variables_are_their_first_component_on_any_device(strategy):
    with strategy.scope():
        variable = tf.Variable(0.0)
    strategy.run(lambda: variable.assign(number()))
    with tf.device("CPU:1"):
        assert variable.numpy() == 0.0
    assert [component.numpy() for component in variable.values] == [0.0, 1.0]


@pytest.mark.parametrize("synchronization", ["ON_READ", "ON_WRITE"])
def test_replicas_change_parts_of_their_components(strategy, synchronization):
    with strategy.scope():
        variable = tf.Variable([0.0, 0.0], synchronization=tf.VariableSynchronization[synchronization])
    strategy.run(lambda: variable.scatter_nd_add([[0]], [number() + 1.0]))
    strategy.run(lambda: variable.scatter_add(tf.IndexedSlices([number() + 2.0], [1])))
    assert [component.numpy().tolist() for component in variable.values] == [[1.0, 2.0], [2.0, 3.0]]


def test_datasets_from_functions_count_rounds(strategy):
    fixed = strategy.distribute_datasets_from_function(lambda _: tf.data.Dataset.range(5))
    batches = strategy.distribute_datasets_from_function(lambda _: tf.data.Dataset.range(5).batch(1))
    assert (fixed.cardinality, batches.cardinality) == (2, 3)
    assert (len(list(fixed)), len(list(batches))) == (2, 3)


def test_tapes_give_the_gradients_of_all_replicas(strategy):
    def target(x):
        scale = number() + 1.0
        return D.get_replica_context().all_reduce("SUM", x * scale) * scale

    @tf.function
    def without_tape():
        x = tf.constant(1.0)
        return tf.gradients(target(x), x)[0]

    @tf.function
    def with_tape():
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = target(x)
        return tape.gradient(result, x)

    found = [strategy.experimental_local_results(strategy.run(each)) for each in (without_tape, with_tape)]
    assert [[part.numpy() for part in each] for each in found] == [[1.0, 4.0], [3.0, 6.0]]
