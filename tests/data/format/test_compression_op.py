"""`tf.io.decode_compressed`."""

from __future__ import annotations

import gzip
import zlib

import pytest

import tfcompat as tf

ZLIB, GZIP = zlib.compress(b"hello"), gzip.compress(b"hello")


@pytest.mark.parametrize(
    ("data", "kind", "expected"),
    [
        (ZLIB, "ZLIB", b"hello"),
        (GZIP, "GZIP", b"hello"),
        (ZLIB, "", ZLIB),
        ([ZLIB, zlib.compress(b"")], "ZLIB", [b"hello", b""]),
        ([[GZIP + GZIP], [b""]], "GZIP", [[b"hellohello"], [b""]]),
        (ZLIB + b"rest", "ZLIB", b"hello"),
        (ZLIB[:-2], "ZLIB", b"hello"),
        (ZLIB[:-6], "ZLIB", b"hell"),
        (GZIP[:-3], "GZIP", b"hello"),
        (zlib.compress(b"x" * 1_000_000), "ZLIB", b"x" * 1_000_000),
    ],
    ids=["zlib", "gzip", "none", "vector", "members", "rest", "cut_sum", "cut_data", "cut_gzip", "long"],
)
def test_strings_are_decompressed(data, kind, expected):
    found = tf.io.decode_compressed(data, kind)
    assert found.dtype == tf.string
    assert found.numpy() == expected if isinstance(expected, bytes) else found.numpy().tolist() == expected


@pytest.mark.parametrize(
    ("data", "kind", "error"),
    [
        (b"hello", "ZLIB", tf.errors.DataLossError),
        (ZLIB, "GZIP", tf.errors.DataLossError),
        (GZIP + b"rest", "GZIP", tf.errors.DataLossError),
        (ZLIB[:-1] + b"x", "ZLIB", tf.errors.DataLossError),
        (ZLIB, "BAD", tf.errors.InvalidArgumentError),
        ([1], "ZLIB", TypeError),
    ],
    ids=["plain", "other", "rest", "sum", "kind", "number"],
)
def test_other_strings_are_refused(data, kind, error):
    with pytest.raises(error):
        tf.io.decode_compressed(data, kind)
