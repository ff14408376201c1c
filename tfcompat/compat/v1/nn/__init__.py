"""`tf.compat.v1.nn`: what of it still means something."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._first_version.argument import (
    log_softmax,
    softmax,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from tfcompat._first_version.network import (
    avg_pool,
    conv2d_transpose,
    conv3d_transpose,
    convolution,
    ctc_beam_search_decoder,
    ctc_loss,
    fused_batch_norm,
    max_pool,
    moments,
    separable_conv2d,
)
from tfcompat.compat.v1.nn import experimental
from tfcompat.linalg import l2_normalize
from tfcompat.math import approx_max_k, approx_min_k, softsign, top_k, zero_fraction
from tfcompat.nn import (
    all_candidate_sampler,
    atrous_conv2d,
    atrous_conv2d_transpose,
    avg_pool1d,
    avg_pool3d,
    batch_normalization,
    bias_add,
    collapse_repeated,
    compute_accidental_hits,
    compute_average_loss,
    conv1d_transpose,
    conv_transpose,
    ctc_greedy_decoder,
    ctc_unique_labels,
    depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input,
    elu,
    fixed_unigram_candidate_sampler,
    l2_loss,
    leaky_relu,
    local_response_normalization,
    log_poisson_loss,
    lrn,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    normalize_moments,
    relu,
    relu6,
    scale_regularization_loss,
    selu,
    sigmoid,
    sigmoid_cross_entropy_with_logits,
    silu,
    softplus,
    swish,
    tanh,
    with_space_to_batch,
)
from tfcompat.nn import (
    avg_pool as avg_pool_v2,
)
from tfcompat.nn import (
    ctc_beam_search_decoder as ctc_beam_search_decoder_v2,
)
from tfcompat.nn import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_native_backprop_filter,
)
from tfcompat.nn import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_native_backprop_input,
)
from tfcompat.nn import (
    max_pool as max_pool_v2,
)
from tfcompat.random import log_uniform_candidate_sampler, uniform_candidate_sampler

__all__ = [
    "all_candidate_sampler",
    "approx_max_k",
    "approx_min_k",
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "avg_pool",
    "avg_pool1d",
    "avg_pool3d",
    "avg_pool_v2",
    "batch_normalization",
    "bias_add",
    "collapse_repeated",
    "compute_accidental_hits",
    "compute_average_loss",
    "conv1d_transpose",
    "conv2d_transpose",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "ctc_beam_search_decoder",
    "ctc_beam_search_decoder_v2",
    "ctc_greedy_decoder",
    "ctc_loss",
    "ctc_unique_labels",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "depthwise_conv2d_native_backprop_filter",
    "depthwise_conv2d_native_backprop_input",
    "elu",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fused_batch_norm",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "log_uniform_candidate_sampler",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_v2",
    "moments",
    "normalize_moments",
    "relu",
    "relu6",
    "scale_regularization_loss",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "softplus",
    "softsign",
    "sparse_softmax_cross_entropy_with_logits",
    "swish",
    "tanh",
    "top_k",
    "uniform_candidate_sampler",
    "with_space_to_batch",
    "zero_fraction",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
