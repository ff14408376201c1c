"""Ops that decode images."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_by_kernel
from tfcompat._core.types.dtype import DType, as_dtype, bool_, float32, int32, int64, uint8, uint16
from tfcompat._data.format import jpeg
from tfcompat._data.format.argument import content_of, whole
from tfcompat._data.format.image_format import (
    BMP,
    CROP,
    GIF,
    IMAGE,
    JPEG,
    JPEG_START,
    PNG,
    WEBP,
    Request,
    decoded,
)
from tfcompat._ops.image.dtype import convert_image_dtype
from tfcompat._ops.text.element import mapped

_TYPES = {uint8: np.uint8, uint16: np.uint16, float32: np.float32}
_DCT_METHODS = ("", "INTEGER_FAST", "INTEGER_ACCURATE")


@by_row("contents", specs=lambda channels, **_: _pixels(2, channels), is_long=True)
def decode_jpeg(
    contents: Any,
    channels: Any = 0,
    ratio: Any = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The pixels of the JPEG file `contents`, with 1 or 3 `channels`, or if that is 0, those of the file.

    They are reduced by `ratio` 1, 2, 4 or 8. Also decodes PNG, GIF of one frame, and WebP. Needs the extra `data`: with
    simplejpeg, pixels are TensorFlow's; without it they differ by up to 5.

    Shapes: [] -> [height, width, channels]; WebP has the number of frames before that.
    Dtypes: string -> uint8.
    Raises: InvalidArgumentError if the file is invalid or ends too early, or an argument is out of range.
    Source: TF 2.21 `tf.io.decode_jpeg`.
    """
    del name
    way = _way(ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method)
    return _image(contents, Request(JPEG, _channels(JPEG, channels), way=way))


@by_row("contents", "crop_window", specs=lambda channels, **_: _pixels(2, channels))
def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: Any = 0,
    ratio: Any = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The pixels of the JPEG file `contents` in `crop_window`: its top, left, height and width, all reduced by `ratio`.

    The other arguments are those of `tf.io.decode_jpeg`.

    Shapes: [], [4] -> [height, width, channels].
    Dtypes: string, int32 -> uint8.
    Raises: InvalidArgumentError if the file is invalid or the window is not in the image.
    Source: TF 2.21 `tf.io.decode_and_crop_jpeg`.
    """
    del name
    way = _way(ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method)
    window = convert_to_tensor(crop_window, int32).numpy()
    if window.shape != (4,):
        raise InvalidArgumentError.of(
            f"tf.io.decode_and_crop_jpeg: crop_window must have four elements, got shape {window.shape}."
        )
    top, left, height, width = window.tolist()
    request = Request(CROP, _channels(CROP, channels), way=way, window=(top, left, height, width))
    return _image(contents, request)


@by_row("contents", specs=lambda channels, dtype, **_: _pixels(2, channels, dtype), is_long=True)
def decode_png(contents: Any, channels: Any = 0, dtype: Any = uint8, name: str | None = None) -> Tensor:
    """The pixels of the PNG file `contents`, with 1, 3 or 4 `channels`, or if that is 0, those of the file.

    Also decodes JPEG, GIF of one frame, and WebP. Needs the extra `data`.

    Shapes: [] -> [height, width, channels]; WebP has the number of frames before that.
    Dtypes: string -> dtype: uint8 or uint16.
    Raises: InvalidArgumentError if the file is invalid, or an argument is out of range.
    Source: TF 2.21 `tf.io.decode_png`.
    """
    del name
    wanted = _one_of(PNG, dtype, (uint8, uint16))
    return _image(contents, Request(PNG, _channels(PNG, channels), _TYPES[wanted]))


@by_row("contents", specs=lambda **_: _pixels(3, 3), is_long=True)
def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """The frames of the GIF file `contents`, each drawn upon the last one. Also decodes JPEG, PNG and WebP.

    Needs the extra `data`.

    Shapes: [] -> [frames, height, width, 3].
    Dtypes: string -> uint8.
    Raises: InvalidArgumentError if the file is invalid; ResourceExhaustedError for 2**29 pixels or more.
    Source: TF 2.21 `tf.io.decode_gif`.
    """
    del name
    return _image(contents, Request(GIF, 3))


@by_row("contents", specs=lambda channels, **_: _pixels(2, channels), is_long=True)
def decode_bmp(contents: Any, channels: Any = 0, name: str | None = None) -> Tensor:
    """The pixels of the BMP file `contents`, with 3 or 4 `channels`, or if that is 0, those of the file.

    Pixels of 8 bits are grey values: palettes are ignored. Also decodes WebP.

    Shapes: [] -> [height, width, channels].
    Dtypes: string -> uint8.
    Raises: InvalidArgumentError if the file is invalid or of another format.
    Source: TF 2.21 `tf.io.decode_bmp`.
    """
    del name
    return _image(contents, Request(BMP, _channels(BMP, channels)))


@by_row("contents", specs=lambda channels, dtype, **_: _pixels(3, channels, dtype), is_long=True)
def decode_webp(contents: Any, channels: Any = 0, dtype: Any = uint8, name: str | None = None) -> Tensor:
    """The frames of the WebP file `contents`, with 3 or 4 `channels`, which must be those of the file, or 0.

    Needs the extra `data`.

    Shapes: [] -> [frames, height, width, channels].
    Dtypes: string -> dtype: uint8.
    Raises: InvalidArgumentError if the file is invalid, or has another number of channels.
    Source: TF 2.21 `tf.io.decode_webp`.
    """
    del name
    _one_of(WEBP, dtype, (uint8,))
    return _image(contents, Request(WEBP, _channels(WEBP, channels)))


@by_row(
    "contents",
    specs=lambda channels, dtype, expand_animations, **_: _pixels(None if expand_animations else 2, channels, dtype),
    is_long=True,
)
def decode_image(
    contents: Any,
    channels: Any = None,
    dtype: Any = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of the JPEG, PNG, GIF, BMP or WebP file `contents`, with `channels`: 1, 3 or 4.

    If `channels` is 0 or None, they are those of the file. Needs the extra `data`.

    Shapes: [] -> [height, width, channels]; of GIF and WebP [frames, height, width, channels], unless
      `expand_animations` is False, which returns the first frame.
    Dtypes: string -> dtype, scaled as by `tf.image.convert_image_dtype`.
    Raises: InvalidArgumentError if the file is invalid or the format does not have the channels; AttributeError for a
      dtype that is not a number.
    Source: TF 2.21 `tf.io.decode_image`.
    """
    del name
    wanted = as_dtype(dtype)
    kind = _TYPES.get(wanted, np.uint16)
    pixels = _image(contents, Request(IMAGE, _channels(IMAGE, channels), kind, bool(expand_animations)))
    return pixels if wanted in _TYPES else convert_image_dtype(pixels, wanted)


def is_jpeg(contents: Any, name: str | None = None) -> Any:
    """Whether each string of `contents` begins as a JPEG file does.

    Shapes: [*dims] -> same.
    Dtypes: string -> bool.
    Raises: InvalidArgumentError for another dtype.
    Source: TF 2.21 `tf.io.is_jpeg`.
    """
    del name
    return mapped("io.is_jpeg", lambda content: content.startswith(JPEG_START), contents, bool_)


@by_row("contents", specs=lambda output_type, **_: TensorSpec([3], output_type))
def extract_jpeg_shape(contents: Any, output_type: Any = int32, name: str | None = None) -> Tensor:
    """The height, the width and the number of components of the JPEG file `contents`.

    Shapes: [] -> [3].
    Dtypes: string -> output_type: int32 or int64.
    Raises: InvalidArgumentError if the file has another format.
    Source: TF 2.21 `tf.io.extract_jpeg_shape`.
    """
    del name
    wanted = _one_of("extract_jpeg_shape", output_type, (int32, int64))
    found = jpeg.shape(content_of("io.extract_jpeg_shape", contents))
    return Tensor(np.array(found, wanted.as_numpy_dtype))


def _pixels(open_axes: int | None, channels: Any, dtype: Any = uint8) -> TensorSpec:
    """The type of images; their rank is unknown if `open_axes` is None."""
    return TensorSpec(None if open_axes is None else [None] * open_axes + [channels or None], dtype)


def _image(contents: Any, request: Request) -> Tensor:
    content = content_of(f"io.{request.function}", contents)
    with found_by_kernel():
        return Tensor(decoded(content, request))


def _channels(function: str, channels: Any) -> int:
    count = 0 if channels is None else whole(f"io.{function}", "channels", channels)
    if count not in (0, 1, 3, 4):
        raise InvalidArgumentError.of(f"tf.io.{function}: `channels` must be 0, 1, 3 or 4 but got {channels}")
    return count


def _one_of(function: str, dtype: Any, allowed: tuple[DType, ...]) -> DType:
    wanted = as_dtype(dtype)
    if wanted not in allowed:
        listed = ", ".join(one.name for one in allowed)
        raise InvalidArgumentError.of(f"tf.io.{function}: dtype must be one of {listed}, got {wanted.name}.")
    return wanted


def _way(ratio: Any, fancy: bool, may_be_truncated: bool, fraction: float, dct_method: str) -> jpeg.Way:
    if (reduction := whole("io.decode_jpeg", "ratio", ratio)) not in jpeg.RATIOS:
        raise InvalidArgumentError.of(f"tf.io.decode_jpeg: ratio must be 1, 2, 4, or 8, got {ratio}")
    if dct_method not in _DCT_METHODS:
        raise InvalidArgumentError.of(
            f"tf.io.decode_jpeg: dct_method must be one of {', '.join(map(repr, _DCT_METHODS))}, got {dct_method!r}"
        )
    is_accurate = dct_method == "INTEGER_ACCURATE"
    return jpeg.Way(reduction, bool(fancy), bool(may_be_truncated), float(fraction), is_accurate)
