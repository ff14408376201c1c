"""The epochs of a shuffled dataset, and the contents of its buffer."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import generated, listed, outcomes

D = tf.data.Dataset
# Of four elements with the seed 5: ten different orders.
SEED, SIZE = 5, 6


def shuffled():
    tf.random.set_seed(1)
    return D.range(SIZE).shuffle(SIZE, seed=SEED)


def epochs_of(numbers):
    """The epochs whose orders `numbers` are, one after the other."""
    reference = shuffled()
    orders = [listed(reference) for _ in range(16)]
    assert len({*map(tuple, orders)}) == 16
    return [orders.index(numbers[start : start + SIZE]) for start in range(0, len(numbers), SIZE)]


def test_iterators_are_counted_from_the_moment_they_are_made():
    dataset = shuffled()
    iter(dataset)
    assert epochs_of(listed(dataset)) == [1]
    listed(dataset.take(1))
    len(dataset), dataset.cardinality(), dataset.element_spec
    assert epochs_of(listed(dataset)) == [3]


def test_datasets_made_of_one_object_share_its_count():
    dataset = shuffled()
    pairs = listed(D.zip(dataset, dataset))
    assert [epochs_of([pair[k] for pair in pairs]) for k in (0, 1)] == [[0], [1]]
    assert epochs_of(listed(dataset.concatenate(dataset))) == [2, 3]


def test_splits_overlap_unless_the_order_is_fixed():
    tf.random.set_seed(None)
    dataset = D.range(6).shuffle(6, seed=1)
    assert set(listed(dataset.take(3))) & set(listed(dataset.skip(3)))
    dataset = D.range(6).shuffle(6, seed=1, reshuffle_each_iteration=False)
    assert not set(listed(dataset.take(3))) & set(listed(dataset.skip(3)))


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (lambda d: d.repeat(2), [[0, 1], [2, 3], [4, 5]]),
        (lambda d: d.take(-1).repeat(2), [[0, 1], [2, 3], [4, 5]]),
        (lambda d: d.skip(0).repeat(2), [[0, 1], [2, 3], [4, 5]]),
        (lambda d: d.repeat(1).repeat(2), [[0, 1], [2, 3], [4, 5]]),
        (lambda d: d.shard(1, 0).repeat(2), [[0, 1], [2, 3], [4, 5]]),
        (lambda d: d.map(lambda x: x).repeat(2), [[0, 1], [2, 3], [4, 5]]),
        (lambda d: d.map(lambda x: x + 0).repeat(2), [[0, 1], [3, 4], [6, 7]]),
        (lambda d: d.batch(SIZE).unbatch().repeat(2), [[0, 1], [3, 4], [6, 7]]),
        (lambda d: d.take(SIZE).repeat(2), [[0, 1], [3, 4], [6, 7]]),
        (lambda d: d.prefetch(1).repeat(2), [[0, 1], [3, 4], [6, 7]]),
        (lambda d: d.prefetch(0).repeat(2), [[0, 1], [3, 4], [6, 7]]),
        (lambda d: d.with_options(tf.data.Options()).repeat(2), [[0, 1], [3, 4], [6, 7]]),
        (lambda d: d.repeat(2).repeat(2), [[0, 1, 2, 3], [5, 6, 7, 8]]),
        (lambda d: d.repeat().take(2 * SIZE), [[0, 1], [2, 3], [4, 5]]),
        (lambda d: d.cache().repeat(2), [[0, 0], [0, 0]]),
    ],
    ids=[
        "repeat",
        "all",
        "none",
        "once",
        "one",
        "identity",
        "map",
        "batch",
        "take",
        "prefetch",
        "zero",
        "options",
        "twice",
        "ever",
        "cache",
    ],
)
def test_epochs_that_repetitions_see(after, expected):
    dataset = after(shuffled())
    assert [epochs_of(listed(dataset)) for _ in expected] == expected


def test_later_seeds_do_not_change_the_count():
    dataset = shuffled()
    listed(dataset)
    tf.random.set_seed(7)
    assert epochs_of(listed(dataset)) == [1]


def test_equal_seeds_agree():
    pairs = listed(D.zip(D.range(5).shuffle(5, seed=1), D.range(5).shuffle(5, seed=1)))
    assert all(one == other for one, other in pairs)


def test_seeds_of_one_element():
    tf.random.set_seed(1)
    dataset = D.range(4).shuffle(4, seed=5)
    assert [listed(dataset) for _ in range(3)] == [[1, 2, 3, 0], [0, 1, 3, 2], [0, 1, 2, 3]]
    kept = D.range(4).shuffle(4, seed=5).cache()
    assert [listed(kept) for _ in range(3)] == [[1, 2, 3, 0]] * 3


@pytest.mark.parametrize("size", [1, 4, 29, 30, 50, tf.data.UNKNOWN_CARDINALITY])
@pytest.mark.parametrize(
    "source",
    [
        lambda: D.range(30),
        lambda: D.from_tensor_slices((np.arange(30.0), np.arange(60).reshape(30, 2))).map(lambda x, y: (x * 2, y, 1)),
        lambda: D.zip(D.range(40).skip(10), D.range(60).shard(2, 1)).take(30),
    ],
    ids=["range", "slices", "zip"],
)
def test_elements_that_have_numbers_come_in_the_order_of_a_buffer(source, size):
    tf.random.set_seed(3)
    by_number, by_element = (d.shuffle(size, seed=5) for d in (source(), source().filter(lambda *_: True)))
    for batch in (1, 7, 64):
        pairs = zip(by_number.batch(batch), by_element.batch(batch), strict=True)
        for found, expected in pairs:
            tf.nest.map_structure(np.testing.assert_array_equal, found, expected)


def test_shuffle_of_elements_in_memory_copies_none_before_it_draws():
    dataset = D.from_tensor_slices(np.zeros((64, 1 << 16), np.uint8)).map(lambda x: x + 1).shuffle(64)
    next(iter(dataset))
    tracemalloc.start()
    next(iter(dataset))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 << 16


def test_functions_that_may_fail_or_read_variables_are_computed_when_the_buffer_is_filled():
    variable = tf.Variable(0, dtype=tf.int64)
    elements = iter(D.range(1, 9).map(lambda x: x * 0 + variable).shuffle(4, seed=1))
    first = [int(next(elements))]
    variable.assign(1)
    assert sorted(first + [int(x) for x in elements]) == [0] * 4 + [1] * 4
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        next(iter(D.range(0, 8).map(lambda x: 8 // (x - 3)).shuffle(4, seed=1)))


@pytest.mark.parametrize("size", [0, -1])
def test_buffer_is_positive(size):
    with pytest.raises(tf.errors.InvalidArgumentError, match="buffer_size must be greater than zero or UNKNOWN"):
        D.range(5).shuffle(size)


def test_buffer_may_hold_everything():
    everything = D.range(500).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=3)
    assert listed(everything) == listed(D.range(500).shuffle(500, seed=3))
    with pytest.raises(TypeError, match=r"Cannot convert 2\.5 to EagerTensor of dtype int64"):
        D.range(5).shuffle(2.5)


def test_order_is_that_of_the_elements_places():
    """Whatever the elements are: arrays, rows of different lengths, strings."""
    tf.random.set_seed(1)
    order = listed(D.range(30).shuffle(7, seed=2))
    lengths = generated([[k] * (k % 4) for k in range(30)], tf.TensorSpec([None], tf.int32))
    assert listed(lengths.shuffle(7, seed=2)) == [[k] * (k % 4) for k in order]
    names = D.from_tensor_slices([str(k) for k in range(30)])
    assert listed(names.shuffle(7, seed=2)) == [str(k).encode() for k in order]
    pairs = D.from_tensor_slices((np.arange(60.0).reshape(30, 2), {"a": np.arange(30)}))
    assert listed(pairs.shuffle(7, seed=2)) == [([2.0 * k, 2.0 * k + 1], {"a": k}) for k in order]


def test_bad_element_is_passed_over():
    tf.random.set_seed(None)
    values = generated([1, "a", 3, 4, 5], tf.TensorSpec([], tf.int32))
    assert outcomes(values.shuffle(3, seed=1), 6) == ["InvalidArgumentError", 3, 5, 1, 4, "end"]


@pytest.mark.parametrize(
    "repeated",
    [
        lambda d: d.repeat(),
        lambda d: d.repeat(2),
        lambda d: d.repeat().map(lambda x: x + 0),
        lambda d: d.map(lambda x: x + 0).repeat(),
        lambda d: d.repeat().take(2 * SIZE),
        lambda d: D.zip((d.repeat(), D.range(100))).map(lambda x, y: x + 0 * y),
    ],
    ids=["ever", "twice", "then map", "after map", "take", "zip"],
)
def test_a_repetition_begins_when_the_last_element_before_it_was_read(repeated):
    dataset = shuffled().take(SIZE)
    iterator = iter(repeated(dataset))
    first = [next(iterator).numpy() for _ in range(SIZE)]
    time.sleep(0.1)  # TensorFlow reads ahead
    between = listed(dataset)
    assert epochs_of([*first, *between, *[next(iterator).numpy() for _ in range(SIZE)]]) == [0, 2, 1]


def test_a_repetition_that_is_not_read_does_not_begin():
    dataset = shuffled().take(SIZE)
    iterator = iter(dataset.repeat().take(SIZE))
    first = [next(iterator).numpy() for _ in range(SIZE)]
    time.sleep(0.1)
    assert epochs_of([*first, *listed(dataset)]) == [0, 1]


def test_datasets_below_begin_when_they_are_read():
    def firsts(make):
        dataset = make(D.range(10).shuffle(10, seed=1))
        early, late = iter(dataset), iter(dataset)
        return [[next(each).numpy() for _ in range(5)] for each in (iter(dataset), late, early)]

    # TensorFlow begins a shuffled dataset with its iterator, and those below it, or after another one, when it is read.
    assert firsts(lambda d: d.shuffle(5, seed=2)) == [[5, 1, 7, 0, 9], [7, 4, 5, 6, 0], [5, 1, 0, 7, 4]]
    assert firsts(lambda d: D.range(2).concatenate(d)) == [[0, 1, 0, 9, 5], [0, 1, 8, 9, 7], [0, 1, 5, 6, 7]]
    assert firsts(lambda d: d) == [[5, 6, 7, 1, 3], [8, 9, 7, 5, 4], [0, 9, 5, 1, 2]]
