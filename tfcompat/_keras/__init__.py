"""Private names of TensorFlow that Keras' TensorFlow backend uses."""
