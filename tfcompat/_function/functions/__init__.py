"""`tf.function`, concrete functions, and the traces that they keep."""
