"""Functions of elements that are a `tf.function`, or call one, whose ops no program holds."""

from __future__ import annotations

import functools

import pytest

import tfcompat as tf
from tests.data.reading import listed, outcomes

D = tf.data.Dataset
PAIRS = [[1.0, 5.0], [4.0, 6.0]]


def masked(x):
    return tf.boolean_mask(x, x > 1.0)


decorated = tf.function(masked)


class Above:
    def __init__(self, bound):
        self.bound = bound

    @tf.function
    def of(self, x):
        return tf.boolean_mask(x, x > self.bound)


@pytest.mark.parametrize(
    "function",
    [
        decorated,
        lambda x: decorated(x) * 1.0,
        tf.function(lambda x: decorated(x)),
        tf.function(masked, input_signature=[tf.TensorSpec([None], tf.float32)]),
        functools.partial(tf.function(lambda bound, x: tf.boolean_mask(x, x > bound)), 1.0),
    ],
    ids=["itself", "within", "nested", "signature", "partial"],
)
def test_masks(function):
    dataset = D.from_tensor_slices(PAIRS).map(function)
    assert dataset.element_spec == tf.TensorSpec([None], tf.float32)
    assert listed(dataset) == [[5.0], [4.0, 6.0]]


def test_functions_with_a_trace():
    function = tf.function(lambda x: tf.py_function(lambda value: value + 1.0, [x], tf.float32))
    function(tf.constant([1.0, 2.0]))
    assert listed(D.from_tensor_slices(PAIRS).map(function)) == [[2.0, 6.0], [5.0, 7.0]]


def test_methods():
    above = Above(4.0)
    assert listed(D.from_tensor_slices(PAIRS).map(above.of)) == [[5.0], [6.0]]


def test_files_of_images(tmp_path):
    for k in range(3):
        image = tf.fill([2 + k, 3, 3], tf.cast(51 * k, tf.uint8))
        tf.io.write_file(str(tmp_path / f"{k}.png"), tf.io.encode_png(image))

    @tf.function
    def load(path):
        image = tf.image.convert_image_dtype(tf.io.decode_png(tf.io.read_file(path), 3), tf.float32)
        name = tf.strings.split(tf.strings.split(path, "/")[-1], ".")[0]
        return tf.image.resize(image, [1, 1])[0, 0, 0], tf.strings.to_number(name, tf.int32)

    paths = [str(tmp_path / f"{k}.png") for k in range(3)]
    dataset = D.from_tensor_slices(paths).map(load, num_parallel_calls=tf.data.AUTOTUNE)
    assert dataset.element_spec == (tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.int32))
    assert [(round(level, 5), number) for level, number in listed(dataset)] == [(0.0, 0), (0.2, 1), (0.4, 2)]


def test_words():
    @tf.function
    def joined(text):
        result = tf.constant("")
        for word in tf.strings.split(text):
            result = tf.strings.join([result, word], "-")
        return result

    assert listed(D.from_tensor_slices(["a b", "c"]).map(joined)) == [b"-a-b", b"-c"]


def test_branches_and_loops():
    total = tf.function(lambda x: tf.reduce_sum(tf.unique(x)[0]))

    def function(x):
        found = 0.0
        for _ in tf.range(2):
            found += total(x)
        return found if x[0] > 2.0 else -total(x)

    assert listed(D.from_tensor_slices([[1.0, 1.0], [4.0, 6.0]]).map(function)) == [-1.0, 20.0]


def test_datasets_of_an_element():
    inner = tf.function(lambda x: D.from_tensor_slices(masked(x)))
    assert listed(D.from_tensor_slices(PAIRS).flat_map(inner)) == [5.0, 4.0, 6.0]


def test_random_numbers():
    tf.random.set_seed(3)
    drawn = tf.function(lambda x: masked(x) + tf.random.uniform([], seed=4))
    dataset = D.from_tensor_slices(PAIRS).map(lambda x: drawn(x) + tf.random.uniform([]))
    assert [[round(value, 5) for value in row] for row in listed(dataset)] == [[6.0511], [5.62291, 7.62291]]


def test_errors_of_an_element():
    @tf.function
    def function(x):
        if tf.reduce_sum(masked(x)) > 6.0:
            tf.debugging.assert_less(x, 5.0)
        return x

    dataset = D.from_tensor_slices([*PAIRS, [0.0, 1.0]]).map(function)
    assert outcomes(dataset, 4) == [[1.0, 5.0], "InvalidArgumentError", [0.0, 1.0], "end"]


def test_errors_of_python_keep_their_class():
    def refused(x):
        raise RuntimeError(f"mine {x.dtype.name}")

    with pytest.raises(RuntimeError, match="mine float32"):
        D.from_tensor_slices(PAIRS).map(tf.function(refused))
