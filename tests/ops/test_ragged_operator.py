"""Python's operators between ragged tensors, tensors and numbers, and functions that do not accept ragged tensors."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

ROWS = tf.ragged.constant([[1, 2], [3], []])
FLOATS = tf.ragged.constant([[1.0, 2.5], [3.0], []])
FLAGS = tf.ragged.constant([[True, False], [True], []])
WORDS = tf.ragged.constant([["a", "b"], ["c"], []])
COLUMN = tf.constant([[1], [2], [3]])


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (lambda: ROWS + 1, [[2, 3], [4], []]),
        (lambda: 2 - ROWS, [[1, 0], [-1], []]),
        (lambda: ROWS * ROWS, [[1, 4], [9], []]),
        (lambda: 4 / FLOATS, [[4.0, 1.6], [4 / 3], []]),
        (lambda: ROWS // 2, [[0, 1], [1], []]),
        (lambda: 5 % ROWS, [[0, 1], [2], []]),
        (lambda: FLOATS**2.0, [[1.0, 6.25], [9.0], []]),
        (lambda: abs(-ROWS), [[1, 2], [3], []]),
        (lambda: ROWS < 2, [[True, False], [False], []]),
        (lambda: ROWS >= ROWS, [[True, True], [True], []]),
        (lambda: ROWS == 2, [[False, True], [False], []]),
        (lambda: ROWS != ROWS, [[False, False], [False], []]),
        (lambda: ~FLAGS, [[False, True], [False], []]),
        (lambda: FLAGS & True, [[True, False], [True], []]),
        (lambda: False | FLAGS, [[True, False], [True], []]),
        (lambda: FLAGS ^ FLAGS, [[False, False], [False], []]),
        (lambda: ROWS + COLUMN, [[2, 3], [5], []]),
        (lambda: COLUMN - ROWS, [[0, -1], [-1], []]),
        (lambda: COLUMN == ROWS, [[True, False], [False], []]),
        (lambda: tf.constant(2) < ROWS, [[False, False], [True], []]),
        (lambda: ROWS + [[1], [2], [3]], [[2, 3], [5], []]),  # noqa: RUF005  # an operator of ragged tensors
        (lambda: ROWS + np.array([[1], [2], [3]]), [[2, 3], [5], []]),
        (lambda: WORDS + "x", [[b"ax", b"bx"], [b"cx"], []]),
        (lambda: WORDS == "a", [[True, False], [False], []]),
        (lambda: tf.Variable(2) * ROWS, [[2, 4], [6], []]),
    ],
)
def test_operators(result, expected):
    found = result()
    assert isinstance(found, tf.RaggedTensor)
    assert [len(row) for row in found.to_list()] == [len(row) for row in expected]
    for row, wanted in zip(found.to_list(), expected, strict=True):
        assert row == pytest.approx(wanted) if found.dtype.is_floating else row == wanted


def test_equality_with_none_is_python_s():
    assert (ROWS == None) is False  # noqa: E711
    assert (ROWS != None) is True  # noqa: E711


@pytest.mark.parametrize(
    "result",
    [
        lambda: ROWS + tf.constant([1, 2]),
        lambda: ROWS + tf.ragged.constant([[1, 2], [3]]),
        lambda: ROWS + tf.ragged.constant([[1], [3, 4], []]),
        lambda: ROWS + tf.ragged.constant([[1], [2], [3]]),
        lambda: ROWS + tf.ragged.constant([[[1, 2], [3]], [], [[4]]]),
        lambda: ROWS + 1.5,
        lambda: ROWS + FLOATS,
        lambda: ROWS + "a",
    ],
)
def test_rows_of_other_lengths_and_dtypes_are_refused(result):
    with pytest.raises(tf.errors.InvalidArgumentError):
        result()


@pytest.mark.parametrize(
    "refusing",
    [
        *(tf.argmax, tf.sort, tf.argsort, tf.transpose, tf.unique, tf.linalg.norm, tf.sequence_mask, tf.unstack),
        *(tf.nn.log_softmax, tf.math.count_nonzero, tf.math.reduce_euclidean_norm, tf.math.top_k),
        lambda rows: tf.pad(rows, [[0, 1], [0, 0]]),
        lambda rows: tf.ensure_shape(rows, [3, None]),
        lambda rows: tf.boolean_mask(rows, [True, False, True]),
        lambda rows: tf.repeat(rows, 2, axis=0),
    ],
)
def test_functions_that_take_dense_tensors_only_say_so(refusing):
    with pytest.raises(ValueError, match="RaggedTensor"):
        refusing(FLOATS)


def test_splits_of_two_types_do_not_meet():
    with pytest.raises(ValueError, match="with_row_splits_dtype"):
        ROWS + ROWS.with_row_splits_dtype(tf.int32)


def test_gradient_of_a_dense_operand_is_summed_over_its_row():
    column, values = tf.Variable([[1.0], [2.0], [3.0]]), tf.constant([1.0, 2.0, 3.0])
    rows = tf.RaggedTensor.from_row_lengths(values, [2, 1, 0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(rows * column)
    np.testing.assert_array_equal(tf.convert_to_tensor(tape.gradient(y, column)), [[3.0], [3.0], [0.0]])


@pytest.mark.parametrize("name", ["bessel_i0", "special.bessel_k1e", "special.dawsn", "special.fresnel_sin"])
def test_special_functions_apply_to_values(name):
    function = tf.math
    for part in name.split("."):
        function = getattr(function, part)
    found = function(FLOATS)
    assert found.row_splits.numpy().tolist() == [0, 2, 3, 3]
    np.testing.assert_allclose(found.flat_values, function(FLOATS.flat_values), rtol=1e-6)


def test_numbers_are_checked():
    assert tf.debugging.check_numerics(FLOATS, "numbers").to_list() == FLOATS.to_list()
    with pytest.raises(tf.errors.InvalidArgumentError, match="numbers"):
        tf.debugging.check_numerics(FLOATS / 0.0, "numbers")


def test_rows_of_segment_ids_are_those_of_the_data():
    total = tf.math.unsorted_segment_sum(ROWS, tf.ragged.constant([[0, 1], [0], []]), 2)
    assert total.numpy().tolist() == [4, 2]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.unsorted_segment_sum(ROWS, tf.ragged.constant([[0], [0, 1], []]), 2)
    with pytest.raises(ValueError, match="int64 and int32"):
        tf.math.unsorted_segment_sum(ROWS, tf.ragged.constant([[0, 1], [0], []], row_splits_dtype=tf.int32), 2)


def test_arrays_that_a_function_of_values_returns_become_tensors():
    doubled = tf.ragged.map_flat_values(lambda values: values.numpy() * 2, ROWS)
    assert (doubled.to_list(), doubled.dtype) == ([[2, 4], [6], []], tf.int32)
