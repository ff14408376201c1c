"""`tf.compat.v1`: names of TensorFlow 1 that still mean something where operations run as they are called."""
