"""One file a workload: `build(tf)` in plain TensorFlow, `build_jax(jax)` by hand, from the same initial values."""
