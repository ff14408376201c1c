"""Programs on blocks of rows: the compiled ones agree with those of the host."""

from __future__ import annotations

import numpy as np

import tfcompat as tf
from tfcompat._data.function.block_program import BlockProgram

D = tf.data.Dataset
ROWS = np.random.default_rng(0).normal(size=(11, 3, 3)).astype(np.float32)
SCALE = tf.Variable(2.0)


def function(x):
    return tf.tanh(x @ x) * SCALE + tf.random.uniform([3], seed=4), tf.gather(x, 2)


def test_compiled_programs_compute_the_same():
    tf.random.set_seed(1)
    dataset = D.from_tensor_slices(ROWS).map(function)
    expected = list(dataset.as_numpy_iterator())
    program = dataset._node.calls._general.programs[-1]
    assert not program._fixed
    program._host = None
    for got, wanted in zip(dataset.as_numpy_iterator(), expected, strict=True):
        np.testing.assert_allclose(got[0], wanted[0], 1e-5)
        np.testing.assert_array_equal(got[1], wanted[1])
    # Blocks of 1, 2, 4 and 4 of the 11 rows.
    assert sorted(program._fixed) == [1, 2, 4]
    tf.random.set_seed(None)


def test_programs_serve_many_sizes():
    rows = [np.arange(k, dtype=np.float32) for k in range(40)]
    spec = tf.TensorSpec([None], tf.float32)
    dataset = D.from_generator(lambda: iter(rows), output_signature=spec).map(lambda x: tf.reduce_sum(x * 2))
    assert list(dataset.as_numpy_iterator()) == [k * (k - 1) for k in range(40)]
    calls = dataset._node.calls
    assert not calls._general.programs[-1]._fixed
    # Sizes of 0 and 1 have programs of their own.
    assert len(calls._programs) == 2


def test_programs_that_would_copy_more_than_they_compute_stay_on_the_host():
    # As Keras takes batches out of arrays: compiled, each batch would copy all of the array.
    values = np.arange(200_000, dtype=np.float32).reshape(2000, 100)
    places = D.from_tensor_slices(np.arange(1200).reshape(40, 30))
    dataset = D.zip((places, D.from_tensors(values).repeat())).map(lambda k, x: tf.gather(x, k))
    (program,) = [*filter(None, dataset._node.calls._general.programs)]
    first = list(dataset.as_numpy_iterator())
    (shared,) = program._sharing.values()
    assert shared._spent == 0.0
    shared._spent = np.inf
    for got, wanted, rows in zip(dataset.as_numpy_iterator(), first, np.arange(1200).reshape(40, 30), strict=True):
        np.testing.assert_array_equal(got, values[rows])
        np.testing.assert_array_equal(wanted, values[rows])
    assert not program._fixed
    assert not shared._fixed


def test_compiled_programs_share_values_of_all_rows():
    dataset = D.zip((D.range(5), D.from_tensors(ROWS).repeat())).map(lambda k, x: tf.gather(x, k) * 2.0)
    (program,) = [*filter(None, dataset._node.calls._general.programs)]
    list(dataset.as_numpy_iterator())
    program._host = None
    for shared in program._sharing.values():
        shared._host = None
    got = np.stack(list(dataset.as_numpy_iterator()))
    np.testing.assert_array_equal(got, 2.0 * ROWS[:5])
    assert any(shared._fixed for shared in program._sharing.values())


def long_loop(x):
    """Counts to a number for which the host takes too long; its condition depends on the element."""

    def goes_on(count):
        return count < 60_000.0 + tf.reduce_sum(x)

    return tf.while_loop(goes_on, lambda count: count + 1.0, [tf.constant(0.0)])[0], tf.size(x)


def test_loops_that_take_long_are_compiled():
    numbers = D.range(3).map(lambda k: long_loop(tf.cast(k, tf.float32)))
    assert list(numbers.as_numpy_iterator()) == [(60_000.0, 1), (60_001.0, 1), (60_002.0, 1)]
    rows = D.from_generator(lambda: ([1.0] * k for k in (3, 0, 1, 3)), output_signature=tf.TensorSpec([None]))
    assert list(rows.map(long_loop).as_numpy_iterator()) == [(60_003.0, 3), (60_000.0, 0), (60_001.0, 1), (60_003.0, 3)]
    texts = D.from_tensor_slices(["1 2", "3", "1 2 3"])
    split = texts.map(lambda text: long_loop(tf.strings.to_number(tf.strings.split(text))), num_parallel_calls=2)
    assert list(split.as_numpy_iterator()) == [(60_003.0, 2), (60_003.0, 1), (60_006.0, 3)]


def test_shuffled_indices_in_functions_of_elements():
    shuffled = D.range(10).map(lambda k: tf.random.experimental.index_shuffle(k, [5, 8], 9))
    assert list(shuffled.as_numpy_iterator()) == [3, 8, 0, 1, 2, 7, 6, 9, 4, 5]


def test_results_that_depend_on_no_open_size_are_computed_together(monkeypatch):
    counts = []
    call = BlockProgram.__call__
    monkeypatch.setattr(
        BlockProgram, "__call__", lambda self, count, *given: (counts.append(count), call(self, count, *given))[1]
    )
    images = np.arange(8 * 6 * 6 * 3, dtype=np.float32).reshape(8, 6, 6, 3)

    def cropped(image, number):
        part = tf.slice(image, [0, 0, 0], tf.stack([number, number, 3]))
        return tf.image.resize(part, [4, 4]) * 2.0

    found = list(D.from_tensor_slices((images, np.arange(1, 9) % 6 + 1)).map(cropped).batch(8).as_numpy_iterator())
    # The sizes of all crops, then all results.
    assert counts == [8, 8]
    for image, number, result in zip(images, np.arange(1, 9) % 6 + 1, found[0], strict=True):
        np.testing.assert_allclose(result, tf.image.resize(image[:number, :number], [4, 4]) * 2.0, 1e-5)
