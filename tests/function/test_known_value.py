"""Bad values that are known while a function is traced: they raise only when the function runs and reaches the op."""

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
}
EARLY = {
    "assert_positive": lambda: tf.debugging.assert_positive([-1.0]),
    "assert_equal": lambda: tf.debugging.assert_equal([1], [2]),
    "assert_near": lambda: tf.debugging.assert_near([1.0], [2.0]),
    "check_numerics": lambda: tf.debugging.check_numerics([np.nan], "bad"),
    "segment_sum": lambda: tf.math.segment_sum(ROWS, [1, 0, 2]),
    "bincount": lambda: tf.math.bincount([-1, 2]),
    "confusion_matrix": lambda: tf.math.confusion_matrix([5], [0], 2),
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
