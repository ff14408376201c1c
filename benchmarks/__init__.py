"""The same training step under TensorFlow, tfcompat and hand-written JAX: see `benchmarks.run`."""
