"""`tf.image`: pictures."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.cropping import (
    central_crop,
    crop_to_bounding_box,
    pad_to_bounding_box,
    resize_with_crop_or_pad,
)
from tfcompat._ops.image_dtype import convert_image_dtype
from tfcompat._ops.image_symmetry import flip_left_right, flip_up_down, rot90, transpose
from tfcompat._ops.resizing import ResizeMethod, resize, resize_with_pad

__all__ = [
    "ResizeMethod",
    "central_crop",
    "convert_image_dtype",
    "crop_to_bounding_box",
    "flip_left_right",
    "flip_up_down",
    "pad_to_bounding_box",
    "resize",
    "resize_with_crop_or_pad",
    "resize_with_pad",
    "rot90",
    "transpose",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
