"""Bad values that are known while a function is traced: most raise only when the function runs and reaches the op."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

ROWS = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
LATE = {
    "gather": lambda: tf.gather(ROWS, [5]),
    "gather_along_axis": lambda: tf.gather(ROWS, [5], axis=1),
    "gather_of_integers": lambda: tf.gather(tf.shape(ROWS), 5),
    "gather_nd": lambda: tf.gather_nd(ROWS, [[7]]),
    "unsorted_segment_sum": lambda: tf.math.unsorted_segment_sum(ROWS, [0, 5, 1], 2),
    "tensor_scatter_nd_add": lambda: tf.tensor_scatter_nd_add(ROWS, [[9]], [[1.0, 1.0]]),
    "floordiv": lambda: tf.constant([1]) // tf.constant([0]),
    "floormod": lambda: tf.constant([1]) % tf.constant([0]),
    "invert_permutation": lambda: tf.math.invert_permutation([0, 0]),
    "cumsum": lambda: tf.cumsum(ROWS, 2),
    "cumprod": lambda: tf.math.cumprod(ROWS, -3),
    "cumulative_logsumexp": lambda: tf.math.cumulative_logsumexp(ROWS, 5),
    "reduce_sum_of_repeated_axes": lambda: tf.reduce_sum(ROWS, [0, 0]),
    "reduce_all_of_repeated_axes": lambda: tf.reduce_all(ROWS > 0.0, [1, -1]),
    "reduce_logsumexp_of_repeated_axes": lambda: tf.reduce_logsumexp(ROWS, [0, 0]),
    "transpose_of_repeated_axes": lambda: tf.transpose(ROWS, [0, 0]),
    "roll": lambda: tf.roll(ROWS, 1, 2),
    "ifftshift": lambda: tf.signal.ifftshift(ROWS, [2]),
    "one_hot": lambda: tf.one_hot([0, 1], 3, axis=2),
    "band_part": lambda: tf.linalg.band_part(ROWS, 4, 0),
    "slice_too_long": lambda: tf.slice(ROWS, [0, 0], [4, 1]),
    "slice_behind_the_end": lambda: tf.slice(ROWS, [4, 0], [1, 1]),
    "gather_with_other_batches": lambda: tf.gather(ROWS, [[0]], batch_dims=1),
    "searchsorted": lambda: tf.searchsorted(ROWS, ROWS[:2]),
    "sparse_reduce_sum": lambda: tf.sparse.reduce_sum(tf.sparse.from_dense(ROWS), 2),
    "sparse_split": lambda: tf.sparse.split(tf.sparse.from_dense(ROWS), 4, 0)[0].values,
}
EARLY = {
    "assert_positive": lambda: tf.debugging.assert_positive([-1.0]),
    "assert_equal": lambda: tf.debugging.assert_equal([1], [2]),
    "assert_near": lambda: tf.debugging.assert_near([1.0], [2.0]),
    "check_numerics": lambda: tf.debugging.check_numerics([np.nan], "bad"),
    "segment_sum": lambda: tf.math.segment_sum(ROWS, [1, 0, 2]),
    "bincount": lambda: tf.math.bincount([-1, 2]),
    "confusion_matrix": lambda: tf.math.confusion_matrix([5], [0], 2),
    "reverse_sequence": lambda: tf.reverse_sequence(ROWS, [1, 2, 1], seq_axis=-1, batch_axis=0),
    "segment_sum_of_other_rows": lambda: tf.math.segment_sum(ROWS, [0, 1]),
    "softmax": lambda: tf.nn.softmax(ROWS, 2),
    "log_softmax": lambda: tf.nn.log_softmax(ROWS, -3),
}
WHILE_TRACED = {
    "reduce_sum": lambda: tf.reduce_sum(ROWS, 2),
    "argmax": lambda: tf.argmax(ROWS, 2),
    "one_hot": lambda: tf.one_hot([0, 1], 3, axis=-2),
    "reverse_sequence": lambda: tf.reverse_sequence(ROWS, [1, 2, 1], seq_axis=2, batch_axis=0),
    "transpose": lambda: tf.transpose(ROWS, [0, 2]),
    "tensordot": lambda: tf.tensordot(ROWS, ROWS, [[-3], [0]]),
    "reduce_join": lambda: tf.strings.reduce_join([["a", "b"]], 2),
    "unique": lambda: tf.unique([[1, 2]])[0],
}


@pytest.mark.parametrize("name", [*LATE, *EARLY])
def test_error_keeps_its_class(name):
    op = (LATE | EARLY)[name]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.convert_to_tensor(tf.function(lambda: op())()).numpy()


@pytest.mark.parametrize("name", LATE)
def test_branch_that_is_not_taken_refuses_nothing(name):
    @tf.function
    def guarded(is_taken):
        return tf.cond(is_taken, lambda: tf.reduce_sum(tf.cast(LATE[name](), tf.float32)), lambda: -1.0)

    assert float(guarded(tf.constant(False))) == -1.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        guarded(tf.constant(True)).numpy()


@pytest.mark.parametrize("name", WHILE_TRACED)
def test_axis_that_is_refused_while_traced_is_a_value_error(name):
    with pytest.raises(ValueError, match=r"\S"):
        tf.function(lambda: WHILE_TRACED[name]()).get_concrete_function()


LAYER = {
    "cumsum": (lambda x: tf.cumsum(x, 5), tf.errors.InvalidArgumentError),
    "softmax": (lambda x: tf.nn.softmax(x, 5), tf.errors.InvalidArgumentError),
    "matmul": (lambda x: x @ x, ValueError),
    "add": (lambda x: x + tf.constant(1), TypeError),
}


@pytest.mark.parametrize("name", LAYER)
def test_layers_keep_the_class(name):
    """Keras catches the error, and raises it again with a longer message."""
    function, error = LAYER[name]

    class Layer(tf.keras.layers.Layer):
        def call(self, x):
            return function(x)

    with pytest.raises(error, match=r"encountered|Op:"):
        tf.function(Layer())(ROWS).numpy()


def test_softmax_layer_keeps_the_class():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(tf.keras.layers.Softmax(axis=5))(ROWS)
