"""The ops of the registry that run only in programs for known sizes."""

from __future__ import annotations

# The shapes of their arrays follow from arguments, or no array of their cases has an axis of several elements.
SIZELESS = frozenset(
    (
        "RaggedTensor.row_lengths",
        "RaggedTensor.value_rowids",
        "experimental.numpy.eye",
        "experimental.numpy.tri",
        "eye",
        "fill",
        "linspace",
        "math.invert_permutation",
        "nn.depth_to_space",
        "ones",
        "random.log_uniform_candidate_sampler",
        "random.uniform_candidate_sampler",
        "range",
        "signal.hamming_window",
        "signal.hann_window",
        "signal.kaiser_bessel_derived_window",
        "signal.kaiser_window",
        "signal.vorbis_window",
        "unique",
        "where",
        "zeros",
    )
)
# Their code, or that of their gradients, needs a size as a number; or their computation has no rule for padded arrays.
UNPADDED = frozenset(
    (
        "broadcast_to",
        "compat.v1.image.resize_area",
        "compat.v1.image.resize_bicubic",
        "compat.v1.image.resize_bilinear",
        "compat.v1.image.resize_nearest_neighbor",
        "image.combined_non_max_suppression",
        "image.extract_glimpse",
        "image.non_max_suppression_padded",
        "linalg.cholesky_solve",
        "linalg.eigh_tridiagonal",
        "linalg.logm",
        "linalg.lstsq",
        "linalg.matrix_rank",
        "linalg.pinv",
        "linalg.svd",
        "linalg.tensor_diag",
        "linalg.triangular_solve",
        "nn.conv_transpose",
        "nn.depthwise_conv2d_backprop_filter",
        "nn.depthwise_conv2d_backprop_input",
        "nn.space_to_depth",
        "random.stateless_binomial",
        "random.stateless_parameterized_truncated_normal",
        "random.stateless_poisson",
        "raw_ops.GRUBlockCell",
        "reshape",
        "searchsorted",
        "split",
    )
)
# At most this part of the ops with sizes.
SHARE = 0.1
