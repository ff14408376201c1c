"""Functions that read iterators: the next elements are read while their program runs, if the dataset reads ahead."""

from __future__ import annotations

import itertools

import pytest

import tfcompat as tf
from tfcompat._data.nodes.prefetching import _Prefetched

D = tf.data.Dataset


def quotients():
    """Elements of which the third one has an error."""
    return D.from_tensor_slices([5, 10, 0, 2, 1]).map(lambda x: 10 // x).prefetch(2)


def doubled():
    return tf.function(lambda iterator: next(iterator) * 2)


@pytest.fixture
def reads(monkeypatch):
    """The blocks that are read without a thread, in order."""
    found, read = [], _Prefetched._read_now
    monkeypatch.setattr(_Prefetched, "_read_now", lambda self, most: found.append(read(self, most)) or found[-1])
    return found


def test_functions_read_ahead(reads):
    function, iterator, taken = doubled(), iter(D.range(40).map(lambda x: x + 1).prefetch(4)), 0
    for number in range(1, 41):
        assert function(iterator).numpy() == 2 * number
        taken = sum(block.count for block in reads if block is not None)
        assert taken > number or number == 40
    assert reads[-1] is None
    with pytest.raises(tf.errors.OutOfRangeError):
        function(iterator)


def test_nothing_is_read_ahead_without_prefetch(reads):
    function, iterator = doubled(), iter(D.range(4).map(lambda x: x + 1))
    assert [int(function(iterator)) for _ in range(4)] == [2, 4, 6, 8]
    assert not reads


def test_errors_are_raised_when_their_elements_are_asked_for():
    function, iterator = doubled(), iter(quotients())
    assert [int(function(iterator)) for _ in range(2)] == [4, 2]
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(iterator)
    assert [int(function(iterator)) for _ in range(2)] == [10, 20]


@pytest.mark.parametrize("count", range(6))
def test_places_are_those_of_what_was_handed_out(count, tmp_path):
    function, first = doubled(), iter(D.range(7).shuffle(4, seed=1).prefetch(2))
    for _ in range(count):
        function(first)
    path = tf.train.Checkpoint(iterator=first).write(str(tmp_path / "place"))
    second = iter(D.range(7).shuffle(4, seed=1).prefetch(2))
    tf.train.Checkpoint(iterator=second).read(path)
    assert [int(x) for x in second] == [int(x) for x in first]


@pytest.mark.parametrize("hit", range(1, 5))
def test_interrupts_lose_no_element(hit, monkeypatch):
    read, calls = _Prefetched._read_now, itertools.count(1)

    def interrupted(self, most):
        block = read(self, most)
        if next(calls) == hit:
            raise KeyboardInterrupt
        return block

    monkeypatch.setattr(_Prefetched, "_read_now", interrupted)
    total = tf.Variable(0, dtype=tf.int64)
    iterator = iter(D.range(12).map(lambda x: x + 1).prefetch(2))
    function, interrupts = tf.function(lambda: total.assign_add(next(iterator))), 0
    while True:
        try:
            function()
        except KeyboardInterrupt:
            interrupts += 1
        except tf.errors.OutOfRangeError:
            break
    assert (interrupts, int(total)) == (1, sum(range(1, 13)))
