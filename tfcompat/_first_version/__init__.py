"""`tf.compat.v1`: names of TensorFlow 1 that are still useful when operations run eagerly."""
