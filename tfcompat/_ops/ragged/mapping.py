"""Functions applied to the values of ragged tensors, independent of their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops.ragged.broadcasting import require_one_dtype
from tfcompat._ops.ragged.partition import Partition
from tfcompat._ops.ragged.tensor import RaggedTensor


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The ragged tensor of the result of `op` for the flat values of the ragged tensors in `args` and `kwargs`.

    Without ragged tensors it is `op(*args, **kwargs)`.

    Shapes: those of the ragged arguments, which must have the same rows.
    Dtypes: that of the result of op.
    Raises: ValueError if op returns another number of values, or the row splits have different dtypes;
      InvalidArgumentError if rows differ.
    Source: TF 2.21 `tf.ragged.map_flat_values`.
    """
    found: list[RaggedTensor] = []
    flat_args = [_replaced(arg, found) for arg in args]
    flat_kwargs = {key: _replaced(value, found) for key, value in kwargs.items()}
    answer = op(*flat_args, **flat_kwargs)
    if not found:
        return answer
    require_one_dtype(found)
    partitions = _shared(found)
    size = found[0].flat_values._aval.shape[0]
    if not isinstance(answer, RaggedTensor):
        answer = convert_to_tensor(answer)
    shape = answer._aval.shape if isinstance(answer, Tensor) else answer.shape
    if not len(shape) or any(one.flat_values._aval.shape[0] != size for one in found) or shape[0] != size:
        raise ValueError(
            "tf.ragged.map_flat_values: the output of `op` must have the same outer-dimension size as the flat_values "
            f"of the ragged inputs, {size}; got shape {shape}."
        )
    return RaggedTensor._of(answer, partitions)


def _replaced(value: Any, found: list[RaggedTensor]) -> Any:
    if isinstance(value, RaggedTensor):
        found.append(value)
        return value.flat_values
    if isinstance(value, (list, tuple)):
        return type(value)(_replaced(item, found) for item in value)
    if isinstance(value, dict):
        return {key: _replaced(item, found) for key, item in value.items()}
    return value


def _shared(found: list[RaggedTensor]) -> list[Partition]:
    """The rows shared by all."""
    first = found[0]._partitions()
    for other in found[1:]:
        own = other._partitions()
        if len(own) != len(first):
            raise ValueError("tf.ragged.map_flat_values: Inputs must have identical ragged splits.")
        for one, two in zip(first, own, strict=True):
            if one is not two and not np.array_equal(one.host("tf.ragged.map_flat_values"), two.host()):
                raise InvalidArgumentError.of("tf.ragged.map_flat_values: Inputs must have identical ragged splits.")
    return first
