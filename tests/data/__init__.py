"""Tests of `tf.data`."""
