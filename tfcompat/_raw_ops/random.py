"""Kernels of random numbers that take the seed as an argument."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._ops.random import binomial, bounded_normal, gamma, index_shuffle, poisson, stream
from tfcompat._raw_ops.kernel import kernel

_DRAWN = "shape seed dtype=tf.float32"


def _integers(shape: Any, seed: Any, minval: Any, maxval: Any) -> Any:
    """Integers from `minval` to below `maxval`, of their dtype."""
    low = convert_to_tensor(minval)
    return stream.stateless_uniform(shape, seed, low, maxval, low.dtype)


RandomGammaGrad = kernel("RandomGammaGrad", gamma.random_gamma_grad)
RandomIndexShuffle = kernel("RandomIndexShuffle", index_shuffle.random_index_shuffle)
StatelessParameterizedTruncatedNormal = kernel(
    "StatelessParameterizedTruncatedNormal",
    bounded_normal.stateless_parameterized_truncated_normal,
    "shape seed means stddevs minvals maxvals",
)
StatelessMultinomial = kernel(
    "StatelessMultinomial", stream.stateless_categorical, "logits num_samples seed output_dtype:dtype=tf.int64"
)
StatelessRandomBinomial = kernel(
    "StatelessRandomBinomial", binomial.stateless_binomial, "shape seed counts probs dtype:output_dtype=tf.int64"
)
StatelessRandomNormal = kernel("StatelessRandomNormal", stream.stateless_normal, _DRAWN)
StatelessRandomPoisson = kernel("StatelessRandomPoisson", poisson.stateless_poisson, "shape seed lam dtype")
StatelessRandomUniform = kernel("StatelessRandomUniform", stream.stateless_uniform, _DRAWN)
StatelessRandomUniformFullInt = kernel(
    "StatelessRandomUniformFullInt", stream.stateless_uniform, "shape seed dtype=tf.uint64", minval=None
)
StatelessRandomUniformInt = kernel("StatelessRandomUniformInt", _integers)
StatelessTruncatedNormal = kernel("StatelessTruncatedNormal", stream.stateless_truncated_normal, _DRAWN)
