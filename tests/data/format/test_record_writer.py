"""`tf.io.TFRecordWriter`, `tf.io.TFRecordOptions` and `tf.compat.v1.io.tf_record_iterator`."""

from __future__ import annotations

import gzip
import pathlib
import random

import pytest

import tfcompat as tf
from tests.data.format.hostile import GZIP, RECORDS, ZLIB

TEXTS = [b"", b"abc", b"abc" * 12]
FILES = {"": RECORDS, "GZIP": GZIP, "ZLIB": ZLIB}


def read(path, options=None):
    """The records of a file, and the error that ends it."""
    found = []
    try:
        found += tf.compat.v1.io.tf_record_iterator(str(path), options)
    except tf.errors.OpError as error:
        found.append(f"{type(error).__name__}: {error}")
    return found


def written(path, records, options=None):
    with tf.io.TFRecordWriter(str(path), options) as writer:
        for record in records:
            writer.write(record)
    return path


def test_records_are_framed_as_by_tensorflow(tmp_path):
    assert written(tmp_path / "plain", TEXTS).read_bytes() == RECORDS


@pytest.mark.parametrize("options", ["", "GZIP", "ZLIB", None])
def test_records_come_back(tmp_path, options):
    draw = random.Random(0)
    records = [draw.randbytes(draw.choice([0, 1, 3, 4, 5, 100, 5000, 300_000])) for _ in range(40)]
    assert read(written(tmp_path / "file", records, options), options) == records


@pytest.mark.parametrize("options", FILES)
def test_files_of_tensorflow_are_read(tmp_path, options):
    path = tmp_path / "file"
    path.write_bytes(FILES[options])
    assert read(path, options) == TEXTS
    assert list(tf.compat.v1.python_io.tf_record_iterator(str(path), tf.io.TFRecordOptions(options))) == TEXTS


def test_text_is_written_as_utf8(tmp_path):
    path = written(tmp_path / "file", ["é", bytearray(b"x")])
    assert read(path) == ["é".encode(), b"x"]


def test_what_is_no_string_is_refused(tmp_path):
    with tf.io.TFRecordWriter(str(tmp_path / "file")) as writer:
        for wrong in (5, None, tf.constant("a"), memoryview(b"abc")):
            with pytest.raises(TypeError):
                writer.write(wrong)
    with pytest.raises(TypeError):
        tf.io.TFRecordWriter(tmp_path / "file")


def test_a_closed_writer_refuses(tmp_path):
    writer = tf.io.TFRecordWriter(str(tmp_path / "file"))
    writer.close()
    writer.close()
    for use in (lambda: writer.write(b""), writer.flush):
        with pytest.raises(tf.errors.FailedPreconditionError, match=r"Writer is closed\."):
            use()


@pytest.mark.parametrize("options", ["", "GZIP"])
def test_flushed_records_can_be_read(tmp_path, options):
    path = tmp_path / "file"
    writer = tf.io.TFRecordWriter(str(path), options)
    writer.write(b"abc")
    writer.flush()
    assert read(path, options) == [b"abc"]
    writer.close()


def test_a_dropped_writer_writes_its_records(tmp_path):
    path = tmp_path / "file"
    writer = tf.io.TFRecordWriter(str(path), "ZLIB")
    writer.write(b"abc")
    del writer
    assert read(path, "ZLIB") == [b"abc"]


@pytest.mark.parametrize(
    "given",
    [
        {"compression_level": 9},
        {"compression_level": 0},
        {"window_bits": 9 + 16},
        {"mem_level": 1},
        {"compression_strategy": 2},
        {"flush_mode": 2, "input_buffer_size": 10},
        {"output_buffer_size": 10},
    ],
    ids=lambda given: next(iter(given)) + str(next(iter(given.values()))),
)
def test_options_of_compression(tmp_path, given):
    path = written(tmp_path / "file", [b"abc" * 100, b"d"], tf.io.TFRecordOptions("GZIP", **given))
    assert read(path, "GZIP") == [b"abc" * 100, b"d"]
    plain = written(tmp_path / "plain", [b"abc" * 100, b"d"]).read_bytes()
    assert gzip.decompress(path.read_bytes()) == plain
    assert (len(path.read_bytes()) > len(plain)) is (given == {"compression_level": 0})


def test_kinds_of_compression_have_names_and_numbers():
    options = tf.io.TFRecordOptions
    kinds = tf.compat.v1.io.TFRecordCompressionType
    assert (kinds.NONE, kinds.ZLIB, kinds.GZIP) == (0, 1, 2)
    named = [options.get_compression_type_string(kind) for kind in (None, "", 0, 1, 2, "GZIP", options("ZLIB"))]
    assert named == ["", "", "", "ZLIB", "GZIP", "GZIP", "ZLIB"]
    for use in (options, lambda kind: tf.io.TFRecordWriter("absent", kind), lambda kind: read("absent", kind)):
        with pytest.raises(ValueError, match="Not a valid compression_type"):
            use("BAD")
    assert not pathlib.Path("absent").exists()


def test_files_that_cannot_be_opened(tmp_path):
    absent = str(tmp_path / "absent" / "file")
    assert read(absent) == [f"NotFoundError: {absent}; No such file or directory"]
    assert read(tmp_path) == [f"FailedPreconditionError: {tmp_path}; Is a directory"]
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        tf.io.TFRecordWriter(absent)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        tf.io.TFRecordWriter(str(tmp_path))


TRUNCATED = "DataLossError: truncated record at {}' failed with Read less bytes than requested"


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, []),
        (11, []),
        (12, [TRUNCATED.format(0)]),
        (16, TEXTS[:1]),
        (27, TEXTS[:1]),
        (28, [b"", TRUNCATED.format(16)]),
        (34, [b"", TRUNCATED.format(16)]),
        (35, TEXTS[:2]),
        (60, [b"", b"abc", TRUNCATED.format(35)]),
    ],
)
def test_truncated_files(tmp_path, size, expected):
    path = tmp_path / "file"
    path.write_bytes(RECORDS[:size])
    assert read(path) == expected


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (0, ["DataLossError: corrupted record at 0 (Is this even a TFRecord file?)"]),
        (8, ["DataLossError: corrupted record at 0 (Is this even a TFRecord file?)"]),
        (12, ["DataLossError: corrupted record at 12"]),
        (16, [b"", "DataLossError: corrupted record at 16"]),
        (28, [b"", "DataLossError: corrupted record at 28"]),
        (34, [b"", "DataLossError: corrupted record at 28"]),
        (50, [b"", b"abc", "DataLossError: corrupted record at 47"]),
    ],
)
def test_corrupted_files(tmp_path, place, expected):
    content = bytearray(RECORDS)
    content[place] ^= 1
    path = tmp_path / "file"
    path.write_bytes(content)
    assert read(path) == expected


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        (RECORDS, "GZIP", ["DataLossError: inflate() failed with error -3: incorrect header check"]),
        (GZIP, "", ["DataLossError: corrupted record at 0 (Is this even a TFRecord file?)"]),
        (ZLIB[:12], "ZLIB", ["DataLossError: truncated record at 0' failed with EOF reached"]),
        (ZLIB + b"rest", "ZLIB", TEXTS),
        (GZIP + GZIP, "GZIP", TEXTS * 2),
        (GZIP + b"rest", "GZIP", [*TEXTS, "DataLossError: inflate() failed with error -3: incorrect header check"]),
        (b"", "GZIP", []),
    ],
    ids=["plain", "as_plain", "cut", "zlib_and_more", "members", "gzip_and_more", "empty"],
)
def test_compressed_files(tmp_path, content, options, expected):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert read(path, options) == expected
