"""Sizes as values, in a trace with open dimensions: `tf.shape` of a tensor whose sizes are known when a call runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import DType
from tfcompat._jaxpr.size import has_symbols


class Sizes(NamedTuple):
    """The source of a leaf whose elements are sizes.

    Attributes:
      array: an array of objects, sizes with symbols and integers.
      dtype: the dtype of the leaf.
    """

    array: np.ndarray
    dtype: DType


def sizes_tensor(sizes: Any, dtype: DType) -> Tensor:
    """`sizes`, a size or a sequence of them, as a tensor: a constant unless there are symbols in them."""
    if not has_symbols(sizes):
        return Tensor(np.array(sizes, dtype.as_numpy_dtype))
    return here.graph.sizes(Sizes(_array_of(sizes), dtype))


def _array_of(sizes: Any) -> np.ndarray:
    if isinstance(sizes, Sequence):
        array = np.empty(len(sizes), object)
        array[:] = sizes
        return array
    return np.array(sizes, object)
