"""Joining and cutting at their corners."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

Z = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def test_concat_takes_the_dtype_of_the_first_tensor():
    assert tf.concat([[[1, 2]], Z], 0).dtype == tf.float32
    assert tf.concat([[1, 2], [3]], 0).dtype == tf.int32
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.concat([Z, tf.cast(Z, tf.float64)], 0)


def test_concat_of_scalars_or_nothing_is_refused():
    for values in ([1, 2], []):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.concat(values, 0)


def test_concat_says_that_the_values_come_first():
    with pytest.raises(ValueError, match="values come first"):
        tf.concat(0, [Z, Z])


def test_concat_of_one_tensor_is_that_tensor():
    assert tf.concat(Z, 1).numpy().tolist() == Z.numpy().tolist()


def test_stack_of_a_tensor_moves_its_first_axis():
    assert tf.stack(Z, axis=1).numpy().tolist() == Z.numpy().T.tolist()
    assert tf.stack([1, 2.5]).numpy().tolist() == [1.0, 2.5]


def test_stack_of_arrays_without_elements_along_an_inner_axis_has_their_dtype():
    nothing = np.zeros(0, np.int32)
    assert tf.stack([nothing, nothing], 1).dtype == tf.int32
    assert tf.stack([nothing, nothing], -1).shape == (0, 2)
    assert tf.stack([nothing, nothing]).dtype == tf.float32
    assert tf.stack([[], []], 1).dtype == tf.float32
    assert tf.gather_nd(Z, tf.stack([nothing, nothing], 1)).shape == (0,)


def test_stack_and_unstack_refuse_an_axis_with_a_value_error():
    with pytest.raises(ValueError, match=r"tf\.stack: axis"):
        tf.stack([Z, Z], axis=3)
    with pytest.raises(ValueError, match=r"tf\.unstack: axis"):
        tf.unstack(Z, axis=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="num"):
        tf.unstack(Z, num=4)


def test_split_fills_in_one_size():
    assert [part.shape[0] for part in tf.split(Z, [1, -1])] == [1, 2]
    for sizes in (2, 0, [1, 1], [4, -1], [-1, -1]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.split(Z, sizes)


def test_gradient_of_unstack_is_zero_where_nothing_was_used():
    with tf.GradientTape() as tape:
        tape.watch(Z)
        first, _, last = tf.unstack(Z)
        y = first * last
    np.testing.assert_array_equal(tape.gradient(y, Z).numpy(), [[5, 6], [0, 0], [1, 2]])


@pytest.mark.parametrize("values", [[[1], [1, 2]], [1, [1]]])
def test_stack_of_lists_of_other_sizes(values):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.stack(values)
    with pytest.raises(ValueError, match=r"hape"):
        tf.function(lambda: tf.stack(values))()


def test_stack_of_lists_of_other_dtypes():
    with pytest.raises(TypeError):
        tf.stack([[1], 1.5])


@pytest.mark.parametrize("axis", [np.array([0, 1]), np.zeros([0], np.int32)], ids=str)
@pytest.mark.parametrize("make", [np.asarray, tf.constant], ids=["array", "tensor"])
def test_concat_along_several_axes_is_refused(axis, make):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.concat([tf.zeros([2, 3]), tf.zeros([2, 3])], make(axis))
    assert tf.concat([tf.zeros([2, 3]), tf.zeros([2, 3])], make([1])).shape == (2, 6)


def test_concat_of_one_tensor_ignores_the_axis():
    assert tf.concat([3], 0).numpy() == 3
    assert tf.concat([tf.zeros([2])], 5).shape == (2,)
    v = tf.Variable([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        y = tf.concat([tf.gather(v, [1, 1])], 0)
    assert tape.gradient(y, v).indices.numpy().tolist() == [1, 1]


def test_list_of_tensors_is_cast_to_the_dtype_of_tensors_beside_it():
    few, long = tf.constant([1]), tf.constant(3, tf.int64)
    found = (
        *(tf.concat([few, (long,)], 0), tf.concat([(long,), few], 0), tf.concat([few, [long, 4]], 0)),
        *(tf.concat([tf.constant([1.0]), [long]], 0), tf.concat([[long], [2]], 0), tf.add(few, [long]), [long] - few),
    )
    assert [(each.dtype.name, each.numpy().tolist()) for each in found] == [
        *(("int32", [1, 3]), ("int32", [3, 1]), ("int32", [1, 3, 4])),
        *(("float32", [1.0, 3.0]), ("int64", [3, 2]), ("int32", [4]), ("int32", [2])),
    ]
