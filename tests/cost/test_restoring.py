"""Restoring a checkpoint computes nothing."""

import pytest

import tfcompat as tf


def test_initial_values_that_are_replaced_are_not_computed(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(str(tmp_path / "ck"))
    v = tf.Variable(tf.zeros([2]) + 3.0)
    with tf.counted() as counts:
        tf.train.Checkpoint(v=v).read(path).assert_consumed()
        assert v.numpy().tolist() == [1.0, 2.0]
    assert (counts.flushes, counts.compiles) == (0, 0)


def test_values_before_are_computed_where_something_else_reads_them(tmp_path):
    v = tf.Variable([1.0, 2.0])
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.write(str(tmp_path / "ck"))
    v.assign(v * 5.0)
    read, derived = v.read_value(), v + 1.0
    checkpoint.read(path).assert_consumed()
    assert v.numpy().tolist() == [1.0, 2.0]
    assert read.numpy().tolist() == [5.0, 10.0]
    assert derived.numpy().tolist() == [6.0, 11.0]


def test_error_of_a_value_before_leaves_the_restored_value(tmp_path):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0])
    path = tf.train.Checkpoint(v=v).write(str(tmp_path / "ck"))
    w.assign(tf.gather([1.0], tf.cast(w, tf.int32)))
    v.assign(v * w)
    tf.train.Checkpoint(v=v).read(path).assert_consumed()
    with pytest.raises(tf.errors.InvalidArgumentError):
        w.numpy()
    assert v.numpy().tolist() == [1.0, 2.0]
    assert w.numpy().tolist() == [3.0]
