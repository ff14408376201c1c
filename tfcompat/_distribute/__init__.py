"""`tf.distribute`: strategies for one device, and the contexts in which code runs."""
