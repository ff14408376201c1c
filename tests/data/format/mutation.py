"""Recorded files of images and sound, and damaged copies of them, which are the same in every run."""

from __future__ import annotations

import base64
import functools
import gzip
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tests.data.format.call import answer

PATH = Path(__file__).resolve().parents[2] / "golden" / "file.json.gz"
KINDS = {
    "jpeg": ("io.decode_jpeg", {}),
    "png": ("io.decode_png", {}),
    "gif": ("io.decode_gif", {}),
    "bmp": ("io.decode_bmp", {}),
    "webp": ("io.decode_webp", {}),
    "wav": ("audio.decode_wav", {}),
}
# The damaged copies of each kind whose outcomes under TensorFlow are recorded.
COPIES = 10_000
REFUSED = "----"


@functools.cache
def recorded() -> dict[str, Any]:
    """For each kind, the "files" by name, in base64, the "seeds" among them, the "answers", and the "outcomes".

    The answers are those of `tests.data.format.call`; the outcomes are four digits for each damaged copy.
    """
    return json.loads(gzip.decompress(PATH.read_bytes()))


def file(kind: str, name: str) -> bytes:
    """An intact file."""
    return base64.b64decode(recorded()[kind]["files"][name])


@functools.cache
def seeds(kind: str) -> list[bytes]:
    """The files that damaged copies are made of."""
    return [file(kind, name) for name in recorded()[kind]["seeds"]]


def outcome(tf: Any, kind: str, number: int) -> str:
    """The result of decoding a damaged copy: four digits, or `REFUSED`."""
    path, options = KINDS[kind]
    found = answer(tf, path, damaged(kind, number), **options)
    return found[:4] if len(found) == 8 else REFUSED


def damaged(kind: str, number: int) -> bytes:
    """The damaged copy `number` of a file: bytes are replaced, left out, repeated, or missing at the end."""
    random = np.random.Generator(np.random.PCG64([number, *kind.encode()]))
    content = bytearray(seeds(kind)[number % len(seeds(kind))])
    for _ in range(int(random.integers(1, 4))):
        if content:
            _damage(content, random)
    return _with_checksums(bytes(content)) if kind == "png" and number % 4 else bytes(content)


def _damage(content: bytearray, random: np.random.Generator) -> None:
    place = int(random.integers(len(content)))
    end = place + int(random.integers(1, 9))
    match int(random.integers(8)):
        case 0:
            del content[place:]
        case 1:
            del content[place:end]
        case 2:
            content[place:place] = content[place:end]
        case 3:
            content[place:end] = bytes(len(content[place:end]))
        case 4:
            content[place:end] = b"\xff" * len(content[place:end])
        case 5:
            content[place] ^= 1 << int(random.integers(8))
        case _:
            content[place] = int(random.integers(256))


def _with_checksums(content: bytes) -> bytes:
    """A PNG file whose checksums are right, so that more than they is read."""
    found, place = bytearray(content[:8]), 8
    while place + 12 <= len(content):
        size = int.from_bytes(content[place : place + 4])
        end = place + 8 + size
        if end + 4 > len(content):
            break
        found += content[place:end] + struct.pack(">I", zlib.crc32(content[place + 4 : end]))
        place = end + 4
    return bytes(found + content[place:])
