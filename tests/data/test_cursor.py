"""The place of an iterator can be saved, and restored in another."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import plain
from tfcompat._data.datasets.iterator import OwnedIterator

D = tf.data.Dataset
CHOICES = D.range(2).repeat(6)
PIPELINES = {
    "range": lambda: D.range(20),
    "slices": lambda: D.from_tensor_slices({"a": ["x", "y", "z"], "b": [1, 2, 3]}),
    "take": lambda: D.range(20).take(9),
    "skip": lambda: D.range(20).skip(9),
    "shard": lambda: D.range(20).shard(3, 1),
    "repeat": lambda: D.range(4).repeat(3),
    "one element": lambda: D.from_tensors((1, "a", tf.ragged.constant([[1], []]))).repeat(5).batch(2),
    "one element forever": lambda: D.zip(D.range(7), D.from_tensors([1, 2]).repeat()),
    "forever": lambda: D.range(4).repeat().take(15),
    "concatenate": lambda: D.range(4).concatenate(D.range(4, 9)),
    "batch": lambda: D.range(20).batch(3),
    "padded": lambda: D.range(20).batch(3).padded_batch(2, [None]),
    "unbatch": lambda: D.range(20).batch(7).unbatch(),
    "rebatch": lambda: D.range(20).batch(7).rebatch([2, 3]),
    "zip": lambda: D.zip(D.range(20), D.range(20).batch(2).unbatch()),
    "enumerate": lambda: D.range(9).enumerate(),
    "shuffle": lambda: D.range(20).shuffle(5, seed=3),
    "shuffled epochs": lambda: D.range(6).shuffle(4, seed=3).batch(2).repeat(3),
    "shuffled rows": lambda: D.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [], [4]])).shuffle(2, seed=1),
    "random": lambda: D.random(seed=3, rerandomize_each_iteration=True).take(9),
    "sample": lambda: D.sample_from_datasets([D.range(9), D.range(9, 12)], [0.5, 0.5], seed=2),
    "choose": lambda: D.choose_from_datasets([D.range(9), D.range(9, 12)], CHOICES, False),
    "cache": lambda: D.range(9).cache().repeat(2),
    "window": lambda: D.range(9).window(3, 2),
    "unique": lambda: D.range(4).repeat(2).concatenate(D.range(7)).unique(),
    "checked": lambda: D.range(9).apply(tf.data.experimental.assert_cardinality(9)),
    "ignore": lambda: D.range(9).ignore_errors(),
    "prefetch": lambda: D.range(9).prefetch(2).batch(2).prefetch(3),
    "options": lambda: D.range(9).with_options(tf.data.Options()),
}


def shown(element):
    return [plain(each) for each in element] if isinstance(element, tf.data.Dataset) else plain(element)


@pytest.mark.parametrize("name", PIPELINES)
def test_restored_iterator_continues(name):
    """At every element; the first iterator continues, too."""
    tf.random.set_seed(1)
    expected = [shown(element) for element in PIPELINES[name]()]
    for place in range(len(expected) + 1):
        first, second = (OwnedIterator(PIPELINES[name]()._node) for _ in range(2))
        for k in range(place):
            assert shown(next(first)) == expected[k]
        state = first._save()
        assert [shown(element) for element in first] == expected[place:]
        next(second)
        second._restore(state)
        assert [shown(element) for element in second] == expected[place:]


def test_lines_of_files(tmp_path):
    for name, text in {"a": "1\n2\n3\n", "b": "4\n5\n"}.items():
        (tmp_path / name).write_text(text)
    dataset = tf.data.TextLineDataset([tmp_path / "a", tmp_path / "b"], num_parallel_reads=2)
    expected = [shown(element) for element in dataset]
    for place in range(len(expected) + 1):
        first, second = (OwnedIterator(dataset._node) for _ in range(2))
        for _ in range(place):
            next(first)
        second._restore(first._save())
        assert [shown(element) for element in second] == expected[place:]


def test_place_of_a_generator_is_refused():
    iterator = OwnedIterator(D.from_generator(lambda: [1], tf.int32)._node)
    with pytest.raises(tf.errors.FailedPreconditionError, match="is stateful"):
        iterator._save()
