"""Functions of elements in which open sizes meet sizes that are known."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import listed, outcomes

D = tf.data.Dataset
FLOATS = tf.TensorSpec([None], tf.float32)
INVALID = "InvalidArgumentError"
ROW = [1.0, 2.0, 3.0]
FOUR = [1.0, 2.0, 3.0, 4.0]
THREE = np.float32(ROW)


def rows(*values):
    return D.from_generator(lambda: (np.float32(row) for row in values), output_signature=FLOATS)


def arrays(dims, *shapes):
    spec = tf.TensorSpec(dims, tf.float32)
    return D.from_generator(lambda: (np.ones(shape, np.float32) for shape in shapes), output_signature=spec)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + ROW,
        lambda x: ROW + x,
        lambda x: tf.add(x, ROW),
        lambda x: x + THREE,
        lambda x: THREE + x,
        lambda x: x + tf.constant(THREE),
    ],
    ids=["list", "list before", "add", "array", "array before", "tensor"],
)
def test_sums_with_a_row_of_three(function):
    dataset = rows([1, 2, 3], [4], [5, 6], [7, 8, 9]).map(function)
    assert dataset.element_spec == tf.TensorSpec([3], tf.float32)
    assert outcomes(dataset, 5) == [[2.0, 4.0, 6.0], [5.0, 6.0, 7.0], INVALID, [8.0, 10.0, 12.0], "end"]


def test_images_are_normalized():
    images = arrays([None, None, None], (2, 1, 3), (1, 2, 3))
    dataset = images.map(lambda image: (image - [0.5, 0.5, 0.0]) / np.float32([0.5, 0.25, 1.0]))
    assert dataset.element_spec == tf.TensorSpec([None, None, 3], tf.float32)
    assert listed(dataset) == [[[[1.0, 2.0, 1.0]]] * 2, [[[1.0, 2.0, 1.0]] * 2]]


def test_reshape_of_another_size_is_the_error_of_the_element():
    dataset = rows([1, 2, 3, 4], [5, 6], [7, 8, 9, 10]).map(lambda x: tf.reshape(x, [2, 2]))
    assert dataset.element_spec == tf.TensorSpec([2, 2], tf.float32)
    assert outcomes(dataset, 4) == [[[1.0, 2.0], [3.0, 4.0]], INVALID, [[7.0, 8.0], [9.0, 10.0]], "end"]


def test_errors_of_sizes_in_the_middle_of_a_block():
    dataset = D.range(40).map(lambda n: tf.ones([4 + tf.cast(n == 20, tf.int32)]))
    found = outcomes(dataset.map(lambda x: tf.reduce_sum(tf.reshape(x, [2, 2]))), 41)
    assert found == [INVALID if n == 20 else 4.0 for n in range(40)] + ["end"]


def test_sizes_that_add_up_to_a_fixed_one():
    def padded(x):
        return tf.concat([x, tf.zeros(4 - tf.size(x))], 0) + FOUR

    found = listed(rows([1, 2, 3], [4], [5, 6], [7, 8, 9, 10]).map(padded))
    assert found == [[2, 4, 6, 4], [5, 2, 3, 4], [6, 8, 3, 4], [8, 10, 12, 14]]


def test_branches_that_no_program_can_run_for_open_sizes():
    def function(x):
        return tf.cond(tf.size(x) > 2, lambda: x - ROW, lambda: tf.pad(x, [[0, 1]]))

    dataset = rows([1, 2, 3], [4], [5, 6], [7, 8, 9, 10]).map(function)
    assert outcomes(dataset, 5) == [[0.0, 0.0, 0.0], [4.0, 0.0], [5.0, 6.0, 0.0], INVALID, "end"]


def test_branches_of_strings_of_pairs_that_broadcast():
    def function(x, y):
        text = tf.strings.as_string
        return tf.cond(tf.size(x) > 1, lambda: text(x + y, precision=0), lambda: text(x, precision=0))

    pairs = D.zip(rows([1, 2, 3], [4], [5, 6]), rows([1], [4, 5], [1, 2]))
    assert listed(pairs.map(function)) == [[b"2", b"3", b"4"], [b"4"], [b"6", b"8"]]


def test_branches_return_tensors_for_every_size():
    def function(x):
        factor = tf.cond(tf.size(x) > 1, lambda: 2.0, lambda: 3.0)
        assert factor.shape == []
        return x[: tf.maximum(1, tf.size(x) - 1)] * factor

    assert listed(rows([1, 2, 3], [4], [5, 6]).map(function)) == [[2.0, 4.0], [12.0], [10.0]]


@tf.autograph.experimental.do_not_convert
def divided(image):
    red, green, blue = tf.split(image, 3, axis=-1)
    return tf.concat([blue - 1, green, red], -1), tf.unstack(image, 3, -1)[2]


def test_functions_that_autograph_does_not_convert():
    found = listed(arrays([None, None, None], (1, 1, 3), (1, 2, 3)).map(divided))
    assert found == [([[[0.0, 1.0, 1.0]]], [[1.0]]), ([[[0.0, 1.0, 1.0]] * 2], [[1.0, 1.0]])]


def test_axes_of_size_one_are_removed():
    dataset = arrays([None, None], (1, 2), (2, 1), (1, 3)).map(lambda x: tf.squeeze(x, 0))
    assert dataset.element_spec == tf.TensorSpec([None], tf.float32)
    assert outcomes(dataset, 4) == [[1.0, 1.0], INVALID, [1.0, 1.0, 1.0], "end"]


def test_parts_of_an_open_axis():
    dataset = arrays([None, None], (2, 1), (3, 1), (2, 2)).map(lambda x: tuple(tf.unstack(x, num=2)))
    assert outcomes(dataset, 4) == [([1.0], [1.0]), INVALID, ([1.0, 1.0], [1.0, 1.0]), "end"]


def test_equality():
    dataset = rows([1, 2, 3], [2], [3, 4]).map(lambda x: (x == tf.constant(THREE), x != tf.constant(THREE)))
    assert dataset.element_spec == (tf.TensorSpec(None, tf.bool),) * 2
    assert listed(dataset) == [
        ([True, True, True], [False, False, False]),
        ([False, True, False], [True, False, True]),
        (False, True),
    ]
    pairs = D.zip(rows([1, 2], [3, 4]), rows([1, 3], [4]))
    dataset = pairs.map(lambda x, y: x == y)
    assert dataset.element_spec == tf.TensorSpec([None], tf.bool)
    assert listed(dataset) == [[True, False], [False, True]]


@pytest.mark.parametrize("method", ["assign", "assign_add"])
def test_assignments(method):
    variable = tf.Variable([0.0, 0.0, 0.0])
    dataset = rows([1, 2, 3], [4, 5], [1, 1, 1]).map(lambda x: getattr(variable, method)(x) + 1)
    assert dataset.element_spec == tf.TensorSpec([3], tf.float32)
    sums = [[2.0, 3.0, 4.0], INVALID, [2.0, 2.0, 2.0] if method == "assign" else [3.0, 4.0, 5.0], "end"]
    assert outcomes(dataset, 4) == sums
    assert variable.numpy().tolist() == [value - 1 for value in sums[2]]


def test_rows_of_computed_lengths():
    def ragged(x):
        return tf.RaggedTensor.from_row_lengths(tf.range(tf.size(x)), [1, tf.size(x) - 1]).to_tensor()

    assert listed(rows([1, 2, 3], [4]).map(ragged)) == [[[0, 0], [1, 2]], [[0], [0]]]


@pytest.mark.parametrize(
    ("function", "size", "found"),
    [
        (lambda x: tf.concat([x, [9.0]], 0) * FOUR, 4, [1.0, 4.0, 9.0, 36.0]),
        (lambda x: tf.pad(x, [[0, tf.maximum(0, 4 - tf.size(x))]]) * FOUR, 4, [1.0, 4.0, 9.0, 0.0]),
        (lambda x: tf.split(x, [1, 2])[1], 2, [2.0, 3.0]),
        (lambda x: tf.stack([x, ROW])[:, 0] + tf.stack([x, ROW])[:, 1], 2, [3.0, 3.0]),
        (lambda x: tf.linalg.matvec([ROW, [1.0, 1.0, 1.0]], x), 2, [14.0, 6.0]),
        (lambda x: tf.reshape(x, [-1, 3])[0], 3, ROW),
        (lambda x: tf.RaggedTensor.from_row_lengths(x, [1, 2]).to_tensor()[:, 0], 2, [1.0, 2.0]),
        (lambda x: tf.RaggedTensor.from_row_splits(x, [0, 2, 3]).to_tensor()[:, 0], 2, [1.0, 3.0]),
        (lambda x: tf.sparse.to_dense(tf.SparseTensor([[0], [2], [3]], x, [4])), 4, [1.0, 0.0, 2.0, 3.0]),
    ],
    ids=["concat", "pad", "split", "stack", "matvec", "reshape", "row lengths", "row splits", "sparse"],
)
def test_one_size_fits(function, size, found):
    dataset = rows([1, 2, 3], [4, 5, 6, 7, 8], [1, 2, 3]).map(function)
    assert dataset.element_spec == tf.TensorSpec([size], tf.float32)
    assert outcomes(dataset, 4) == [found, INVALID, found, "end"]


def test_sparse_tensors_of_an_open_size():
    dataset = rows([1, 2], [3]).map(lambda x: tf.SparseTensor([[0], [2]], x, [4]))
    assert dataset.element_spec == tf.SparseTensorSpec([4], tf.float32)
    assert outcomes(dataset.map(tf.sparse.to_dense), 3) == [[1.0, 0.0, 2.0, 0.0], INVALID, "end"]


def test_parts_of_variables():
    weights = tf.Variable(FOUR)
    dataset = rows([1, 2, 3], [4]).map(lambda x: weights[: tf.size(x)] * x)
    assert dataset.element_spec == FLOATS
    assert listed(dataset) == [[1.0, 4.0, 9.0], [4.0]]


@pytest.mark.parametrize(
    ("function", "dims", "found"),
    [
        (lambda x: tf.squeeze(x[:1]), None, [1.0, 4.0, []]),
        (lambda x: tf.zeros(tf.shape(x[:2])), [None], [[0.0, 0.0], [0.0], []]),
        (lambda x: tf.ones([2]) * tf.cast(tf.shape(x[:2])[0], tf.float32), [2], [[2.0, 2.0], [1.0, 1.0], [0.0, 0.0]]),
    ],
    ids=["squeeze", "zeros", "size"],
)
def test_short_rows_widen_the_type(function, dims, found):
    dataset = rows([1, 2, 3], [4], []).map(function)
    assert dataset.element_spec.shape.rank == (None if dims is None else 1)
    if dims is not None:
        assert dataset.element_spec.shape.as_list() == dims
    assert listed(dataset) == found


def test_short_rows_widen_the_type_of_each_result():
    dataset = rows([1, 2, 3], [4]).map(lambda x: ("text", x, tf.zeros(tf.shape(x[:2])), 1))
    kinds = tf.TensorSpec([], tf.string), FLOATS, FLOATS, tf.TensorSpec([], tf.int32)
    assert dataset.element_spec == kinds
    assert listed(dataset) == [(b"text", ROW, [0.0, 0.0], 1), (b"text", [4.0], [0.0], 1)]


def test_large_numbers_are_not_tried_one_by_one():
    dataset = rows([1, 2, 3])
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        list(dataset.map(lambda x: tf.split(tf.concat([x, [9.0]], 0), [1, 1_000_000_000])))


def padded_rows(count, length=3):
    """Rows of ones, filled up to `length`."""
    return tf.map_fn(
        lambda k: tf.pad(tf.ones([k, 2]), [[0, length - k], [0, 0]]),
        tf.stack([count, count - 1]),
        fn_output_signature=tf.TensorSpec([3, 2], tf.float32),
    )


def test_rows_of_a_declared_shape():
    counts = tf.data.Dataset.from_tensor_slices(tf.constant([2, 3]))
    dataset = counts.map(padded_rows)
    assert dataset.element_spec.shape == [2, 3, 2]
    assert [rows.numpy().sum() for rows in dataset] == [6, 10]
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(counts.map(lambda count: padded_rows(count, 4)))
