"""Random numbers from TensorFlow's streams, and random operations that use them."""
