"""Calls that decode files: the recorder makes them on TensorFlow, and the tests on tfcompat."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np


def _decoders(content: bytes) -> dict[str, tuple[str, tuple, dict]]:
    """The name of the function of `tf` and its arguments after the content, by the name of the call."""
    images = {f"image{c}": ("io.decode_image", (), {"channels": c}) for c in (0, 1, 3, 4)}
    first = {"first": ("io.decode_image", (), {"expand_animations": False})}
    if content.startswith(b"\xff\xd8"):
        return images | {
            **{f"ratio{r}": ("io.decode_jpeg", (), {"ratio": r}) for r in (2, 4, 8)},
            "accurate": ("io.decode_jpeg", (), {"dct_method": "INTEGER_ACCURATE"}),
            "simple": ("io.decode_jpeg", (), {"fancy_upscaling": False}),
            "crop": ("io.decode_and_crop_jpeg", ([0, 0, 1, 1],), {}),
            "outside": ("io.decode_and_crop_jpeg", ([0, 0, 999, 1],), {}),
            "shape": ("io.extract_jpeg_shape", (), {}),
            "float": ("io.decode_image", (), {"dtype": "float32"}),
            "uint16": ("io.decode_image", (), {"dtype": "uint16"}),
            "png": ("io.decode_png", (), {}),
            "gif": ("io.decode_gif", (), {}),
            "bmp": ("io.decode_bmp", (), {}),
        }
    if content.startswith(b"\x89PNG"):
        deep = {f"deep{c}": ("io.decode_png", (), {"channels": c, "dtype": "uint16"}) for c in (0, 1, 3, 4)}
        floating = {"float": ("io.decode_image", (), {"dtype": "float32"})}
        return images | deep | floating | {"jpeg": ("io.decode_jpeg", (), {}), "gif": ("io.decode_gif", (), {})}
    if content.startswith(b"GIF"):
        others = {f"of_{name}": (f"io.decode_{name}", (), {}) for name in ("gif", "png", "jpeg", "bmp")}
        return images | first | others | {"float": ("io.decode_image", (), {"dtype": "float32"})}
    if content.startswith(b"BM"):
        # TensorFlow writes outside of its memory if it decodes BMP to another dtype than uint8.
        return images | {"bmp": ("io.decode_bmp", (), {}), "png": ("io.decode_png", (), {})}
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return {f"webp{c}": ("io.decode_webp", (), {"channels": c}) for c in (0, 1, 3, 4)}
    return {
        f"wav_{channels}_{samples}": ("audio.decode_wav", (channels, samples), {})
        for channels, samples in ((-1, -1), (0, 5), (1, -1), (4, 100), (2, 3))
    }


def answers(tf: Any, content: bytes) -> dict[str, str]:
    """The result of every call as a digest of its shape, dtype and values, or the class of its error."""
    return {
        name: answer(tf, path, content, *args, **options) for name, (path, args, options) in _decoders(content).items()
    }


def answer(tf: Any, path: str, content: bytes, *args: Any, **options: Any) -> str:
    """The result of one call of the function `path` of `tf`."""
    space, _, name = path.partition(".")
    function = getattr(getattr(tf, space), name)
    if "dtype" in options:
        options["dtype"] = getattr(tf, options["dtype"])
    try:
        found = function(content, *args, **options)
    except UnicodeDecodeError:
        # TensorFlow's message has bytes of the file.
        return "InvalidArgumentError"
    except tf.errors.OpError as error:
        return type(error).__name__
    return digest((found[0] if path == "audio.decode_wav" else found).numpy())


def digest(array: np.ndarray) -> str:
    """Eight digits for the shape, the dtype and the values of `array`."""
    head = f"{array.shape} {array.dtype}".encode()
    return f"{zlib.crc32(np.ascontiguousarray(array).tobytes(), zlib.crc32(head)):08x}"
