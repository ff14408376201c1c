"""`tf.distribute`: strategies, and the contexts in which code runs."""
