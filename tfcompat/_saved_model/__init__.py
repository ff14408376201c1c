"""`tf.saved_model`: directories with the functions, the variables and the files of an object."""
