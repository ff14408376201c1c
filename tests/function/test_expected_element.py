"""Functions that read iterators, and expect values and shapes of earlier calls with such elements."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import one_in


def batches(rows, size):
    """An iterator of the numbers below `rows` in batches of `size`."""
    return iter(tf.data.Dataset.range(rows).map(lambda x: tf.cast(x % 5, tf.float32)).batch(size))


class Step:
    """A step on the next elements of an iterator, of which a Python function returns as many numbers as `sizes` says.

    It adds up the elements in a variable.
    """

    def __init__(self, sizes, reads=1):
        self.sizes, self.reads = iter(sizes), reads
        self.inputs, self.runs = [], 0
        self.total = tf.Variable(0.0)

    def source(self, x):
        """The next result, for `x`."""
        self.inputs.append(float(np.sum(x)))
        size = next(self.sizes)
        if size is None:
            raise ValueError("no size")
        return np.full(size, np.sum(x), np.float32)

    @tf.function
    def __call__(self, iterator):
        self.runs += 1
        results = []
        for _ in range(self.reads):
            element = next(iterator)
            drawn = tf.random.uniform([])
            self.total.assign_add(tf.reduce_sum(element))
            results.append(tf.reduce_sum(tf.numpy_function(self.source, [element], tf.float32)))
        return tf.add_n(results), drawn


@pytest.mark.parametrize(
    ("place", "reads"), one_in(3, [(place, reads) for place in (None, 2, 3, 6) for reads in (1, 2)])
)
def test_no_element_is_lost_or_read_twice(reads, place):
    tf.random.set_seed(5)
    sizes = [3] * 12
    if place is not None:
        sizes[place] = 4
    step, iterator = Step(sizes, reads), batches(36, 3)
    elements = np.arange(36).reshape(12, 3) % 5
    found = [step(iterator) for _ in range(12 // reads)]
    sums = (elements.sum(1) * sizes).reshape(-1, reads).sum(1)
    np.testing.assert_allclose([float(each) for each, _ in found], sums)
    assert step.inputs == elements.sum(1).tolist()
    assert float(step.total) == elements.sum()
    if reads == 1:  # TensorFlow's numbers
        drawn = [0.183, 0.673, 0.936, 0.388, 0.066, 0.486, 0.773, 0.686]
        np.testing.assert_allclose([float(each) for _, each in found[:8]], drawn, atol=5e-4)
    # In the first call it is traced twice and runs, in the second it is traced, first for one element, and it runs for
    # another shape.
    first_calls = 4 if reads == 1 else 8
    assert step.runs == first_calls + (place is not None)
    with pytest.raises(tf.errors.OutOfRangeError):
        step(iterator)


def test_partial_batches_have_programs_of_their_own():
    step = Step([2] * 64)
    for _ in range(6):
        iterator = batches(11, 4)
        for size in (4, 4, 3):
            before = float(step.total)
            result, _ = step(iterator)
            assert float(result) == 2 * (float(step.total) - before)
            assert size in (3, 4)
    # Two kinds of batches: each is traced, runs, and is traced again.
    assert step.runs <= 6
    assert float(step.total) == 6 * (np.arange(11) % 5).sum()


def test_elements_whose_shapes_do_not_recur_are_not_traced():
    step = Step([2] * 64)
    for size in range(1, 21):
        step(batches(size, size))
    assert step.runs <= 22


def test_an_error_takes_the_element():
    step, iterator = Step([3, 3, 3, None, 3]), batches(15, 3)
    for _ in range(3):
        step(iterator)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no size"):
        step(iterator)
    assert float(step(iterator)[0]) == 3 * (2 + 3 + 4)


def test_values_that_decide_shapes_recur_in_elements():
    runs = []
    lengths = tf.data.Dataset.from_tensor_slices([[1, 3], [3, 2], [2, 3], [1, 2], [3, 1]]).repeat()
    iterator = iter(lengths)

    @tf.function
    def step(iterator):
        runs.append(None)
        return tf.zeros([tf.reduce_max(next(iterator))])

    assert [len(step(iterator)) for _ in range(20)] == [3, 3, 3, 2, 3] * 4
    # It is traced three times, and runs in the first call and in those with the length 2.
    assert len(runs) == 8
