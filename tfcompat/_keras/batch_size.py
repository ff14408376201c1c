"""The size of the batches of a dataset, if it is known."""

from __future__ import annotations

from typing import Any

from tfcompat._core.convert import constant
from tfcompat._core.dtype import int64
from tfcompat._core.tensor import Tensor
from tfcompat._data.nesting import flatten

_UNKNOWN = -1


def compute_batch_size(dataset: Any) -> Tensor:
    """The first size of all components of the elements of `dataset`, if it is known and the same; else -1.

    Source: TF 2.21, `compute_batch_size` of `tensorflow.python.data.experimental.ops.distribute`.
    """
    shapes = [getattr(spec, "shape", None) for spec in flatten(dataset.element_spec)]
    sizes = {shape[0] if shape is not None and shape.rank else None for shape in shapes}
    size = sizes.pop() if len(sizes) == 1 else None
    return constant(_UNKNOWN if size is None else size, int64)
