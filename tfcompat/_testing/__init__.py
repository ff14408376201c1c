"""`tf.test`: test cases on unittest, gradient checks, benchmarks, and properties of the machine."""
