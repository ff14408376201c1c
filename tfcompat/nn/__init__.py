"""`tf.nn`: functions for neural networks."""

import sys as _sys
import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat._ops.array.block import depth_to_space, space_to_batch, space_to_depth
from tfcompat._ops.array.gathering import embedding_lookup
from tfcompat._ops.elementwise.transcendental import sigmoid, tanh
from tfcompat._ops.fold.moment import moments, normalize_moments, sufficient_statistics, weighted_moments
from tfcompat._ops.fold.reduction import zero_fraction
from tfcompat._ops.linalg.norm import l2_normalize
from tfcompat._ops.network.activation import (
    crelu,
    elu,
    gelu,
    leaky_relu,
    log_softmax,
    relu,
    relu6,
    selu,
    silu,
    softmax,
    softplus,
    softsign,
)
from tfcompat._ops.network.activation import silu as swish
from tfcompat._ops.network.loss import (
    compute_average_loss,
    l2_loss,
    log_poisson_loss,
    scale_regularization_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from tfcompat._ops.network.normalization import (
    batch_norm_with_global_normalization,
    batch_normalization,
    local_response_normalization,
)
from tfcompat._ops.network.normalization import local_response_normalization as lrn
from tfcompat._ops.order.approximate_top import approx_max_k, approx_min_k
from tfcompat._ops.order.isotonic import isotonic_regression
from tfcompat._ops.order.sorting import in_top_k, top_k
from tfcompat._ops.sequence.ctc import collapse_repeated, ctc_loss, ctc_unique_labels
from tfcompat._ops.sequence.ctc_decoding import ctc_beam_search_decoder, ctc_greedy_decoder
from tfcompat._ops.sliding.atrous import atrous_conv2d, atrous_conv2d_transpose, with_space_to_batch
from tfcompat._ops.sliding.convolution import bias_add, conv1d, conv2d, conv3d, convolution
from tfcompat._ops.sliding.depthwise import depthwise_conv2d, separable_conv2d
from tfcompat._ops.sliding.depthwise_gradient import depthwise_conv2d_backprop_filter, depthwise_conv2d_backprop_input
from tfcompat._ops.sliding.morphology import dilation2d, erosion2d
from tfcompat._ops.sliding.pooling import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_with_argmax,
    pool,
)
from tfcompat._ops.sliding.transposed_convolution import (
    conv1d_transpose,
    conv2d_transpose,
    conv3d_transpose,
    conv_transpose,
)
from tfcompat._ops.sparse.embedding import embedding_lookup_sparse, safe_embedding_lookup_sparse
from tfcompat._random.candidate import (
    all_candidate_sampler,
    compute_accidental_hits,
    fixed_unigram_candidate_sampler,
)
from tfcompat._random.fractional import fractional_avg_pool, fractional_max_pool
from tfcompat._random.random import dropout
from tfcompat._random.sampled_loss import nce_loss, sampled_softmax_loss
from tfcompat.nn import experimental

__all__ = [
    "all_candidate_sampler",
    "approx_max_k",
    "approx_min_k",
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "collapse_repeated",
    "compute_accidental_hits",
    "compute_average_loss",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "ctc_beam_search_decoder",
    "ctc_greedy_decoder",
    "ctc_loss",
    "ctc_unique_labels",
    "depth_to_space",
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "dilation2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "embedding_lookup_sparse",
    "erosion2d",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fractional_avg_pool",
    "fractional_max_pool",
    "gelu",
    "in_top_k",
    "isotonic_regression",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_with_argmax",
    "moments",
    "nce_loss",
    "normalize_moments",
    "pool",
    "relu",
    "relu6",
    "safe_embedding_lookup_sparse",
    "sampled_softmax_loss",
    "scale_regularization_loss",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "with_space_to_batch",
    "zero_fraction",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
