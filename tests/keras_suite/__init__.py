"""Runs the tests of Keras on tfcompat, and compares the outcomes with those on TensorFlow."""
