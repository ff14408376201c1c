"""Checkpoints hold the places of iterators."""

from __future__ import annotations

import pathlib

import pytest

import tfcompat as tf
from tests.data.reading import plain

D = tf.data.Dataset
TEXT = pathlib.Path(__file__)


def drawn(x):
    return x + tf.random.uniform([], maxval=9, dtype=tf.int64, seed=3)


PIPELINES = {
    "range": lambda: D.range(8),
    "shuffled": lambda: D.range(20).shuffle(7, seed=3).repeat(2).batch(4),
    "prefetched": lambda: D.range(12).map(drawn).batch(2).prefetch(2),
    "structures": lambda: D.from_tensor_slices({"a": ["x", "", "z"], "b": ([1.5, 2.5, 3.5], [True, False, True])}),
    "bfloat16": lambda: D.from_tensor_slices(tf.cast([1, 2, 3], tf.bfloat16)).batch(2),
    "ragged": lambda: D.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [], [4]])).shuffle(3, seed=1),
    "sparse": lambda: D.from_tensor_slices(tf.sparse.eye(4)).shuffle(3, seed=1).map(tf.sparse.to_dense),
    "interleaved": lambda: D.range(4).interleave(lambda x: D.range(x).shuffle(3, seed=1).map(drawn), cycle_length=3),
    "nested": lambda: D.range(4).flat_map(lambda x: D.range(x).flat_map(lambda y: D.range(y + x))),
    "constant": lambda: D.range(3).flat_map(lambda _: D.range(4).shuffle(3, seed=2)),
    "windows": lambda: D.range(9).window(3, 2).shuffle(4, seed=1).flat_map(lambda window: window.batch(3)),
    "grouped": lambda: D.range(12).group_by_window(lambda x: x % 2, lambda _, window: window.batch(4), 4),
    "buckets": lambda: D.range(9).map(tf.range).bucket_by_sequence_length(lambda x: tf.size(x), [3, 6], [2, 2, 2]),
    "lines": lambda: tf.data.TextLineDataset([str(TEXT)]).take(9).shuffle(4, seed=1),
    "unique": lambda: D.range(4).repeat(2).unique(),
    "cached": lambda: D.range(5).cache().repeat(2),
    "zipped": lambda: D.zip(D.range(6), D.random(seed=3).take(6)),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_iterator_continues_where_it_was_saved(name, tmp_path):
    tf.random.set_seed(1)
    expected = [plain(element) for element in PIPELINES[name]()]
    for place in sorted({0, 1, len(expected) // 2, len(expected)}):
        tf.random.set_seed(1)
        first, second = iter(PIPELINES[name]()), iter(PIPELINES[name]())
        for _ in range(place):
            next(first)
        path = tf.train.Checkpoint(place=first).save(str(tmp_path / "ck"))
        next(second)
        tf.train.Checkpoint(place=second).restore(path).assert_consumed()
        assert [plain(element) for element in second] == expected[place:]


def test_iterator_of_a_generator_cannot_be_saved(tmp_path):
    iterator = iter(D.from_generator(lambda: [1], output_signature=tf.TensorSpec([], tf.int32)))
    with pytest.raises(tf.errors.FailedPreconditionError, match="is stateful"):
        tf.train.Checkpoint(place=iterator).save(str(tmp_path / "ck"))
    assert not list(tmp_path.glob("ck*"))


def test_iterator_that_a_function_reads_is_restored(tmp_path):
    @tf.function
    def total(elements, count):
        found = tf.constant(0, tf.int64)
        for _ in tf.range(count):
            found += next(elements)
        return found

    iterator = iter(D.range(20))
    checkpoint = tf.train.Checkpoint(place=iterator)
    assert int(total(iterator, 3)) == 0 + 1 + 2
    path = checkpoint.save(str(tmp_path / "ck"))
    assert int(total(iterator, 3)) == 3 + 4 + 5
    checkpoint.restore(path)
    assert int(total(iterator, 3)) == 3 + 4 + 5


def test_place_in_another_dataset_is_refused(tmp_path):
    path = tf.train.Checkpoint(place=iter(D.range(9).shuffle(3, seed=1))).save(str(tmp_path / "ck"))
    other = iter(D.range(9).batch(2))
    next(other)
    with pytest.raises(tf.errors.OpError):
        tf.train.Checkpoint(place=other).restore(path)
    assert next(other).numpy().tolist() == [2, 3]


@pytest.mark.parametrize(("number", "left"), [(5, [3, 4]), (9, [3, 4, 5, 6, 7, 8])])
def test_number_of_elements_that_are_taken_may_change(number, left, tmp_path):
    iterator = iter(D.range(40).take(5).batch(1))
    for _ in range(3):
        next(iterator)
    path = tf.train.Checkpoint(place=iterator).write(str(tmp_path / "ck"))
    other = iter(D.range(40).take(number).batch(1))
    tf.train.Checkpoint(place=other).read(path).assert_consumed()
    assert [int(x[0]) for x in other] == left
