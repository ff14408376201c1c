"""Batches of images of different sizes: ragged tensors of images."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.dispatch import register
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UntraceableError
from tfcompat._core.types.dtype import float32
from tfcompat._ops.array.creation import zeros
from tfcompat._ops.array.joining import stack
from tfcompat._ops.image import adjustment, resizing, stateless
from tfcompat._ops.image import dtype as image_dtype
from tfcompat._ops.ragged.elementwise import unary
from tfcompat._ops.ragged.tensor import RaggedTensor


def resize(
    images: Any,
    size: Any,
    method: Any = resizing.ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Each image of the ragged tensor `images` resized to the height and width in `size`."""
    del name
    if images.shape.rank != 4:
        raise ValueError(f"tf.image.resize: ragged images must have rank 4, got shape {images.shape}.")
    if preserve_aspect_ratio:
        raise ValueError("tf.image.resize: the images of a ragged tensor cannot preserve their aspect ratios.")
    rows = images._row_partition.nrows
    if not isinstance(rows, int):
        raise UntraceableError("tf.image.resize: the number of images is open; resize them before they are batched.")
    height, width = resizing.size_of(size)
    if not rows:
        return zeros([0, height, width, images.shape[-1]], float32)
    return stack(
        [resizing.resize(_dense(images[k]), (height, width), method, antialias=antialias) for k in range(rows)]
    )


def _dense(image: Any) -> Tensor:
    return image.to_tensor() if isinstance(image, RaggedTensor) else image


register(resizing.resize, RaggedTensor, resize)
for _function in (
    *(adjustment.adjust_brightness, adjustment.adjust_gamma, image_dtype.convert_image_dtype),
    stateless.stateless_random_brightness,
):
    register(_function, RaggedTensor, unary(_function))
