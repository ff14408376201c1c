"""The places of iterators, for checkpoints of TensorFlow and of this package."""
