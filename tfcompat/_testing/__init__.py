"""`tf.test`: test cases on unittest, gradient checks, benchmarks, and what the machine has."""
