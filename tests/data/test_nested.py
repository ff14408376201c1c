"""Datasets that functions make of their elements: each number of a method may be one of the element."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

D = tf.data.Dataset
NUMBER = tf.TensorSpec([], tf.int64)


def values(dataset):
    return [np.asarray(x).tolist() for x in dataset.as_numpy_iterator()]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda k: D.range(3).batch(k), [[0], [1], [2], [0, 1], [2]]),
        (lambda k: D.range(3).padded_batch(k), [[0], [1], [2], [0, 1], [2]]),
        (lambda k: D.range(3).window(k).flat_map(lambda w: w.batch(9)), [[0], [1], [2], [0, 1], [2]]),
        (lambda k: D.range(5).shard(3, k), [1, 4, 2]),
        (lambda k: D.range(2).enumerate(k).map(lambda n, x: n * 10 + x), [10, 21, 20, 31]),
        (lambda k: D.counter(k, -k).take(2), [1, 0, 2, 0]),
        (lambda k: D.from_tensor_slices(tf.range(k)), [0, 0, 1]),
        (lambda k: D.range(3).scan(k, lambda state, x: (state + x, state)), [1, 1, 2, 2, 2, 3]),
        (lambda k: D.from_generator(lambda n: iter(range(n)), output_signature=NUMBER, args=(k,)), [0, 0, 1]),
        (lambda k: D.from_tensor_slices({"a": tf.range(k)}).map(lambda e: e["a"]), [0, 0, 1]),
    ],
    ids=[
        "batch",
        "padded_batch",
        "window",
        "shard",
        "enumerate",
        "counter",
        "a range",
        "scan",
        "from_generator",
        "from_tensor_slices",
    ],
)
def test_numbers_of_the_element(function, expected):
    dataset = D.range(1, 3).flat_map(function)
    assert values(dataset) == expected == values(dataset)


def test_generators_of_strings():
    def letters(text):
        return ((letter, text) for letter in text.decode())

    def spelled(text):
        return D.from_generator(letters, output_types=(tf.string, tf.string), output_shapes=([], []), args=(text,))

    found = list(D.from_tensor_slices(["ab", "c"]).flat_map(spelled).as_numpy_iterator())
    assert found == [(b"a", b"ab"), (b"b", b"ab"), (b"c", b"c")]


def test_csv_files_in_turn(tmp_path):
    for k in range(3):
        (tmp_path / f"{k}.csv").write_text("a,b\n" + "".join(f"{row},{row * k}.5\n" for row in range(k + 1)))
    files = D.list_files(f"{tmp_path}/*.csv", shuffle=False)

    def records(name):
        return tf.data.experimental.CsvDataset(name, [tf.int32, tf.float32], header=True)

    found = list(files.interleave(records, cycle_length=2).as_numpy_iterator())
    assert found == [(0, 0.5), (0, 0.5), (1, 1.5), (0, 0.5), (1, 2.5), (2, 4.5)]


def test_reduction_of_a_window():
    windows = D.range(7).window(3)
    assert values(windows.map(lambda w: w.reduce(np.int64(0), lambda total, x: total + x))) == [3, 12, 6]
    full = D.range(7).window(3, drop_remainder=True)
    assert values(full.map(lambda w: w.batch(3).get_single_element())) == [[0, 1, 2], [3, 4, 5]]


def test_reduction_from_and_with_values_of_the_element():
    def weighed(k):
        return D.range(k).reduce((k, tf.constant(1.0)), lambda state, x: (state[0] + x * k, state[1] * 2.0))

    assert list(D.range(4).map(weighed).as_numpy_iterator()) == [(0, 1.0), (1, 2.0), (4, 4.0), (12, 8.0)]


def test_reduction_of_strings():
    def joined(text):
        return D.from_tensor_slices(tf.strings.split(text)).reduce("", lambda total, word: total + word)

    assert values(D.from_tensor_slices(["a b c", "d"]).map(joined)) == [b"abc", b"d"]


def test_cardinality_of_datasets_of_an_element():
    assert values(D.range(5).window(2, 2).map(lambda w: w.cardinality())) == [2, 2, 1]
    assert values(D.range(4).map(lambda n: D.range(n).batch(2).cardinality() + n)) == [0, 2, 3, 5]
    assert values(D.range(2).map(lambda n: D.range(n).filter(lambda x: x > 0).cardinality())) == [-2, -2]


def test_error_of_a_reduction_is_that_of_its_element():
    windows = D.range(4).window(2).map(lambda w: w.batch(1).get_single_element())
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than one element"):
        next(iter(windows))
