"""Datasets whose batches are cut for replicas. Expected values are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.distribute.conftest import DEVICES
from tests.distribute.replica import parts

D = tf.distribute


@pytest.fixture
def fresh():
    """A strategy of its own: TensorFlow's keeps the mode of replication for later datasets."""
    return D.MirroredStrategy(DEVICES)


def batches(count, size):
    """The numbers below `count`, in batches."""
    return tf.data.Dataset.range(count).batch(size)


@pytest.mark.parametrize(("count", "sizes"), [(10, [3, 3, 3, 1]), (3, [1, 1, 1, 0]), (1, [1, 0, 0, 0]), (16, [4] * 4)])
def test_a_batch_is_cut_into_equal_pieces_and_a_rest(strategy, count, sizes):
    (element,) = strategy.experimental_distribute_dataset(batches(count, count))
    pieces = parts(element)
    assert [len(piece) for piece in pieces] == sizes
    assert [row for piece in pieces for row in piece] == list(range(count))


def test_all_components_are_cut(strategy):
    rows = {
        "a": tf.zeros([5, 2]),
        "b": tf.constant(list("abcde")),
        "c": tf.ragged.constant([[1, 2], [], [3], [4], [5]]),
    }
    (element,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(rows).batch(5))
    assert [piece.shape[0] for piece in element["a"].values] == [2, 2, 1, 0]
    assert parts(element["b"]) == [[b"a", b"b"], [b"c", b"d"], [b"e"], []]
    assert [piece.to_list() for piece in element["c"].values] == [[[1, 2], []], [[3], [4]], [[5]], []]


@pytest.mark.parametrize(
    "dataset",
    [
        lambda: batches(6, 6).map(lambda x: x + 1),
        lambda: batches(3, 3).repeat(2),
        lambda: batches(6, 6).prefetch(1),
        lambda: tf.data.Dataset.from_generator(
            lambda: iter([np.arange(3), np.arange(6)]), output_signature=tf.TensorSpec([None], tf.int64)
        ),
    ],
    ids=["map", "repeat", "prefetch", "generator"],
)
def test_batches_of_any_dataset_are_cut(strategy, dataset):
    whole = [batch.numpy() for batch in dataset()]
    for batch, element in zip(whole, strategy.experimental_distribute_dataset(dataset()), strict=True):
        size = -(-len(batch) // 4)
        assert parts(element) == [batch[k * size : (k + 1) * size].tolist() for k in range(4)]


def test_replicas_with_empty_pieces_run(strategy):
    (element,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(tf.ones([3, 2])).batch(3))
    assert element.values[3].shape == [0, 2]
    means = strategy.run(tf.reduce_mean, (element,))
    assert [bool(np.isnan(part.numpy())) for part in means.values] == [False, False, False, True]
    assert np.isnan(strategy.reduce("MEAN", means, axis=None).numpy())
    assert strategy.reduce("SUM", strategy.run(tf.reduce_sum, (element,)), axis=None).numpy() == 6.0


def test_a_distributed_dataset_is_no_dataset(strategy):
    distributed = strategy.experimental_distribute_dataset(batches(10, 4))
    assert isinstance(distributed, D.DistributedDataset)
    assert not isinstance(distributed, tf.data.Dataset)
    assert distributed.cardinality == 3
    spec = "TensorSpec(shape=(None,), dtype=tf.int64, name=None)"
    assert repr(distributed.element_spec) == f"PerReplicaSpec({', '.join([spec] * 4)})"
    with pytest.raises(TypeError):
        len(distributed)
    with pytest.raises(IndexError):
        strategy.experimental_distribute_dataset(tf.data.Dataset.range(3))


def test_iterators_end_as_those_of_datasets(strategy):
    iterator = iter(strategy.experimental_distribute_dataset(batches(10, 4)))
    assert isinstance(iterator, D.DistributedIterator)
    assert parts(next(iterator)) == [[0], [1], [2], [3]]
    assert parts(iterator.get_next_as_optional().get_value()) == [[4], [5], [6], [7]]
    assert parts(iterator.get_next()) == [[8], [9], [], []]
    assert not iterator.get_next_as_optional().has_value()
    with pytest.raises(StopIteration):
        next(iterator)
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()


@pytest.mark.parametrize("devices", [["CPU:0"], ["CPU:0", "CPU:1"]], ids=["one", "two"])
def test_optionals_of_distributed_datasets_have_the_types_of_their_elements(devices):
    def shapes(spec):
        parts = spec._value_specs if len(devices) > 1 else [spec]
        return [part.shape.as_list() for part in parts]

    iterator = iter(D.MirroredStrategy(devices).experimental_distribute_dataset(batches(6, 4)))
    found = [shapes(iterator.get_next_as_optional().element_spec) for _ in range(3)]
    rows = [[4 // len(devices)], [2 // len(devices)], [None]]
    assert found == [[each] * len(devices) for each in rows]


def test_functions_loop_over_distributed_datasets(strategy):
    @tf.function
    def total(elements):
        result = tf.constant(0, tf.int64)
        for element in elements:
            result += strategy.reduce("SUM", strategy.run(tf.reduce_sum, (element,)), axis=None)
        return result

    @tf.function
    def of_steps(iterator, count):
        result = tf.constant(0, tf.int64)
        for _ in tf.range(count):
            result += strategy.reduce("SUM", strategy.run(tf.reduce_sum, (next(iterator),)), axis=None)
        return result

    distributed = strategy.experimental_distribute_dataset(batches(10, 4))
    assert total(distributed) == total(distributed) == 45
    assert of_steps(iter(distributed), tf.constant(2)) == 28
    with pytest.raises(tf.errors.OutOfRangeError):
        of_steps(iter(distributed), tf.constant(5))


def test_traces_are_keyed_by_the_sizes_of_the_pieces(strategy):
    traces = []

    @tf.function
    def double(x):
        traces.append(1)
        return strategy.run(lambda y: y * 2, (x,))

    for element in strategy.experimental_distribute_dataset(batches(10, 4)):
        assert parts(double(element)) == [(2 * np.array(piece, np.int64)).tolist() for piece in parts(element)]
    assert len(traces) == 2


def test_each_replica_takes_the_next_batch_of_a_function(strategy):
    contexts = []

    def dataset(context):
        contexts.append(str(context))
        assert (context.num_replicas_in_sync, context.get_per_replica_batch_size(16)) == (4, 4)
        return batches(10, 2)

    elements = list(strategy.distribute_datasets_from_function(dataset))
    assert contexts == ["tf.distribute.InputContext(input pipeline id 0, total: 1)"]
    assert [parts(element) for element in elements] == [[[0, 1], [2, 3], [4, 5], [6, 7]], [[8, 9], [], [], []]]


def test_values_from_a_function(strategy):
    values = strategy.experimental_distribute_values_from_function(lambda context: context.replica_id_in_sync_group)
    assert values.values == (0, 1, 2, 3)
    same = strategy.experimental_distribute_values_from_function(lambda context: [context.num_replicas_in_sync])
    assert same[0].values == (4, 4, 4, 4)
    with strategy.scope():
        variable = tf.Variable(1.0)
    assert strategy.experimental_distribute_values_from_function(lambda _: variable) is variable
    assert isinstance(values, tf.types.experimental.distributed.PerReplica)


def rounds(strategy, function, **options):
    """The components of the elements of a dataset from a function."""
    dataset = strategy.distribute_datasets_from_function(function, D.InputOptions(**options))
    return [tf.nest.map_structure(parts, element) for element in dataset]


def test_elements_of_fixed_sizes_are_given_to_all_replicas_or_to_none(strategy):
    assert rounds(strategy, lambda _: tf.data.Dataset.range(10)) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert rounds(strategy, lambda _: tf.data.Dataset.range(3)) == []
    whole = tf.data.Dataset.range(11).batch(2, drop_remainder=True)
    assert rounds(strategy, lambda _: whole) == [[[0, 1], [2, 3], [4, 5], [6, 7]]]


def test_replicas_without_an_element_receive_zeros_for_scalars(strategy):
    pairs = tf.data.Dataset.zip((tf.data.Dataset.range(9).batch(2), tf.data.Dataset.range(5, 10)))
    first, second = rounds(strategy, lambda _: pairs)
    assert first == ([[0, 1], [2, 3], [4, 5], [6, 7]], [5, 6, 7, 8])
    assert second == ([[8], [], [], []], [9, 0, 0, 0])


def test_a_dataset_for_each_replica(fresh):
    options = {
        "experimental_fetch_to_device": False,
        "experimental_replication_mode": D.InputReplicationMode.PER_REPLICA,
    }
    # TensorFlow calls the function once for each replica, and ends with the first dataset of fixed sizes that ends.
    assert rounds(fresh, lambda given: tf.data.Dataset.range(given.input_pipeline_id + 2), **options) == [
        [0, 0, 0, 0],
        [1, 1, 1, 1],
    ]
    for strategy in (fresh, D.MirroredStrategy(["CPU:0"]), D.OneDeviceStrategy("CPU:0")):
        with pytest.raises(NotImplementedError, match="PER_REPLICA is only supported"):
            strategy.experimental_distribute_dataset(batches(4, 4), D.InputOptions(**options))
    with pytest.raises(NotImplementedError, match="PER_REPLICA is only supported"):
        D.OneDeviceStrategy("CPU:0").distribute_datasets_from_function(
            lambda _: batches(4, 4), D.InputOptions(**options)
        )
