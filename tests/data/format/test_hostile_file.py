"""Damaged files are refused, or decoded as by TensorFlow; nothing else is raised, and memory is bounded by the size."""

from __future__ import annotations

import struct
import zlib

import pytest

import tfcompat as tf
from tests import repetition
from tests.data.format.mutation import COPIES, KINDS, REFUSED, outcome, recorded

# `make test` takes 300 copies of a kind, `make soak` all.
COUNT = COPIES if repetition.count(10) == 10 else 300
# The shares of copies that are refused though TensorFlow decodes them, and that have other pixels: Pillow's decoder of
# GIF stops at damage that TensorFlow's tolerates, its decoder of WebP wants the sizes in the file to be right, and it
# decodes JPEG of components whose sizes simplejpeg does not know, by another cosine transform.
STRICTER = {"gif": 0.08, "webp": 0.05, "jpeg": 0.005}
OTHERWISE = {"gif": 0.015, "webp": 0.002, "png": 0.002, "jpeg": 0.0002}


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore:Image size")
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_file_has_the_outcome_of_tensorflow(kind: str) -> None:
    wanted = recorded()[kind]["outcomes"]
    assert len(wanted) == 4 * COPIES
    found = [(outcome(tf, kind, number), wanted[4 * number : 4 * number + 4]) for number in range(COUNT)]
    assert sum(got == REFUSED for got, _ in found) < COUNT
    stricter = sum(got == REFUSED != want for got, want in found)
    otherwise = sum(got not in (want, REFUSED) for got, want in found)
    assert stricter <= STRICTER.get(kind, 0) * COUNT
    assert otherwise <= OTHERWISE.get(kind, 0) * COUNT


def png_of(width: int, height: int, data: bytes) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def gif_of(width: int, height: int) -> bytes:
    shared = struct.pack("<6sHHBBB", b"GIF89a", width, height, 0x80, 0, 0) + bytes(6)
    return shared + struct.pack("<BHHHHB", 0x2C, 0, 0, width, height, 0) + b"\x02\x02\x44\x01\x00;"


@pytest.mark.parametrize(
    "content",
    [
        png_of(1_000_001, 1, zlib.compress(bytes(9))),
        png_of(30_000, 30_000, zlib.compress(bytes(9))),
        png_of(20_000, 20_000, zlib.compress(bytes(9))),
        gif_of(65_535, 65_535),
        b"BM" + struct.pack("<8xIIii2xH", 54, 40, 2**30, 2**30, 24) + bytes(30),
        b"\xff\xd8\xff\xc0\0\x0b\x08\xff\xff\xff\xff\x01\x01\x11\0\xff\xda\0\x08\x01\x01\0\0\x3f\0\xff\xd9",
    ],
    ids=["png_side", "png_pixels", "png_data", "gif", "bmp", "jpeg"],
)
def test_size_that_the_content_does_not_justify_is_refused(content: bytes) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_image(content)
