"""Random numbers, as TensorFlow's streams give them, and what is drawn with them."""
