"""`tf.version`: the version of TensorFlow whose names and behaviour these are."""

__all__ = ["VERSION"]

VERSION = "2.21.0"
