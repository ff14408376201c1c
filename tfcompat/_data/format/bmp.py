"""Images in the format BMP: uncompressed, of 8, 24 or 32 bits a pixel."""

from __future__ import annotations

import struct

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError

_LEAST = 32
_MOST_PIXELS = (2**31 - 1) // 8


def decoded(content: bytes, channels: int) -> np.ndarray:
    """The pixels, uint8 [height, width, channels]; those of the file if `channels` is 0.

    A file of 8 bits holds shades of grey: TensorFlow ignores palettes.
    """
    if len(content) < _LEAST:
        raise _invalid(
            f"Incomplete bmp content, requires at least {_LEAST} bytes to find the header size, width, height, and "
            f"bpp, got {len(content)} bytes"
        )
    start, width, height = struct.unpack_from("<i4xii", content, 10)
    own = int(struct.unpack_from("<h", content, 28)[0] / 8)
    rows = abs(height)
    _require_header(start, width, height, own)
    row_size = (own * width + 3) // 4 * 4
    excess = len(content) - start - row_size * rows
    if excess:
        raise _invalid(f"Input size should match (header_size + row_size * abs_height) but they differ by {excess}")
    pixels = np.frombuffer(content, np.uint8, row_size * rows, start).reshape(rows, row_size)
    pixels = pixels[:, : own * width].reshape(rows, width, own)[:: 1 if height < 0 else -1]
    # The file has blue first.
    colours = pixels if own == 1 else pixels[..., [2, 1, 0, 3][:own]]
    return np.ascontiguousarray(_with_channels(colours, channels or own))


def _require_header(start: int, width: int, height: int, own: int) -> None:
    if own not in (1, 3, 4):
        raise _invalid(f"Number of channels inherent in the image must be 1, 3 or 4, was {own}")
    if width <= 0:
        raise _invalid("Width must be positive")
    if height == 0:
        raise _invalid("Height must be nonzero")
    if start < 0:
        raise _invalid("header size must be nonnegative")
    if width * abs(height) >= _MOST_PIXELS:
        raise _invalid("Total possible pixel bytes must be less than 2^30")


def _with_channels(pixels: np.ndarray, channels: int) -> np.ndarray:
    own = pixels.shape[-1]
    if own == 1 and channels > 1:
        pixels = np.repeat(pixels, 3, -1)
    if channels > pixels.shape[-1]:
        return np.concatenate([pixels, np.full((*pixels.shape[:2], 1), 255, np.uint8)], -1)
    return pixels[..., :channels]


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError.of(message)
