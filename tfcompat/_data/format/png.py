"""Images in the format PNG.

Pillow inflates and unfilters the samples, and rearranges interlaced ones. Their conversion to channels and dtypes is
that of TensorFlow's calls of libpng.
"""

from __future__ import annotations

import numpy as np

from tfcompat._data.format.png_chunk import (
    COLOUR,
    COLOUR_ALPHA,
    GREY,
    GREY_ALPHA,
    PALETTE,
    Png,
    has_all_rows,
    invalid,
    parsed,
)
from tfcompat._data.format.requirement import pillow

# Pillow's mode, and the layout of the samples in the file, for samples of 8 bits or less and of 16 bits. Those of two
# bytes are read as pairs of bytes if a mode with as many bytes exists; else the high bytes and the low bytes are read
# separately, as a file in the other order of bytes has them.
_LAYOUT = {
    (GREY, 1): ("P", ("P;1",)),
    (GREY, 2): ("P", ("P;2",)),
    (GREY, 4): ("P", ("P;4",)),
    (GREY, 8): ("L", ("L",)),
    (GREY, 16): ("LA", ("LA",)),
    (PALETTE, 1): ("P", ("P;1",)),
    (PALETTE, 2): ("P", ("P;2",)),
    (PALETTE, 4): ("P", ("P;4",)),
    (PALETTE, 8): ("P", ("P",)),
    (GREY_ALPHA, 8): ("LA", ("LA",)),
    (GREY_ALPHA, 16): ("RGBA", ("RGBA",)),
    (COLOUR, 8): ("RGB", ("RGB",)),
    (COLOUR, 16): ("RGB", ("RGB;16B", "RGB;16L")),
    (COLOUR_ALPHA, 8): ("RGBA", ("RGBA",)),
    (COLOUR_ALPHA, 16): ("RGBA", ("RGBA;16B", "RGBA;16L")),
}
_HAS_ALPHA = {GREY_ALPHA, COLOUR_ALPHA}
_IS_GREY = {GREY, GREY_ALPHA}
# The shares of red and green in a grey value, in units of 2**-15: 0.299 and 0.587.
_RED, _GREEN = 9797, 19234
# The gamma of linear samples, in the units of gAMA; it is ignored if it differs by less than libpng's threshold.
_LINEAR, _INSIGNIFICANT = 100_000, 5_000


def decoded(content: bytes, channels: int, bits: int) -> np.ndarray:
    """The pixels, of `bits` 8 or 16 as uint8 or uint16 [height, width, channels].

    If `channels` is 0, they are those of the file.
    """
    png = parsed(content)
    own = _own_channels(png)
    wanted = channels or own
    pixels = _converted(png, _samples(content, png), wanted)
    if pixels.dtype == np.uint16:
        return pixels if bits == 16 else (pixels >> 8).astype(np.uint8)
    return pixels.astype(np.uint16) * 257 if bits == 16 else pixels


def _own_channels(png: Png) -> int:
    if png.colour == PALETTE:
        return 3 if png.transparency is None else 4
    return {GREY: 1, GREY_ALPHA: 2, COLOUR: 3, COLOUR_ALPHA: 4}[png.colour]


def _samples(content: bytes, png: Png) -> np.ndarray:
    """The samples of the file, uint8 or uint16 [height, width, samples]."""
    mode, layouts = _LAYOUT[png.colour, png.depth]
    size = png.width, png.height
    try:
        parts = [
            np.asarray(pillow().frombytes(mode, size, png.data, "zip", layout, png.is_interlaced)) for layout in layouts
        ]
    except (ValueError, OSError) as bad:
        raise invalid(content) from bad
    if (png.is_interlaced or not parts[0][-1].any()) and not has_all_rows(png):
        raise invalid(content)
    shape = png.height, png.width, -1
    if png.depth < 16:
        return parts[0].reshape(shape)
    if len(parts) == 1:
        return np.ascontiguousarray(parts[0]).view(">u2").astype(np.uint16).reshape(shape)
    return parts[0].astype(np.uint16) << 8 | parts[1]


def _converted(png: Png, samples: np.ndarray, wanted: int) -> np.ndarray:
    """The samples as `wanted` channels: grey values or colours, with or without alpha."""
    alpha = _alpha(png, samples) if wanted % 2 == 0 else None
    if png.colour == PALETTE:
        table = np.zeros((256, 3), np.uint8)
        table.reshape(-1)[: len(png.palette)] = np.frombuffer(png.palette, np.uint8)
        values = table[samples[..., 0]]
    else:
        values = samples[..., :1] if png.colour in _IS_GREY else samples[..., :3]
    if png.depth < 8 and png.colour == GREY:
        values = values * np.uint8(255 // ((1 << png.depth) - 1))
    if wanted < 3 and values.shape[-1] == 3:
        values = _grey(values, png.gamma)
    elif wanted > 2 and values.shape[-1] == 1:
        values = np.repeat(values, 3, -1)
    return np.ascontiguousarray(values if alpha is None else np.concatenate([values, alpha], -1))


def _alpha(png: Png, samples: np.ndarray) -> np.ndarray:
    """The opacity of each pixel, [height, width, 1]."""
    if png.colour in _HAS_ALPHA:
        return samples[..., -1:]
    most = (1 << max(png.depth, 8)) - 1
    if png.transparency is None:
        return np.full((*samples.shape[:2], 1), (1 << png.depth) - 1, samples.dtype)
    if png.colour == PALETTE:
        table = np.full(256, 255, np.uint8)
        table[: len(png.transparency)] = np.frombuffer(png.transparency, np.uint8)
        return table[samples]
    transparent = np.frombuffer(png.transparency, ">u2") & ((1 << png.depth) - 1)
    is_opaque = (samples != transparent).any(-1, keepdims=True)
    return np.where(is_opaque, most, 0).astype(samples.dtype)


def _grey(values: np.ndarray, gamma: int) -> np.ndarray:
    """The grey values of colours; if the file has a gamma, they are mixed as linear light."""
    is_16 = values.dtype == np.uint16
    is_linear = abs(gamma - _LINEAR) <= _INSIGNIFICANT or not gamma
    if is_linear:
        return _mixed(values, 2**14 if is_16 else 0)
    if is_16:
        raise NotImplementedError(
            "tf.io.decode_png: 16-bit colours with a gamma are not converted to grey; decode them with channels=3, and "
            "use tf.image.rgb_to_grayscale."
        )
    scale = np.arange(256) / 255
    to_light, from_light = (
        np.floor(255 * scale**power + 0.5).astype(np.uint8) for power in (_LINEAR / gamma, gamma / _LINEAR)
    )
    is_grey = (values == values[..., :1]).all(-1, keepdims=True)
    return np.where(is_grey, values[..., :1], from_light[_mixed(to_light[values], 2**14)])


def _mixed(values: np.ndarray, half: int) -> np.ndarray:
    red, green, blue = (values[..., k : k + 1].astype(np.uint32) for k in range(3))
    return ((_RED * red + _GREEN * green + (2**15 - _RED - _GREEN) * blue + half) >> 15).astype(values.dtype)
