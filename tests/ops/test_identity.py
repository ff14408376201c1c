"""Functions that return their input."""

from __future__ import annotations

import pytest

import tfcompat as tf

X = tf.constant([1.0, 2.0])


def test_stop_gradient_is_a_constant_factor():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.stop_gradient(X * X) * X
    assert tape.gradient(y, X).numpy().tolist() == [1.0, 4.0]


def test_composites_pass_part_by_part():
    rows = tf.IndexedSlices(X, tf.constant([0, 2]), tf.constant([3]))
    for function in (tf.identity, tf.stop_gradient):
        passed = function(rows)
        assert isinstance(passed, tf.IndexedSlices)
        assert tf.convert_to_tensor(passed).numpy().tolist() == [1, 0, 2]


def test_strings_pass():
    assert tf.identity("word").numpy() == b"word"


def test_identity_is_a_tensor_of_its_own():
    assert tf.identity(X) is not X


def test_ensure_shape_names_both_shapes():
    assert tf.ensure_shape(X, [None]).numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(2,\) is not compatible with the expected \(3,\)"):
        tf.ensure_shape(X, [3])


def test_guarantee_const_is_the_tensor_itself():
    assert tf.guarantee_const(tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 2.0]
