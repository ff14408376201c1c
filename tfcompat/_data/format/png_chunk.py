"""The chunks of a PNG file: its header, palette, transparency and compressed pixels."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from tfcompat._core.system.error import InvalidArgumentError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, COLOUR, PALETTE, GREY_ALPHA, COLOUR_ALPHA = 0, 2, 3, 4, 6
# The number of samples of a pixel, and the sizes of a sample in bits, by the type of colour.
SAMPLES = {GREY: 1, COLOUR: 3, PALETTE: 1, GREY_ALPHA: 2, COLOUR_ALPHA: 4}
_DEPTHS = {GREY: (1, 2, 4, 8, 16), COLOUR: (8, 16), PALETTE: (1, 2, 4, 8), GREY_ALPHA: (8, 16), COLOUR_ALPHA: (8, 16)}
# libpng's limit of width and height, and TensorFlow's of their product.
_MOST_SIZE, _MOST_PIXELS = 1_000_000, 2**29
# The first row and column, and the steps, of the parts of an interlaced image.
_PASSES = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))
# The gamma of sRGB.
_STANDARD_GAMMA = 45455
# A byte of a deflated stream stands for at most 1032 bytes.
_MOST_RATIO = 1032


class Png(NamedTuple):
    """A file: `data` are its deflated pixels, `palette` and `transparency` the contents of PLTE and tRNS.

    `gamma` is the number in gAMA, 0 without one.
    """

    width: int
    height: int
    depth: int
    colour: int
    is_interlaced: bool
    data: bytes
    palette: bytes
    transparency: bytes | None
    gamma: int


class Chunk(NamedTuple):
    """A chunk: its type and content. That of an optional chunk with a wrong checksum is None."""

    name: bytes
    content: bytes | None


def invalid(content: bytes) -> InvalidArgumentError:
    """The error for a file that is damaged or ends too early."""
    return InvalidArgumentError.of(f"Invalid PNG data, size {len(content)}")


def without_decoder() -> InvalidArgumentError:
    """The error for a file whose chunks before the pixels are invalid."""
    return InvalidArgumentError.of("Invalid PNG. Failed to initialize decoder.")


def parsed(content: bytes) -> Png:
    """The parts of the file `content`. Raises InvalidArgumentError where libpng refuses them."""
    chunks = _chunks(content)
    header = _header(next(chunks, None))
    palette, transparency, gamma, data = b"", None, 0, []
    has_ended = is_standard = False
    for name, body in chunks:
        if name == b"IDAT" and body is not None and not has_ended:
            if header[3] == PALETTE and not palette:
                raise without_decoder()
            data.append(body)
        elif name == b"IEND":
            return _whole(content, Png(*header, b"".join(data), palette, transparency, gamma))
        elif data:
            has_ended = True
            if name in (b"PLTE", b"IHDR"):
                raise invalid(content)
        elif name == b"PLTE" and body is not None:
            palette = _palette(body, header, palette)
        elif name == b"tRNS" and body is not None and transparency is None:
            transparency = _transparency(body, header[3], palette)
        elif name == b"sRGB" and body is not None and len(body) == 1 and body[0] < 4:
            gamma, is_standard = _STANDARD_GAMMA, True
        elif name == b"gAMA" and body is not None and len(body) == 4 and not is_standard:
            gamma = int.from_bytes(body)
        elif name == b"IHDR":
            raise without_decoder()
    raise invalid(content) if data else without_decoder()


def _chunks(content: bytes) -> Iterator[Chunk]:
    """The chunks up to a part that is missing or invalid; critical ones have capital letters."""
    place = len(SIGNATURE)
    while place + 12 <= len(content):
        size, name = struct.unpack_from(">I4s", content, place)
        body = content[place + 8 : place + 8 + size]
        end = place + 12 + size
        is_critical = not name[0] & 0x20
        if size >= 2**31 or end > len(content) or not name.isalpha():
            return
        is_intact = zlib.crc32(name + body) == int.from_bytes(content[end - 4 : end])
        if is_critical and (not is_intact or name not in (b"IHDR", b"PLTE", b"IDAT", b"IEND")):
            return
        yield Chunk(name, body if is_intact else None)
        place = end


def _header(chunk: Chunk | None) -> tuple[int, int, int, int, bool]:
    if chunk is None or chunk.name != b"IHDR" or chunk.content is None or len(chunk.content) != 13:
        raise without_decoder()
    width, height, depth, colour, compression, filters, interlace = struct.unpack(">IIBBBBB", chunk.content)
    is_valid = depth in _DEPTHS.get(colour, ()) and not compression and not filters and interlace < 2
    if not is_valid or not 0 < width <= _MOST_SIZE or not 0 < height <= _MOST_SIZE:
        raise without_decoder()
    return width, height, depth, colour, bool(interlace)


def _palette(body: bytes, header: tuple[int, int, int, int, bool], found: bytes) -> bytes:
    if found or len(body) % 3 or not 0 < len(body) <= 768:
        if header[3] == PALETTE or found:
            raise without_decoder()
        return b""
    return body[: 3 << header[2]] if header[3] == PALETTE else b""


def _transparency(body: bytes, colour: int, palette: bytes) -> bytes | None:
    if colour == PALETTE:
        return body if 0 < len(body) <= len(palette) // 3 else None
    return body if len(body) == {GREY: 2, COLOUR: 6}.get(colour) else None


def _whole(content: bytes, png: Png) -> Png:
    """`png`, if its pixels are there and not too many."""
    if not png.data:
        raise without_decoder()
    if png.width * png.height >= _MOST_PIXELS:
        raise InvalidArgumentError.of(f"PNG size too large for int: {png.width} by {png.height}")
    if png.width * png.height * png.depth * SAMPLES[png.colour] // 8 > len(png.data) * _MOST_RATIO:
        raise invalid(content)
    return png


def has_all_rows(png: Png) -> bool:
    """Whether the deflated data are as long as the image needs. Pillow takes missing rows as zeros."""
    bits = png.depth * SAMPLES[png.colour]
    passes = _PASSES if png.is_interlaced else ((0, 0, 1, 1),)
    sizes = [(len(range(y, png.height, dy)), len(range(x, png.width, dx))) for y, x, dy, dx in passes]
    needed = sum(rows * (1 + (columns * bits + 7) // 8) for rows, columns in sizes if columns)
    try:
        return len(zlib.decompressobj().decompress(png.data, needed)) == needed
    except zlib.error:
        return False
