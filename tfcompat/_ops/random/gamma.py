"""Gamma and Poisson numbers, whose streams are JAX's and not TensorFlow's: for draws without a seed."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.declare import Array, Arrays, Dtype, Shape, op
from tfcompat._core.dtype import INDEX
from tfcompat._ops.random import philox
from tfcompat._ops.random.stream import REAL_VALUED


def _key(stream: Arrays) -> Any:
    """A key of JAX's from the first block of the stream."""
    words = philox.opened(stream).pair(jnp.zeros((), np.uint64))
    return jax.random.wrap_key_data(jnp.stack(words), impl="threefry2x32")


_FLOATS = dict.fromkeys(("alpha", "beta", "lam"), REAL_VALUED)


@op("random.gamma", same=("stream",), dtypes=_FLOATS | {"stream": INDEX})
def draw_gamma(alpha: Array, beta: Array, stream: Arrays, dims: Shape) -> Array:
    """Gamma numbers, `dims` of them for each element of `alpha` and `beta`."""
    batch = np.broadcast_shapes(alpha.shape, beta.shape)
    wide = jnp.promote_types(alpha.dtype, np.float32)
    drawn = jax.random.gamma(_key(stream), alpha.astype(wide), (*dims, *batch), wide)
    return jnp.maximum(jnp.finfo(alpha.dtype).tiny, drawn.astype(alpha.dtype) / beta)


@op("random.poisson", same=("stream",), dtypes=_FLOATS | {"stream": INDEX}, differentiable=False)
def draw_poisson(lam: Array, stream: Arrays, dims: Shape, dtype: Dtype) -> Array:
    """Poisson numbers, `dims` of them for each element of `lam`."""
    drawn = jax.random.poisson(_key(stream), lam.astype(np.float32), (*dims, *lam.shape), np.int64)
    return drawn.astype(dtype.as_numpy_dtype)
