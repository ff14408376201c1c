"""Functions for graphs in eager execution."""

from __future__ import annotations

import pytest

import tfcompat as tf


def test_execution_is_eager():
    assert tf.executing_eagerly() is True


def test_control_dependencies_hold_already():
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign_add(1.0)]) as entered:
        assert entered is None
        assert v.numpy() == 2.0
    with tf.control_dependencies(None):
        pass


@pytest.mark.parametrize("wrong", [3, lambda: None])
def test_control_dependencies_are_a_sequence(wrong):
    with pytest.raises(TypeError, match="object is not iterable"):
        tf.control_dependencies(wrong)


def test_operations_are_none():
    v = tf.Variable(1.0)
    assert tf.group(v.assign(2.0), name="both") is None
    assert v.numpy() == 2.0
    assert tf.no_op(name="nothing") is None


def test_group_refuses_other_keywords():
    with pytest.raises(ValueError, match="unknown keyword arguments inputs"):
        tf.function(tf.group)(inputs=[])
