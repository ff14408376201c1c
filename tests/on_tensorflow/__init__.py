"""The tests, run on TensorFlow: `make oracle`."""
