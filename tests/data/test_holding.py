"""`cache`, `window` and `unique`."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import count_of, generated, listed, outcomes

D = tf.data.Dataset
FIVE = D.range(5)
INVALID = tf.errors.InvalidArgumentError


def counting():
    """A dataset of three elements, and the list that has an entry for each run of its generator."""
    runs = []

    def numbers():
        runs.append(1)
        yield from range(3)

    return D.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int32)), runs


def test_cache_is_filled_by_an_iterator_that_reaches_the_end():
    source, runs = counting()
    cached = source.cache()
    next(iter(cached))
    listed(cached.take(2))
    assert len(runs) == 2
    assert [listed(cached) for _ in range(3)] == [[0, 1, 2]] * 3
    assert len(runs) == 3
    assert listed(cached.repeat(2)) == [0, 1, 2, 0, 1, 2]
    assert len(runs) == 3


def test_cache_of_a_part():
    source, runs = counting()
    cached = source.take(2).cache()
    assert [listed(cached) for _ in range(2)] == [[0, 1]] * 2
    assert len(runs) == 1
    assert listed(D.range(0).cache().repeat(2)) == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((3,), [[0, 1, 2], [3, 4, 5], [6]]),
        ((3, 1), [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6], [5, 6], [6]]),
        ((3, 1, 1, True), [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6]]),
        ((3, 2, 2), [[0, 2, 4], [2, 4, 6], [4, 6], [6]]),
        ((3, 2, 2, True), [[0, 2, 4], [2, 4, 6]]),
        ((2, 4), [[0, 1], [4, 5]]),
        ((2, 5, 2), [[0, 2], [5]]),
        ((9,), [[0, 1, 2, 3, 4, 5, 6]]),
        ((9, None, 1, True), []),
    ],
    ids=str,
)
def test_windows(arguments, expected):
    windows = [*D.range(7).window(*arguments)]
    assert [listed(window) for window in windows] == expected
    assert [count_of(window) for window in windows] == [*map(len, expected)]
    assert count_of(D.range(7).window(*arguments)) == len(expected)


def test_windows_of_several_components():
    [(left, right), _] = D.zip((FIVE, D.range(5, 10))).window(3)
    assert (listed(left), listed(right)) == ([0, 1, 2], [5, 6, 7])
    spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    assert D.zip({"a": FIVE}).window(2).element_spec == {"a": spec}
    assert listed(next(iter(D.zip({"a": FIVE}).window(2)))["a"]) == [0, 1]
    assert [listed(window) for window in FIVE.window(2).take(1).repeat(2)] == [[0, 1], [0, 1]]


def test_windows_of_rows_of_other_lengths():
    rows = generated([[1], [2, 3], [4]], tf.TensorSpec([None], tf.int32))
    assert [listed(window) for window in rows.window(2, 1)] == [[[1], [2, 3]], [[2, 3], [4]], [[4]]]


@pytest.mark.parametrize(
    ("arguments", "name"), [((0,), "size"), ((2, 0), "shift"), ((2, 1, 0), "stride")], ids=["size", "shift", "stride"]
)
def test_numbers_of_windows_are_positive(arguments, name):
    with pytest.raises(INVALID, match=f"Window {name} must be greater than zero"):
        FIVE.window(*arguments)


def test_unique_elements():
    assert listed(D.range(3).repeat(2).unique()) == [0, 1, 2]
    assert listed(D.from_tensor_slices(["a", "b", "a"]).unique()) == [b"a", b"b"]
    assert listed(D.from_tensor_slices([[1, 2], [1, 2], [1, 3]]).unique()) == [[1, 2], [1, 3]]


def test_unique_refuses():
    with pytest.raises(TypeError, match=r"does not support type .*float32.* -- only `tf.int32`, `tf.int64`, and"):
        D.from_tensors(1.5).unique()
    with pytest.raises(INVALID, match="UniqueDataset only supports inputs with a single component"):
        D.zip((FIVE, FIVE)).unique()


def test_cache_keeps_the_elements_without_errors():
    cached = D.range(4).map(lambda x: 6 // (x - 1)).cache()
    assert outcomes(cached, 5) == [-6, "InvalidArgumentError", 6, 3, "end"]
    assert outcomes(cached, 4) == [-6, 6, 3, "end"]
    assert listed(D.range(4).map(lambda x: 6 // (x - 1)).cache().ignore_errors().repeat(2)) == [-6, 6, 3] * 2


def test_cache_is_filled_by_the_last_of_a_known_number_of_elements():
    def first(number, change):
        cached = D.range(6).shuffle(6, seed=1).cache()
        iterator = change(cached).as_numpy_iterator()
        return [next(iterator).tolist() for _ in range(number)], listed(cached)

    numbers, again = first(6, lambda cached: cached)
    assert numbers == again
    batches, again = first(2, lambda cached: cached.batch(3))
    assert [x for batch in batches for x in batch] == again
    numbers, again = first(5, lambda cached: cached)
    assert numbers != again[:5]
