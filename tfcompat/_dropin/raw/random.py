"""Kernels of random numbers: those whose seed is an argument."""

from __future__ import annotations

from tfcompat._dropin.raw.kernel import kernel
from tfcompat._ops.random import index_shuffle, poisson, stream

_DRAWN = "shape seed dtype=tf.float32"

RandomIndexShuffle = kernel("RandomIndexShuffle", index_shuffle.random_index_shuffle)
StatelessMultinomial = kernel(
    "StatelessMultinomial", stream.stateless_categorical, "logits num_samples seed output_dtype:dtype=tf.int64"
)
StatelessRandomNormal = kernel("StatelessRandomNormal", stream.stateless_normal, _DRAWN)
StatelessRandomPoisson = kernel("StatelessRandomPoisson", poisson.stateless_poisson, "shape seed lam dtype")
StatelessRandomUniform = kernel("StatelessRandomUniform", stream.stateless_uniform, _DRAWN)
StatelessTruncatedNormal = kernel("StatelessTruncatedNormal", stream.stateless_truncated_normal, _DRAWN)
