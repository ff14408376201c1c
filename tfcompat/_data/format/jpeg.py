"""Images in the format JPEG.

With simplejpeg the pixels are TensorFlow's: both use libjpeg-turbo. Pillow replaces it if it is not installed, and for
components of unusual sizes, or of different ones in CMYK; its pixels differ by up to 5, since its cosine transform is
the accurate one.
"""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._data.format.jpeg_header import Header, cleaned, has_end, header
from tfcompat._data.format.requirement import pillow, simplejpeg

_MOST_SAMPLES = 2**29
# The sizes of blocks, and of TensorFlow's reductions.
_BLOCK, RATIOS = 8, (1, 2, 4, 8)
_CMYK = 4
_BYTES = {"GRAY": 1, "RGB": 3, "CMYK": 4}
# The first words of libjpeg's warnings.
_WARNINGS = (
    "Corrupt JPEG data",
    "Warning",
    "Premature end",
    "Inconsistent progression",
    "Invalid SOS parameters",
    "Unknown Adobe",
    "Application transferred",
)


class Way(NamedTuple):
    """The options of decoding: see `tf.io.decode_jpeg`."""

    ratio: int = 1
    has_fancy_upscaling: bool = True
    may_be_truncated: bool = False
    acceptable_fraction: float = 1.0
    is_accurate: bool = False


def decoded(content: bytes, channels: int, way: Way, window: tuple[int, int, int, int] | None = None) -> np.ndarray:
    """The pixels, uint8 [height, width, channels], or those in `window`: its top, left, height and width.

    If `channels` is 0, they are those of the file, which are 3 for CMYK.
    """
    head = header(content)
    if head is None or not head.height * head.width or head.components not in (1, 3, _CMYK):
        raise invalid()
    wanted = channels or min(head.components, 3)
    is_cmyk = head.components == _CMYK
    height, width = (-(-size // way.ratio) for size in (head.height, head.width))
    if height * width * head.components >= _MOST_SAMPLES or (is_cmyk and wanted == 1):
        raise invalid()
    _require_inside(window, height, width)
    pixels = _pixels(content, head, "CMYK" if is_cmyk else {1: "GRAY", 3: "RGB"}[wanted], way)
    if window is not None:
        top, left, rows, columns = window
        pixels = np.ascontiguousarray(pixels[top : top + rows, left : left + columns])
    return _without_black(pixels, head.has_adobe) if is_cmyk else pixels


def shape(content: bytes) -> tuple[int, int, int]:
    """The height, the width, and the number of components."""
    head = header(content)
    if head is None or not head.has_pixels or not head.height * head.width:
        raise InvalidArgumentError.of(f"Invalid JPEG data, size {len(content)}")
    return head.height, head.width, head.components


def invalid() -> InvalidArgumentError:
    """The error for a file that is damaged or ends too early, and for a window outside of the image."""
    return InvalidArgumentError.of("jpeg::Uncompress failed. Invalid JPEG data or crop window.")


def _require_end(content: bytes, way: Way) -> None:
    if way.may_be_truncated or has_end(content):
        return
    if way.acceptable_fraction < 1:
        raise NotImplementedError(
            "tf.io.decode_jpeg: acceptable_fraction is not supported for a file that ends too early; use "
            "try_recover_truncated=True, which returns all rows."
        )
    raise invalid()


def _require_inside(window: tuple[int, int, int, int] | None, height: int, width: int) -> None:
    if window is None:
        return
    top, left, rows, columns = window
    if rows <= 0 or columns <= 0 or top < 0 or left < 0 or top + rows > height or left + columns > width:
        raise invalid()


def _pixels(content: bytes, head: Header, space: str, way: Way) -> np.ndarray:
    """The pixels in the space of colours "GRAY", "RGB" or "CMYK"."""
    height, width = (-(-size // way.ratio) for size in (head.height, head.width))
    if way.ratio > 1 and max(head.height, head.width) < _BLOCK:
        # The file has a block of 8 by 8. The size of a part of it is that of several reductions, among which the
        # decoders choose; the size of the block is that of one.
        size = _BLOCK.to_bytes(2)
        content = content[: head.place] + size + size + content[head.place + 4 :]
        head = head._replace(height=_BLOCK, width=_BLOCK)
    codec = simplejpeg()
    pixels = None if codec is None else _by_simplejpeg(codec, content, head, space, way)
    if pixels is None:
        pixels = _by_pillow(content, head, space, way)
    if pixels.shape[0] < height or pixels.shape[1] < width:
        raise invalid()
    return pixels[:height, :width]


def _by_simplejpeg(codec: Any, content: bytes, head: Header, space: str, way: Way) -> np.ndarray | None:
    """The pixels; None for a layout of components that simplejpeg does not know."""
    options = {
        "fastdct": not way.is_accurate,
        "fastupsample": not way.has_fancy_upscaling,
        "min_height": -(-head.height // way.ratio) if way.ratio > 1 else 0,
        "min_width": -(-head.width // way.ratio) if way.ratio > 1 else 0,
    }
    try:
        return codec.decode_jpeg(content, space, **options)
    except ValueError as bad:
        if "subsampling" in str(bad):
            return None
        if not str(bad).startswith(_WARNINGS):
            raise invalid() from bad
    _require_end(content, way)
    return _despite_warnings(codec, cleaned(content), space, options)


def _despite_warnings(codec: Any, content: bytes, space: str, options: dict[str, Any]) -> np.ndarray:
    """The pixels of a damaged file, if its damage is of a kind that TensorFlow ignores.

    simplejpeg then ignores errors, too, after which it leaves pixels as they were before.
    """
    found: list[np.ndarray] = []
    for fill in (0, 255):
        try:
            height, width = codec.decode_jpeg_header(content, options["min_height"], options["min_width"])[:2]
            buffer = np.full(height * width * _BYTES[space], fill, np.uint8)
            found.append(codec.decode_jpeg(content, space, strict=False, buffer=buffer, **options))
        except ValueError as bad:
            raise invalid() from bad
    if not np.array_equal(found[0], found[1]):
        raise invalid()
    return found[0]


def _by_pillow(content: bytes, head: Header, space: str, way: Way) -> np.ndarray:
    if not way.has_fancy_upscaling:
        raise NotImplementedError(
            "tf.io.decode_jpeg: fancy_upscaling=False needs the package simplejpeg, and components of equal sizes in "
            "CMYK: `pip install 'tfcompat[data]'` installs it."
        )
    _require_end(content, way)
    images = pillow()
    mode = {"GRAY": "L", "RGB": "RGB", "CMYK": "CMYK"}[space]
    try:
        with images.open(io.BytesIO(content), formats=("JPEG",)) as image:
            image.draft(mode, (max(1, head.width // way.ratio), max(1, head.height // way.ratio)))
            pixels = np.asarray(image if image.mode == mode else image.convert(mode))
    except (OSError, SyntaxError, ValueError, images.DecompressionBombError) as bad:
        raise invalid() from bad
    # Pillow inverts what Adobe has inverted.
    pixels = 255 - pixels if mode == "CMYK" and head.has_adobe else pixels
    return pixels.reshape(*pixels.shape[:2], -1)


def _without_black(pixels: np.ndarray, has_adobe: bool) -> np.ndarray:
    """The colours red, green and blue of cyan, magenta, yellow and black; a file of Adobe has them inverted."""
    inks = pixels.astype(np.int32)
    light = inks if has_adobe else 255 - inks
    return (light[..., 3:] * light[..., :3] // 255).astype(np.uint8)
