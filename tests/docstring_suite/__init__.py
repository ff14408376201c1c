"""The examples in TensorFlow's docstrings, run on TensorFlow and on tfcompat."""
