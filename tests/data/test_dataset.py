"""The class of datasets: their texts, their length, and that they are values."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import count_of, generated, listed

D = tf.data.Dataset
FIVE = D.range(5)
OF_NUMBERS = "element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"


@pytest.mark.parametrize(
    ("dataset", "name"),
    [
        (FIVE, "_RangeDataset"),
        (D.random(), "_RandomDataset"),
        (D.counter(), "_ScanDataset"),
        (FIVE.take(1), "_TakeDataset"),
        (FIVE.skip(1), "_SkipDataset"),
        (FIVE.shard(2, 0), "_ShardDataset"),
        (FIVE.repeat(), "_RepeatDataset"),
        (FIVE.concatenate(FIVE), "_ConcatenateDataset"),
        (FIVE.shuffle(2), "_ShuffleDataset"),
        (FIVE.cache(), "CacheDataset"),
        (FIVE.prefetch(1), "_PrefetchDataset"),
        (FIVE.unique(), "_UniqueDataset"),
        (FIVE.ignore_errors(), "_IgnoreErrorsDataset"),
        (FIVE.batch(2).unbatch(), "_UnbatchDataset"),
        (FIVE.with_options(tf.data.Options()), "_OptionsDataset"),
        (D.zip(FIVE), "_ZipDataset"),
        (D.sample_from_datasets([FIVE, FIVE]), "_DirectedInterleaveDataset"),
    ],
    ids=lambda found: found if isinstance(found, str) else "",
)
def test_text_of_datasets_of_numbers(dataset, name):
    assert repr(dataset) == str(dataset) == f"<{name} {OF_NUMBERS}"


@pytest.mark.parametrize(
    ("dataset", "name"),
    [
        (FIVE.batch(2), "_BatchDataset"),
        (FIVE.batch(2, num_parallel_calls=2), "_ParallelBatchDataset"),
        (FIVE.padded_batch(2), "_PaddedBatchDataset"),
        (FIVE.batch(2).rebatch(3), "_RebatchDataset"),
    ],
    ids=lambda found: found if isinstance(found, str) else "",
)
def test_text_of_datasets_of_batches(dataset, name):
    assert repr(dataset) == f"<{name} element_spec=TensorSpec(shape=(None,), dtype=tf.int64, name=None)>"


def test_text_of_other_datasets():
    assert repr(D.from_tensors(1)).startswith("<_TensorDataset element_spec=TensorSpec(shape=(), dtype=tf.int32")
    assert repr(D.from_tensor_slices({"a": [1]})).startswith("<_TensorSliceDataset element_spec={'a': TensorSpec(")
    assert repr(generated([1], tf.TensorSpec([], tf.int32))).startswith("<_FlatMapDataset element_spec=")
    assert repr(next(iter(FIVE.window(2)))).startswith("<_VariantDataset element_spec=")


def test_a_dataset_is_true_and_has_a_length():
    assert bool(D.range(0))
    assert bool(FIVE.repeat())
    assert (len(FIVE), len(D.range(0))) == (5, 0)
    with pytest.raises(TypeError, match=r"The dataset is infinite\."):
        len(FIVE.repeat())
    with pytest.raises(TypeError, match=r"The dataset length is unknown\."):
        len(FIVE.unique())


def test_constants():
    assert (tf.data.AUTOTUNE, tf.data.INFINITE_CARDINALITY, tf.data.UNKNOWN_CARDINALITY) == (-1, -1, -2)
    assert tf.data.experimental.AUTOTUNE == -1


def test_datasets_are_not_sequences():
    with pytest.raises(TypeError):
        FIVE[0]
    with pytest.raises(TypeError):
        _ = FIVE + FIVE
    assert D.range(5) != FIVE
    assert len({FIVE, FIVE, D.range(5)}) == 2


def test_class_is_abstract():
    with pytest.raises(TypeError):
        D()
    with pytest.raises(TypeError, match="Can't instantiate abstract class"):
        D(5)


def test_subclass_may_make_another_dataset():
    class Numbers(tf.data.Dataset):
        def __new__(cls, count=3):
            return tf.data.Dataset.range(count)

    assert listed(Numbers(2)) == [0, 1]


@pytest.mark.parametrize(
    ("dataset", "expected"),
    [
        (FIVE.batch(2), 3),
        (FIVE.batch(2, drop_remainder=True), 2),
        (FIVE.padded_batch(2), 3),
        (FIVE.ragged_batch(2), 3),
        (FIVE.repeat().batch(3), -1),
        (FIVE.shard(2, 0), 3),
        (FIVE.shard(2, 1), 2),
        (FIVE.repeat().shard(2, 0), -1),
        (FIVE.enumerate(), 5),
        (FIVE.repeat(3), 15),
        (FIVE.repeat(), -1),
        (FIVE.repeat(-2), -1),
        (FIVE.repeat(0), 0),
        (D.range(0).repeat(), 0),
        (FIVE.take(9), 5),
        (FIVE.take(-1), 5),
        (FIVE.repeat().take(7), 7),
        (FIVE.skip(2), 3),
        (FIVE.skip(-1), 0),
        (FIVE.repeat().skip(3), -1),
        (FIVE.shuffle(2).cache().prefetch(1), 5),
        (D.zip(FIVE, FIVE.repeat()), 5),
        (D.zip(FIVE.repeat(), FIVE.unique()), -2),
        (FIVE.concatenate(FIVE.repeat()), -1),
        (FIVE.unique().concatenate(FIVE.repeat()), -1),
        (FIVE.unique().concatenate(FIVE), -2),
        (FIVE.unique().take(2), -2),
        (FIVE.unique().take(0), -2),
        (FIVE.unique().skip(-1), -2),
        (FIVE.unique().repeat(), -1),
        (FIVE.unique().repeat(0), 0),
        (FIVE.ignore_errors(), -2),
        (FIVE.batch(2).unbatch(), -2),
        (FIVE.batch(2, drop_remainder=True).unbatch(), 4),
        (D.from_tensor_slices([[1, 2], [3, 4]]).unbatch(), 4),
        (FIVE.batch(2).rebatch(2), -2),
        (FIVE.window(2), 3),
        (FIVE.window(2, shift=1), 5),
        (FIVE.window(2, 1, drop_remainder=True), 4),
        (FIVE.window(9, drop_remainder=True), 0),
        (FIVE.window(9, 1), 5),
        (FIVE.window(2, 3, drop_remainder=True), 2),
        (FIVE.window(2, 2, 2, drop_remainder=True), 2),
        (D.random(), -1),
        (D.counter(), -1),
        (D.sample_from_datasets([FIVE, FIVE]), -2),
        (D.choose_from_datasets([FIVE, FIVE], D.range(3)), -2),
        (D.choose_from_datasets([FIVE, FIVE.repeat()], D.range(2)), -1),
        (D.sample_from_datasets([FIVE.repeat(), FIVE], stop_on_empty_dataset=True), -1),
        (generated([1], tf.TensorSpec([], tf.int32)), -2),
    ],
    ids=[str(number) for number in range(50)],
)
def test_cardinality(dataset, expected):
    assert count_of(dataset) == expected
    assert dataset.cardinality().dtype is tf.int64


def test_apply_returns_a_dataset():
    assert listed(FIVE.apply(lambda dataset: dataset.take(2))) == [0, 1]
    with pytest.raises(TypeError, match=r"must return a `tf.data.Dataset` object"):
        FIVE.apply(lambda _: 5)


def test_single_element():
    assert int(D.range(1).get_single_element()) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Dataset was empty\."):
        D.range(0).get_single_element()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Dataset had more than one element\."):
        FIVE.get_single_element()


def test_methods_that_are_missing_are_named():
    assert not hasattr(FIVE, "no_such_method")
