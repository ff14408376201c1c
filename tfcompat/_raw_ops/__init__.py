"""TensorFlow's kernels by their own names: most are a public function with other names for its parameters."""
