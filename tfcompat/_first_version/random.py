"""Random functions of TensorFlow 1, with another order of the arguments."""

from __future__ import annotations

from typing import Any

from tfcompat._core.types.dtype import float32, int64
from tfcompat._ops.random import stream
from tfcompat._random import random


def poisson(lam: Any, shape: Any, dtype: Any = float32, seed: Any = None, name: str | None = None) -> Any:
    """Poisson numbers with the mean `lam`, of `shape` for each element of `lam`.

    Shapes: `shape`, then that of `lam`.
    Dtypes: float16, float32, float64, int32, int64.
    Gradient: LookupError, as in TensorFlow.
    Raises: InvalidArgumentError for another `dtype`.
    Source: TF 2.21 `tf.compat.v1.random.poisson`.
    """
    return random.poisson(shape, lam, dtype, seed, name)


def multinomial(
    logits: Any, num_samples: Any, seed: Any = None, name: str | None = None, output_dtype: Any = None
) -> Any:
    """For each row of `logits`, `num_samples` classes with the probabilities of its softmax.

    Shapes: [batch, classes] -> [batch, num_samples].
    Dtypes: bfloat16, float16, float32, float64 -> int64 or int32.
    Raises: InvalidArgumentError if the rank of `logits` is not 2; ValueError for another `output_dtype`.
    Source: TF 2.21 `tf.compat.v1.multinomial`.
    """
    return random.categorical(logits, num_samples, output_dtype, seed, name)


def stateless_multinomial(
    logits: Any, num_samples: Any, seed: Any, output_dtype: Any = int64, name: str | None = None
) -> Any:
    """For each row of `logits`, `num_samples` classes with the probabilities of its softmax, determined by `seed`.

    Shapes: [batch, classes], seed [2] -> [batch, num_samples].
    Dtypes: bfloat16, float16, float32, float64 -> int64 or int32.
    Raises: InvalidArgumentError if the rank of `logits` is not 2; ValueError for another `output_dtype`.
    Source: TF 2.21 `tf.compat.v1.random.stateless_multinomial`.
    """
    return stream.stateless_categorical(logits, num_samples, seed, output_dtype, name)
