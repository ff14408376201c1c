"""Ops that encode images."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.host_call import computed
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InternalError, InvalidArgumentError
from tfcompat._core.types.dtype import string, uint8, uint16
from tfcompat._data.format import jpeg_encoding, png_encoding
from tfcompat._data.format.argument import whole
from tfcompat._ops.text.element import array_of

_FORMATS = {"": (1, 3), "grayscale": (1,), "rgb": (3,)}
_UNITS = {"in": 1, "cm": 2}
_MOST_PIXELS = 2**29


@by_row("image", "quality", "xmp_metadata", specs=lambda **_: TensorSpec([], string), is_long=True)
def encode_jpeg(
    image: Any,
    format: str = "",
    quality: Any = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: Any = "",
    name: str | None = None,
) -> Tensor:
    """The JPEG file with the pixels `image`, of `quality` 0 to 100.

    Needs the extra `data`.

    Shapes: [height, width, 1 or 3] -> [].
    Dtypes: uint8 -> string.
    Gradient: None.
    Raises: InvalidArgumentError for another shape, dtype, or an argument out of range; InternalError for no pixels.
    Source: TF 2.21 `tf.io.encode_jpeg`.
    """
    del name
    pixels = _pixels("encode_jpeg", image)
    if pixels.dtype is not uint8:
        raise InvalidArgumentError.of(f"tf.io.encode_jpeg: image must be uint8, got {pixels.dtype.name}.")
    _require("format", format, _FORMATS)
    _require("density_unit", density_unit, _UNITS)
    if not 0 <= (wanted := whole("io.encode_jpeg", "quality", quality)) <= 100:
        raise InvalidArgumentError.of(f"tf.io.encode_jpeg: quality must be in [0,100], got {quality}")
    shape = pixels._aval.shape
    if len(shape) != 3 or shape[-1] not in _FORMATS[format]:
        channels = " or ".join(map(str, _FORMATS[format]))
        raise InvalidArgumentError.of(
            f"tf.io.encode_jpeg: image must have 3 dimensions and {channels} channels, got shape {shape}."
        )
    _require_pixels("encode_jpeg", shape)
    xmp = xmp_metadata.encode() if isinstance(xmp_metadata, str) else bytes(xmp_metadata)
    style = jpeg_encoding.Style(
        wanted,
        bool(progressive),
        bool(optimize_size),
        bool(chroma_downsampling),
        _UNITS[density_unit],
        whole("io.encode_jpeg", "x_density", x_density),
        whole("io.encode_jpeg", "y_density", y_density),
        xmp,
    )

    def compute(array: np.ndarray) -> np.ndarray:
        return array_of([jpeg_encoding.encoded(array, style)], ())

    return computed("io.encode_jpeg", compute, (pixels,), (), string)


@by_row(
    "image",
    "compression",
    specs=lambda image, **_: TensorSpec(convert_to_tensor(image).shape[:-3], string),
    is_long=True,
)
def encode_png(image: Any, compression: Any = -1, name: str | None = None) -> Tensor:
    """The PNG files with the pixels `image`, deflated at the level `compression`: 0 to 9, or -1 for zlib's default.

    Shapes: [*dims, height, width, 1 to 4] -> dims.
    Dtypes: uint8, uint16 -> string.
    Gradient: None.
    Raises: InvalidArgumentError for another shape, dtype or level; InternalError for no pixels.
    Source: TF 2.21 `tf.io.encode_png`.
    """
    del name
    pixels = _pixels("encode_png", image)
    if pixels.dtype not in (uint8, uint16):
        raise InvalidArgumentError.of(f"tf.io.encode_png: image must be uint8 or uint16, got {pixels.dtype.name}.")
    if not -1 <= (level := whole("io.encode_png", "compression", compression)) <= 9:
        raise InvalidArgumentError.of(f"tf.io.encode_png: compression should be in [-1,9], got {compression}")
    shape = pixels._aval.shape
    if len(shape) < 3 or not 1 <= shape[-1] <= 4:
        raise InvalidArgumentError.of(
            f"tf.io.encode_png: image must have at least 3 dimensions and 1, 2, 3, or 4 channels, got shape {shape}."
        )
    _require_pixels("encode_png", shape)

    def compute(array: np.ndarray) -> np.ndarray:
        images = array.reshape(-1, *array.shape[-3:])
        return array_of((png_encoding.encoded(one, level) for one in images), array.shape[:-3])

    return computed("io.encode_png", compute, (pixels,), shape[:-3], string)


def _pixels(function: str, image: Any) -> Tensor:
    tensor = as_tensor(image)
    if tensor is not None:
        return tensor
    return convert_to_tensor(image, uint8 if function == "encode_jpeg" else None)


def _require(what: str, value: Any, allowed: dict[str, Any]) -> None:
    if value not in allowed:
        listed = ", ".join(map(repr, allowed))
        raise InvalidArgumentError.of(f"tf.io.encode_jpeg: {what} must be one of {listed}, got {value!r}.")


def _require_pixels(function: str, shape: tuple[int, ...]) -> None:
    if not 0 < shape[-3] * shape[-2] < _MOST_PIXELS:
        raise InternalError.of(f"tf.io.{function}: encoding failed: the size {shape[-3]} by {shape[-2]} is not valid.")
