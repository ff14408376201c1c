"""`tf.nn`: what neural networks are made of."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.activation import leaky_relu, relu, softmax
from tfcompat._ops.gathering import embedding_lookup
from tfcompat._ops.loss import sparse_softmax_cross_entropy_with_logits
from tfcompat._ops.pooling import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from tfcompat._ops.transcendental import sigmoid, tanh

__all__ = [
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "embedding_lookup",
    "leaky_relu",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "relu",
    "sigmoid",
    "softmax",
    "sparse_softmax_cross_entropy_with_logits",
    "tanh",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
