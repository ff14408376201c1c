"""`tf.summary.image`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import uint8
from tfcompat._data.format.png_encoding import encoded
from tfcompat._ops.image.dtype import convert_image_dtype, with_pixels
from tfcompat._ops.text.element import array_of
from tfcompat._summary.event import Label, metadata_of
from tfcompat._summary.state import require_step, state, tag_of
from tfcompat._summary.writing import content_of, false, put, recording_condition

_RANK = 4
_MOST_CHANNELS = 4
# zlib's default level.
_COMPRESSION = -1


def image(name: Any, data: Any, step: Any = None, max_outputs: Any = 3, description: str | None = None) -> Tensor:
    """Writes the first `max_outputs` images of `data` as PNG files to the default writer; returns whether it did.

    The range of a floating image is 0 to 1, that of an integer is that of its dtype; pixels are clipped to 8 bits.

    Shapes: [images, height, width, 1 to 4] -> [].
    Dtypes: floating and integer -> bool.
    Raises: ValueError for another rank, or if there is a writer and no step; AttributeError for another dtype;
      InvalidArgumentError for other channels, no pixels, or a negative max_outputs;
      TypeError unless that is an integer.
    Source: TF 2.21 `tf.summary.image`.
    """
    metadata = metadata_of("images", description)
    tag = tag_of(name, "image_summary")
    if step is not None:
        require_step(step)
    if state.writer is None or (condition := recording_condition()) is False:
        return false()
    images = convert_to_tensor(data)
    require_rank(images, _RANK)
    most = whole_number(max_outputs)
    images = with_pixels("summary.image", images)
    if (channels := images.shape[-1]) is not None and not 1 <= channels <= _MOST_CHANNELS:
        raise InvalidArgumentError.of(f"image must have 1, 2, 3, or 4 channels, got {channels}")
    if images.shape[0] and 0 in images.shape[1:3]:
        raise InvalidArgumentError.of(f"tf.summary.image: images of shape {images.shape[1:]} have no pixels.")
    return put(
        _image_content,
        (Label(tag.encode(), metadata), images, most),
        step,
        size=images._aval.nbytes,
        condition=condition,
    )


def require_rank(data: Tensor, rank: int) -> None:
    """Raises ValueError if `data` has another rank."""
    if data.shape.rank not in (rank, None):
        raise ValueError(f"Tensor must have rank {rank}.  Received rank {data.shape.rank}, shape {data.shape}")


def whole_number(most: Any) -> Any:
    """`most`, the argument max_outputs, as a number or a tensor.

    Raises: InvalidArgumentError if it is negative; TypeError unless it is an integer; ValueError for None.
    """
    if type(most) is int:
        return _not_negative(most)
    count = convert_to_tensor(most)
    if not count.dtype.is_integer or count.shape.rank:
        raise TypeError(f"tf.summary: max_outputs must be an integer, got {most!r}.")
    return count


def _not_negative(most: int) -> int:
    if most < 0:
        raise InvalidArgumentError.of(f"tf.summary: max_outputs must not be negative, got {most}.")
    return most


def first_of(data: np.ndarray, most: Any) -> np.ndarray:
    """The first `most` elements. Raises InvalidArgumentError if `most` is negative."""
    return data[: _not_negative(int(most))]


def _image_content(label: Label, images: np.ndarray, most: Any) -> bytes:
    height, width = images.shape[1:3]
    chosen = Tensor(np.ascontiguousarray(first_of(images, most)))
    pixels = chosen if chosen.dtype is uint8 else convert_image_dtype(chosen, uint8, saturate=True)
    files = [encoded(one, _COMPRESSION) for one in pixels.__array__()]
    return content_of(label, array_of([str(width).encode(), str(height).encode(), *files], (2 + len(files),)))
