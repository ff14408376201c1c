"""Image resizing with TensorFlow 1's methods and options."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.array.layout import expand_dims, squeeze
from tfcompat._ops.image import corner_resizing
from tfcompat._ops.image.resizing import fitting, size_of
from tfcompat._ops.image.shape import extents


class ResizeMethod:
    """The methods of `tf.compat.v1.image.resize` by number.

    Source: TF 2.21 `tf.compat.v1.image.ResizeMethod`.
    """

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_METHODS = {
    ResizeMethod.BILINEAR: corner_resizing.resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: corner_resizing.resize_nearest_neighbor,
    ResizeMethod.BICUBIC: corner_resizing.resize_bicubic,
    ResizeMethod.AREA: corner_resizing.resize_area,
}
_NAMES = {"bilinear": 0, "nearest": 1, "bicubic": 2, "area": 3}


def resize(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """`images` resized to `size` by `method`, with corners aligned or, if `align_corners`, centers of corner pixels.

    An image that already has the size is returned unchanged.

    Raises: ValueError for another rank, size or method.
    Source: TF 2.21 `tf.compat.v1.image.resize`.
    """
    tensor = convert_to_tensor(images)
    if tensor.ndim not in (3, 4):
        raise ValueError(f"tf.compat.v1.image.resize: images must have rank 3 or 4, got shape {tensor._aval.shape}.")
    target = size_of(size)
    if preserve_aspect_ratio:
        target = fitting(extents(tensor), target)
    number = _NAMES.get(method, method)
    if number not in _METHODS:
        raise ValueError(f"tf.compat.v1.image.resize: method must be one of ResizeMethod, got {method!r}.")
    if target == extents(tensor):
        return tensor
    batch = tensor if tensor.ndim == 4 else expand_dims(tensor, 0)
    resized = _METHODS[number](batch, target, align_corners, name=name)
    return resized if tensor.ndim == 4 else squeeze(resized, (0,))
