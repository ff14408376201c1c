"""`tf.version`: the version of TensorFlow whose names and behaviour these are."""

VERSION = "2.21.0"
