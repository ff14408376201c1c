"""Reading of records by offsets and by blocks."""

from __future__ import annotations

import gzip
import itertools
import random
import sys
import tracemalloc
import zlib

import google_crc32c
import pytest

import tfcompat as tf
from tfcompat._data.format import checksum
from tfcompat._data.format.checksum import masked_one
from tfcompat._data.format.record_reader import CHECKSUM, LENGTH, RecordReader

TEXTS = [b"", b"abc", b"x" * 600_000, b"defg"]


@pytest.fixture(params=["", "GZIP", "ZLIB"])
def kind(request):
    return request.param


@pytest.fixture
def path(tmp_path, kind):
    with tf.io.TFRecordWriter(str(tmp_path / "file"), kind) as writer:
        for text in TEXTS:
            writer.write(text)
    return str(tmp_path / "file")


def test_offsets_are_those_of_records(path, kind):
    with RecordReader(path, kind) as reader:
        ends = [(reader.offset, record) for record in reader]
        assert ends == [(16, b""), (35, b"abc"), (600_051, TEXTS[2]), (600_071, b"defg")]
        for end, record in reversed(ends):
            reader.seek(end - len(record) - 16)
            assert reader.read() == record
        reader.seek(600_071)
        assert reader.read() is None


def test_blocks_have_up_to_count_records(path, kind):
    with RecordReader(path, kind) as reader:
        found = []
        while block := reader.read_block(3):
            assert len(block) <= 3
            found += block
            assert reader.offset == sum(len(text) + 16 for text in found)
        assert found == TEXTS


def test_reading_ends_after_an_error(path, kind):
    if kind:
        pytest.skip("a change in a compressed file is found by zlib")
    with open(path, "r+b") as file:
        file.seek(30)
        file.write(b"?")
    with RecordReader(path) as reader:
        assert reader.read() == b""
        with pytest.raises(tf.errors.DataLossError, match="corrupted record at 28"):
            reader.read()
        assert reader.read() is None
        reader.seek(35)
        assert reader.read() == TEXTS[2]


def test_a_length_allocates_nothing_that_the_file_does_not_have(tmp_path, kind):
    length = LENGTH.pack(2**40)
    header = length + CHECKSUM.pack(masked_one(google_crc32c.value(length)))
    path = tmp_path / "file"
    content = header + b"abc"
    path.write_bytes(content if not kind else _compressed(content, kind))
    tracemalloc.start()
    with RecordReader(str(path), kind) as reader, pytest.raises(tf.errors.DataLossError, match="truncated record at 0"):
        reader.read()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


def _compressed(content: bytes, kind: str) -> bytes:
    return gzip.compress(content) if kind == "GZIP" else zlib.compress(content)


def test_checksums_of_numpy_are_those_of_the_package():
    draw = random.Random(1)
    sizes = [0, 1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 66, 93, 500, 1023, 1024, 1025, 3000, 100_000]
    parts = [draw.randbytes(draw.choice(sizes)) for _ in range(200)]
    expected = [google_crc32c.value(part) for part in parts]
    assert checksum.by_columns(parts) == expected
    assert [checksum.by_tables(part) for part in parts[:50]] == expected[:50]
    assert checksum.by_columns([]) == []


def test_checksums_are_extended_without_the_package(monkeypatch):
    draw = random.Random(1)
    parts = [draw.randbytes(draw.choice([0, 1, 3, 4, 5, 63, 64, 65, 300])) for _ in range(60)]
    expected = [google_crc32c.value(b"".join(parts[: number + 1])) for number in range(len(parts))]
    with_package = list(itertools.accumulate(parts, checksum.extended, initial=0))[1:]
    monkeypatch.setitem(sys.modules, "google_crc32c", None)
    assert list(itertools.accumulate(parts, checksum.extended, initial=0))[1:] == with_package == expected


def test_records_are_read_without_the_package(path, kind, monkeypatch):
    monkeypatch.setitem(sys.modules, "google_crc32c", None)
    checksum.of_bytes.cache_clear()
    try:
        assert checksum.of_bytes() is checksum.by_tables
        assert list(RecordReader(path, kind)) == TEXTS
    finally:
        monkeypatch.undo()
        checksum.of_bytes.cache_clear()
    assert checksum.of_bytes() is google_crc32c.value
