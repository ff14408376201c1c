"""User-defined handlers that replace TensorFlow's functions for composite arguments, mostly extension types."""
