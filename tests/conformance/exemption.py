"""What the conformance tests leave out, each with its reason."""

from __future__ import annotations

# Public functions that are no ops, or whose tests stand elsewhere.
EXEMPT: dict[str, str] = {
    "autograph.experimental.do_not_convert": "tests/function/test_autograph_conversion.py",
    "autograph.experimental.set_loop_options": "tests/function/test_autograph_loop.py",
    "autograph.set_verbosity": "tests/function/test_autograph_conversion.py",
    "autograph.to_code": "tests/function/test_autograph_conversion.py",
    "autograph.to_graph": "tests/function/test_autograph_conversion.py",
    "autograph.trace": "tests/function/test_autograph_conversion.py",
    "batch_to_space": "tests/ops/test_block.py",
    "broadcast_static_shape": "tests/ops/test_creation.py",
    "debugging.assert_all_finite": "tests/ops/test_debugging.py",
    "guarantee_const": "tests/ops/test_identity.py",
    "histogram_fixed_width_bins": "tests/ops/test_counting.py",
    "nn.space_to_batch": "tests/ops/test_block.py",
    "space_to_batch": "tests/ops/test_block.py",
    "space_to_batch_nd": "tests/ops/test_block.py",
    "case": "tests/function/test_cond.py",
    "cond": "tests/function/test_cond.py",
    "control_dependencies": "tests/state/test_execution.py",
    "custom_gradient": "tests/autodiff/test_custom_gradient.py",
    "device": "tests/dropin/test_device.py",
    "eig": "the phases of vectors and the order of values are free: tests/ops/test_linear_algebra.py",
    "eigvals": "the phases of vectors and the order of values are free: tests/ops/test_linear_algebra.py",
    "foldl": "tests/function/test_row.py",
    "foldr": "tests/function/test_row.py",
    "function": "tests/function",
    "gradients": "tests/function/test_gradients.py",
    "hessians": "tests/function/test_gradients.py",
    "inside_function": "tests/function/test_function.py",
    "get_current_name_scope": "tests/state/test_scope.py",
    "get_logger": "tests/dropin/test_logger.py",
    "grad_pass_through": "tests/autodiff/test_custom_gradient.py",
    "group": "tests/state/test_execution.py",
    "init_scope": "tests/autodiff/test_suspension.py",
    "linalg.eig": "the phases of vectors and the order of values are free: tests/ops/test_linear_algebra.py",
    "linalg.eigh": "the phases of vectors and the order of values are free: tests/ops/test_linear_algebra.py",
    "linalg.eigvals": "the phases of vectors and the order of values are free: tests/ops/test_linear_algebra.py",
    "map_fn": "tests/function/test_row.py",
    "nn.dropout": "tests/state/test_random.py",
    "no_op": "tests/state/test_execution.py",
    "numpy_function": "tests/function/test_python_call.py",
    "py_function": "tests/function/test_python_call.py",
    "print": "tests/ops/test_printing.py",
    "random.categorical": "tests/state/test_random.py",
    "random.create_rng_state": "tests/state/test_generator.py",
    "random.experimental.create_rng_state": "tests/state/test_generator.py",
    "random.experimental.get_global_generator": "tests/state/test_generator.py",
    "random.experimental.set_global_generator": "tests/state/test_generator.py",
    "random.gamma": "tests/state/test_random.py",
    "random.get_global_generator": "tests/state/test_generator.py",
    "random.normal": "tests/state/test_random.py",
    "random.poisson": "tests/state/test_random.py",
    "random.set_global_generator": "tests/state/test_generator.py",
    "random.set_seed": "tests/state/test_random.py",
    "random.shuffle": "tests/state/test_random.py",
    "random.truncated_normal": "tests/state/test_random.py",
    "random.uniform": "tests/state/test_random.py",
    "recompute_grad": "tests/autodiff/test_recompute.py",
    "signal.fftnd": "TensorFlow has no kernel: tests/ops/test_fourier.py",
    "signal.ifftnd": "TensorFlow has no kernel: tests/ops/test_fourier.py",
    "signal.inverse_stft_window_fn": "tests/ops/test_spectrogram.py",
    "signal.irfftnd": "TensorFlow has no kernel: tests/ops/test_fourier.py",
    "signal.rfftnd": "TensorFlow has no kernel: tests/ops/test_fourier.py",
    "scan": "tests/function/test_row.py",
    "switch_case": "tests/function/test_cond.py",
    "vectorized_map": "tests/function/test_row.py",
    "while_loop": "tests/function/test_while_loop.py",
}

# Rows of the list of cases whose op is not there yet.
PLANNED: dict[str, str] = {
    "image.extract_patches": "with tf.image",
}

# Callables whose parameters differ from TensorFlow's.
SIGNATURE: dict[str, str] = {
    "DType": "dtypes are not made by users",
    "Tensor": "tensors are not made by users",
    "dtypes.DType": "dtypes are not made by users",
}

# Public names at the top level that TensorFlow does not have.
OWN: dict[str, str] = {
    "config": "holds our settings beside TensorFlow's functions: tests/dropin/test_device.py",
    "counted": "what the recorder did in a context",
    "counters": "what the recorder did",
    "from_jax": "a JAX function as an op: tests/function/test_jax_function.py",
    "install_as_tensorflow": "tests/dropin/test_alias.py",
    "listing_of": "a trace as a readable program",
    "sync": "computes what is pending",
}
