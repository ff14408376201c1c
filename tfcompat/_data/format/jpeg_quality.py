"""Changes of the quality of images, by encoding them as JPEG and decoding them."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import int32, uint8
from tfcompat._data.format.image_decoding import decode_jpeg
from tfcompat._data.format.image_encoding import encode_jpeg
from tfcompat._ops.image.dtype import convert_image_dtype
from tfcompat._ops.random.stream import stateless_uniform
from tfcompat._random.random import uniform


def adjust_jpeg_quality(image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None) -> Tensor:
    """The pixels of `image` after it was encoded with `jpeg_quality`, 0 to 100.

    Needs the extra `data`.

    Shapes: [height, width, 1 or 3] -> the same.
    Dtypes: uint8, or another that `tf.image.convert_image_dtype` takes -> the same.
    Gradient: None.
    Raises: InvalidArgumentError for another shape or quality.
    Source: TF 2.21 `tf.image.adjust_jpeg_quality`.
    """
    del name
    given = convert_to_tensor(image)
    pixels = convert_image_dtype(given, uint8, saturate=True)
    quality = jpeg_quality if isinstance(jpeg_quality, Tensor) else convert_to_tensor(jpeg_quality, int32)
    content = encode_jpeg(pixels, quality=quality)
    decoded = decode_jpeg(content, channels=given.shape[-1] or 0, dct_method=dct_method)
    return convert_image_dtype(decoded, given.dtype, saturate=True)


def random_jpeg_quality(image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any = None) -> Tensor:
    """As `tf.image.adjust_jpeg_quality`, of a random quality from `min_jpeg_quality` up to `max_jpeg_quality`.

    Raises: ValueError for bounds that are not in order, or outside of 0 to 100.
    Source: TF 2.21 `tf.image.random_jpeg_quality`.
    """
    _require_bounds(min_jpeg_quality, max_jpeg_quality)
    quality = uniform([], min_jpeg_quality, max_jpeg_quality, int32, seed)
    return adjust_jpeg_quality(image, quality)


def stateless_random_jpeg_quality(image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any) -> Tensor:
    """As `tf.image.random_jpeg_quality`, with a quality that `seed`, [2], determines.

    Raises: ValueError for bounds that are not in order, or outside of 0 to 100.
    Source: TF 2.21 `tf.image.stateless_random_jpeg_quality`.
    """
    _require_bounds(min_jpeg_quality, max_jpeg_quality)
    quality = stateless_uniform([], seed, min_jpeg_quality, max_jpeg_quality, int32)
    return adjust_jpeg_quality(image, quality)


def _require_bounds(least: Any, most: Any) -> None:
    if least < 0 or most < 0 or least > 100 or most > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if least >= most:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
