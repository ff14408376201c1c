"""Writing images in the format PNG, with the filters and parameters of deflation that libpng chooses."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from tfcompat._data.format.png_chunk import COLOUR, COLOUR_ALPHA, GREY, GREY_ALPHA, SIGNATURE

_COLOURS = {1: GREY, 2: GREY_ALPHA, 3: COLOUR, 4: COLOUR_ALPHA}
_CHUNK = 8192
# libpng makes the window of zlib small for files up to this size.
_SMALL = 16384
_MOST_WINDOW, _LEAST_WINDOW, _MEMORY = 15, 9, 9


def encoded(pixels: np.ndarray, compression: int) -> bytes:
    """The file with `pixels`, uint8 or uint16 [height, width, 1 to 4], deflated at the level `compression`, -1 to 9."""
    height, width, channels = pixels.shape
    big = pixels.astype(pixels.dtype.newbyteorder(">"))
    rows = np.ascontiguousarray(big).view(np.uint8).reshape(height, -1)
    filtered = _filtered(rows, channels * pixels.dtype.itemsize, width)
    window = _MOST_WINDOW
    if len(filtered) <= _SMALL:
        while window > _LEAST_WINDOW and len(filtered) + 262 <= 1 << window - 1:
            window -= 1
    deflater = zlib.compressobj(compression, zlib.DEFLATED, window, _MEMORY, zlib.Z_FILTERED)
    data = _with_least_window(deflater.compress(filtered) + deflater.flush(), len(filtered))
    head = struct.pack(">IIBBBBB", width, height, 8 * pixels.dtype.itemsize, _COLOURS[channels], 0, 0, 0)
    parts = [_chunk(b"IDAT", data[start : start + _CHUNK]) for start in range(0, len(data), _CHUNK)]
    return b"".join([SIGNATURE, _chunk(b"IHDR", head), *parts, _chunk(b"IEND", b"")])


def _with_least_window(data: bytes, size: int) -> bytes:
    """The stream `data`, whose first two bytes promise the least window for `size` bytes, as libpng writes them."""
    window = data[0] >> 4
    while window > 0 and size <= _SMALL and size <= 1 << window + 7:
        window -= 1
    first, second = data[0] & 0x0F | window << 4, data[1] & 0xE0
    return bytes([first, second + 31 - (first << 8 | second) % 31]) + data[2:]


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _filtered(rows: np.ndarray, step: int, width: int) -> bytes:
    """The rows, each with the filter that makes its bytes smallest; `step` is the number of bytes of a pixel."""
    left, above, corner = np.zeros_like(rows), np.zeros_like(rows), np.zeros_like(rows)
    left[:, step:] = rows[:, :-step]
    above[1:] = rows[:-1]
    corner[1:, step:] = rows[:-1, :-step]
    candidates = [rows, rows - left, rows - above, rows - _mean(left, above), rows - _nearest(left, above, corner)]
    # libpng does not try filters whose neighbours are all outside of the image.
    allowed = [k for k in range(5) if not ((k in (1, 3, 4) and width == 1) or (k > 1 and len(rows) == 1))]
    sizes = np.stack([np.abs(candidates[k].view(np.int8).astype(np.int32)).sum(1) for k in allowed])
    best = np.array(allowed)[sizes.argmin(0)]
    chosen = np.choose(best[:, None], candidates)
    return np.concatenate([best[:, None].astype(np.uint8), chosen], 1).tobytes()


def _mean(left: np.ndarray, above: np.ndarray) -> np.ndarray:
    return ((left.astype(np.uint16) + above) >> 1).astype(np.uint8)


def _nearest(left: np.ndarray, above: np.ndarray, corner: np.ndarray) -> np.ndarray:
    """The neighbour that is nearest to left + above - corner (Paeth)."""
    a, b, c = (part.astype(np.int16) for part in (left, above, corner))
    to_left, to_above, to_corner = np.abs(b - c), np.abs(a - c), np.abs(a + b - 2 * c)
    return np.where(
        (to_left <= to_above) & (to_left <= to_corner), left, np.where(to_above <= to_corner, above, corner)
    )
