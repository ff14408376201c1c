"""The shape of images: [height, width, channels], or a batch of them."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import integer
from tfcompat._core.structure.tensor import Tensor


def as_image(name: str, image: Any) -> Tensor:
    """`image` as a tensor. Raises ValueError unless its rank is 3 or 4 and its last three sizes are positive."""
    tensor = convert_to_tensor(image)
    require_pixels(name, tensor)
    if tensor.ndim > 4:
        raise ValueError(f"tf.{name}: image must have rank 3 or 4, got shape {tensor._aval.shape}.")
    return tensor


def require_pixels(name: str, image: Any) -> None:
    """Raises ValueError unless `image` has at least rank 3 and its last three sizes are positive."""
    shape = image._aval.shape
    if len(shape) < 3:
        raise ValueError(f"tf.{name}: image must have rank 3 or 4, got shape {shape}.")
    if 0 in shape[-3:]:
        raise ValueError(f"tf.{name}: the last three sizes of image must be positive, got shape {shape}.")


def pixel_count(name: str, parameter: str, value: Any) -> int:
    """`value` as a static integer. Raises TypeError if it is not an integer."""
    found = integer(value)
    if found is None:
        raise TypeError(f"tf.{name}: {parameter} must be an integer, got None.")
    return found


def extents(image: Tensor) -> tuple[int, int]:
    """The height and the width of an image, or of each image in a batch."""
    shape = image._aval.shape
    return shape[-3], shape[-2]
