"""Images in the format WebP, by Pillow, whose decoder is libwebp, as TensorFlow's is."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError, ResourceExhaustedError
from tfcompat._data.format.requirement import pillow

_COLOURS, _WITH_ALPHA = 3, 4
# libwebp refuses larger sizes itself: this bounds the product of them and of the number of frames.
_MOST_PIXELS = 2**29


def decoded(content: bytes, channels: int, has_all: bool = True) -> np.ndarray:
    """The frames, uint8 [frames, height, width, channels], or the first one.

    If `channels` is 0, they are 4 for a file with alpha or several frames, else 3.
    """
    images = pillow()
    try:
        with images.open(io.BytesIO(content), formats=("WEBP",)) as image:
            return _frames(image, _channels(image, channels), has_all)
    except (OSError, SyntaxError, ValueError, EOFError, images.DecompressionBombError) as bad:
        raise InvalidArgumentError.of("Failed to decode WebP image.") from bad


def _channels(image: Any, channels: int) -> int:
    own = _WITH_ALPHA if image.mode == "RGBA" or image.is_animated else _COLOURS
    if channels and channels != own:
        raise InvalidArgumentError.of("Number of channels requested does not match input")
    return own


def _frames(image: Any, channels: int, has_all: bool) -> np.ndarray:
    count = image.n_frames if has_all else 1
    if (pixels := image.width * image.height * count) >= _MOST_PIXELS:
        raise ResourceExhaustedError.of(f"WebP too large: {pixels} pixels; the limit is {_MOST_PIXELS}")
    frames: list[np.ndarray] = []
    for number in range(count):
        image.seek(number)
        frames.append(np.asarray(image.convert("RGBA" if channels == _WITH_ALPHA else "RGB")))
    return np.stack(frames)
