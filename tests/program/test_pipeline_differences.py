"""Known differences of functions in input pipelines; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

D = tf.data.Dataset


def numbers(dataset):
    return [float(number) for number in dataset.as_numpy_iterator()]


def test_parallel_calls_draw_in_order():
    tf.random.set_seed(1)
    try:
        drawn = D.range(64).map(lambda _: tf.random.uniform([]), num_parallel_calls=4, deterministic=False)
        # TensorFlow: the same numbers, in an order that is left to chance.
        assert numbers(drawn) == numbers(drawn) == numbers(D.range(64).map(lambda _: tf.random.uniform([])))
    finally:
        tf.random.set_seed(None)


def test_functions_run_again_for_sizes_that_a_trace_does_not_serve():
    runs = []

    def shortened(x):
        runs.append(x.shape.as_list())
        return x[:2]

    rows = D.from_generator(lambda: iter([[1, 2, 3], [4], [5, 6]]), output_signature=tf.TensorSpec([None], tf.int32))
    found = [list(row) for row in rows.map(shortened).as_numpy_iterator()]
    assert found == [[1, 2], [4], [5, 6]]
    assert runs[0] == [None]
    # TensorFlow: Python ran once.
    assert runs[1:] == [[1]]


def test_elements_with_errors_assign_nothing():
    count = tf.Variable(0, dtype=tf.int64)

    def counted(x):
        count.assign_add(1)
        return 6 // (x - 1)

    found = D.range(3).map(counted).ignore_errors()
    assert [int(number) for number in found.as_numpy_iterator()] == [-6, 6]
    # TensorFlow: 3.
    assert count.numpy() == 2


def test_functions_of_strings_are_refused():
    with pytest.raises(NotImplementedError, match=r"tf\.data\.Dataset\.map: functions of strings"):
        D.from_tensor_slices(["a", "b"]).map(tf.strings.length)
    with pytest.raises(NotImplementedError, match=r"tf\.data\.Dataset\.map: no trace can hold this function"):
        D.range(3).map(lambda x: tf.zeros([x]))
    with pytest.raises(NotImplementedError, match=r"tf\.data\.Dataset\.map: results of the class RaggedTensor"):
        D.range(3).map(lambda _: tf.ragged.constant([[1], []]))
    with pytest.raises(NotImplementedError, match=r"tf\.data\.Dataset\.map: functions that call Python"):
        D.range(3).map(lambda x: tf.ensure_shape(tf.numpy_function(abs, [x], tf.int64), []))
    pairs = D.from_tensor_slices((["a", "b"], np.arange(2))).map(lambda text, x: (x + 1, text))
    assert [(int(x), text) for x, text in pairs.as_numpy_iterator()] == [(1, b"a"), (2, b"b")]
