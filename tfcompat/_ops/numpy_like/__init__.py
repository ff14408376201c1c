"""`tf.experimental.numpy`: NumPy's names and its promotion of dtypes, on TensorFlow's ops."""
