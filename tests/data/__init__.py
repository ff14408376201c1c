"""Tests of `tf.data`, and of files and their formats."""
