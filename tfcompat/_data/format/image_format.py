"""Images in any format: which one it is, and its pixels as numbers of a dtype."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._data.format import bmp, gif, jpeg, png, webp

JPEG_START = b"\xff\xd8\xff"
_XL_STARTS = (b"\xff\x0a", b"\0\0\0\x0cJXL \r\n\x87\n")
_CHANNELS = {"JPEG": (0, 1, 3), "PNG": (0, 1, 3, 4), "GIF": (0, 3), "BMP": (0, 3, 4), "WebP": (0, 3, 4)}
# TensorFlow's names of the functions.
JPEG, CROP, PNG, GIF, BMP, WEBP, IMAGE = (
    *("decode_jpeg", "decode_and_crop_jpeg", "decode_png", "decode_gif", "decode_bmp", "decode_webp", "decode_image"),
)


class Request(NamedTuple):
    """How to decode: for which function of `tf.io`, and its arguments.

    `dtype` is uint8, uint16 or float32; the pixels of PNG are then multiplied by 257 or divided by 65535 if they have 8
    bits, those of other formats by 256 or 255.
    """

    function: str
    channels: int = 0
    dtype: type = np.uint8
    has_all_frames: bool = True
    way: jpeg.Way = jpeg.Way()
    window: tuple[int, int, int, int] | None = None


def decoded(content: bytes, request: Request) -> np.ndarray:
    """The pixels: [height, width, channels], or [frames, height, width, channels] of GIF and WebP.

    The function `request` names may require one of the two shapes, or refuse a format.
    """
    if not content:
        raise InvalidArgumentError.of("Input is empty.")
    name = _format_of(content)
    _require_accepted(name, request)
    if name == "JPEG":
        pixels = jpeg.decoded(content, request.channels, request.way, request.window)
    elif name == "PNG":
        return _shaped(_png(content, request), request)
    elif name == "GIF":
        return _scaled(_gif(content, request), request.dtype)
    elif name == "BMP":
        pixels = bmp.decoded(content, request.channels)
    else:
        frames = webp.decoded(content, request.channels, request.has_all_frames)
        return frames if request.has_all_frames else frames[0]
    return _shaped(_scaled(pixels, request.dtype), request)


def _format_of(content: bytes) -> str:
    if content.startswith(JPEG_START):
        return "JPEG"
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if content.startswith(b"GIF8"):
        return "GIF"
    if content.startswith(b"BM"):
        return "BMP"
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP" and len(content) > 12:
        return "WebP"
    if content.startswith(_XL_STARTS):
        raise NotImplementedError(
            "tf.io.decode_image: JPEG XL is not supported; read the file with another library, such as imagecodecs."
        )
    raise InvalidArgumentError.of("Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.")


def _require_accepted(name: str, request: Request) -> None:
    """Raises InvalidArgumentError if the function does not decode the format, or not to this dtype or channels."""
    function, channels = request.function, request.channels
    if name == "WebP":
        if channels not in _CHANNELS[name]:
            raise InvalidArgumentError.of("WebP only supports 3 or 4 channels")
        if request.dtype is not np.uint8:
            raise InvalidArgumentError.of("WebP only supports uint8 for dtype")
        return
    if channels not in _CHANNELS[name]:
        allowed = " or ".join(map(str, _CHANNELS[name]))
        raise InvalidArgumentError.of(f"tf.io.{function}: channels must be {allowed} for {name}, got {channels}")
    if name == "BMP" and function not in (BMP, IMAGE):
        raise InvalidArgumentError.of(
            f"Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. Op used: "
            f"{function}"
        )
    if function == BMP and name != "BMP":
        raise InvalidArgumentError.of(
            f"Trying to decode {name} format using DecodeBmp op. Use `decode_{name.lower()}` or `decode_image` instead."
        )
    if function == CROP and name != "JPEG":
        raise InvalidArgumentError.of(f"DecodeAndCropJpeg operation can run on JPEG only, but detected {name}.")


def _png(content: bytes, request: Request) -> np.ndarray:
    if request.dtype is np.uint8:
        return png.decoded(content, request.channels, 8)
    pixels = png.decoded(content, request.channels, 16)
    return pixels if request.dtype is np.uint16 else pixels.astype(np.float32) * np.float32(1 / 65535)


def _gif(content: bytes, request: Request) -> np.ndarray:
    frames = gif.decoded(content, request.has_all_frames)
    if request.function in (JPEG, PNG):
        if len(frames) > 1:
            raise InvalidArgumentError.of(
                f"Got {len(frames)} frames, but animated gifs can only be decoded by tf.io.decode_gif or "
                "tf.io.decode_image"
            )
        return frames[0]
    return frames if request.has_all_frames else frames[0]


def _scaled(pixels: np.ndarray, dtype: type) -> np.ndarray:
    """Pixels of 8 bits as `dtype`."""
    if dtype is np.uint8:
        return pixels
    return pixels.astype(np.uint16) << 8 if dtype is np.uint16 else pixels.astype(np.float32) * np.float32(1 / 255)


def _shaped(pixels: np.ndarray, request: Request) -> np.ndarray:
    return pixels[None] if request.function == GIF else pixels
