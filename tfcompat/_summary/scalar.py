"""`tf.summary.scalar` and `tf.summary.text`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UnimplementedError
from tfcompat._core.types.dtype import float32, string
from tfcompat._ops.text.tensor_message import field, number_field
from tfcompat._summary.event import Label, metadata_of, tensor_content
from tfcompat._summary.state import observed, require_step, state, tag_of
from tfcompat._summary.writing import content_of, false, put

# The message of a scalar of float32, without its number.
_HEAD = number_field(1, int(float32)) + field(2, b"")


def scalar(name: Any, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Writes the number `data` to the default writer, as float32; returns whether it was recorded.

    Shapes: [] -> [].
    Dtypes: numbers and bool -> bool.
    Raises: ValueError if data is not a scalar, or there is a writer and no step; UnimplementedError for a string.
    Source: TF 2.21 `tf.summary.scalar`.
    """
    tag = tag_of(name, "scalar_summary")
    metadata = metadata_of("scalars", description)
    if type(data) is not float:
        data = observed(data)
        if data.shape.rank:
            raise ValueError(f"Expected scalar shape, saw shape: {data.shape}.")
        if data.dtype is string:
            raise UnimplementedError.of("Cast string to float is not supported")
    if step is not None:
        require_step(step)
    if state.writer is None:
        return false()
    return put(_number_content, (Label(tag.encode(), metadata), data), step)


def _number_content(label: Label, number: Any) -> bytes:
    with np.errstate(all="ignore"):
        value = np.asarray(number)
        value = (np.real(value) if value.dtype.kind == "c" else value).astype(np.float32)
    return tensor_content(label, _HEAD + field(4, value.tobytes()))


def text(name: Any, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Writes the strings `data` to the default writer; returns whether they were recorded.

    Shapes: any -> [].
    Dtypes: string -> bool.
    Raises: TypeError for another dtype; ValueError if there is a writer and no step.
    Source: TF 2.21 `tf.summary.text`.
    """
    tag = tag_of(name, "text_summary")
    metadata = metadata_of("text", description)
    value = observed(data)
    if value.dtype is not string:
        raise TypeError(f"tensor must be of type tf.string; got tf.{value.dtype.name}")
    if step is not None:
        require_step(step)
    if state.writer is None:
        return false()
    return put(content_of, (Label(tag.encode(), metadata), value), step)
