"""Functions of rows: `tf.map_fn`, `tf.scan`, `tf.foldl`, `tf.foldr`, `tf.vectorized_map`."""
