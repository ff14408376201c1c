"""TensorFlow's private modules that programs and libraries import, whose names have public counterparts."""
