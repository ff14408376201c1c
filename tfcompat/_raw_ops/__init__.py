"""TensorFlow's kernels by name: most are a public function with other parameter names."""
