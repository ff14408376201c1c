"""Writing images in the format JPEG, by Pillow, whose encoder is libjpeg-turbo, as TensorFlow's is."""

from __future__ import annotations

import io
import struct
from typing import NamedTuple

import numpy as np

from tfcompat._data.format.requirement import pillow

# The position of the unit and the numbers of the density in the first segment.
_DENSITY = 13


class Style(NamedTuple):
    """The options of encoding: see `tf.io.encode_jpeg`."""

    quality: int = 95
    is_progressive: bool = False
    is_optimized: bool = False
    has_small_chroma: bool = True
    unit: int = 1
    x_density: int = 300
    y_density: int = 300
    xmp: bytes = b""


def encoded(pixels: np.ndarray, style: Style) -> bytes:
    """The file with `pixels`, uint8 [height, width, 1 or 3]."""
    image = pillow().fromarray(np.ascontiguousarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels))
    stream = io.BytesIO()
    image.save(
        stream,
        "JPEG",
        quality=style.quality,
        progressive=style.is_progressive,
        optimize=style.is_optimized,
        # Of grey pixels, Pillow would write the factors that make colours small.
        subsampling=2 if style.has_small_chroma and pixels.shape[-1] == 3 else 0,
        **({"xmp": style.xmp} if style.xmp else {}),
    )
    content = bytearray(stream.getvalue())
    struct.pack_into(">BHH", content, _DENSITY, style.unit, style.x_density % 2**16, style.y_density % 2**16)
    return bytes(content)
