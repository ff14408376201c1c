"""Datasets of the rows of SQLite databases."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

import tfcompat as tf
from tests.data.reading import listed, refuses

INVALID = tf.errors.InvalidArgumentError
ROWS = [(1, 1.5, "x", b"q\x00r", 1), (2, None, None, b"", 0), (300, 2, "1e99", b"z", 5)]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    found = str(tmp_path_factory.mktemp("database") / "a ?#.sqlite")
    with contextlib.closing(sqlite3.connect(found)) as connection:
        connection.execute("create table t(a integer, b real, c text, d blob, e integer)")
        connection.executemany("insert into t values(?, ?, ?, ?, ?)", ROWS)
        connection.commit()
    return found


def rows(path, query, types):
    return listed(tf.data.experimental.SqlDataset("sqlite", path, query, types))


def test_types(path):
    assert rows(path, "select a, b, c from t", (tf.int32, tf.float64, tf.string)) == [
        (1, 1.5, b"x"),
        (2, 0.0, b""),
        (300, 2.0, b"1e99"),
    ]
    assert rows(path, "select a, e, d from t", (tf.int64, tf.bool, tf.string))[0] == (1, True, b"q\x00r")
    small = rows(path, "select a, a, a from t", (tf.int8, tf.uint8, tf.int16))
    assert small == [(1, 1, 1), (2, 2, 2), (44, 44, 300)]


def test_conversions(path):
    assert rows(path, "select a, b from t", (tf.string, tf.string)) == [(b"1", b"1.5"), (b"2", b""), (b"300", b"2.0")]
    assert rows(path, "select b, a from t", (tf.int32, tf.float64)) == [(1, 1.0), (0, 2.0), (2, 300.0)]
    assert rows(path, "select '12abc', ' -1.5e1x', 'x'", (tf.float64,) * 3) == [(12.0, -15.0, 0.0)]
    assert rows(path, "select 1e300", (tf.int64,)) == [(2**63 - 1,)]


def test_dataset(path):
    dataset = tf.data.experimental.SqlDataset("sqlite", path, tf.constant("select a, e from t"), (tf.int32, tf.int64))
    assert dataset.element_spec == (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int64))
    assert int(dataset.cardinality()) == tf.data.UNKNOWN_CARDINALITY
    assert repr(dataset).startswith("<SqlDatasetV2 ")
    assert listed(dataset.map(lambda a, e: a + tf.cast(e, tf.int32)).prefetch(2).repeat(2)) == [2, 2, 305] * 2


def test_errors(path):
    unknown = tf.errors.UnknownError
    refuses(lambda: rows(path, "select nope from t", (tf.int32,)), unknown, "no such column: nope")
    refuses(lambda: rows(path, "select a, b from t", (tf.int32,)), INVALID, r"columns in query \(2\)")
    refuses(lambda: rows(path, "delete from t", (tf.int32,)), INVALID, r"columns in query \(0\)")
    refuses(lambda: rows(path, "select a from t", (tf.float32,)), INVALID, "must be one of")
    refuses(lambda: tf.data.experimental.SqlDataset("x", path, "", (tf.int32,)), INVALID, "x, is not supported")
    assert len(rows(path, "select a from t", (tf.int32,))) == 3


def test_place_in_the_rows(path):
    dataset = tf.data.experimental.SqlDataset("sqlite", path, "select a from t", (tf.int32,))
    iterator = iter(dataset)
    assert int(next(iterator)[0]) == 1
    saved = tf.train.Checkpoint(iterator=iterator)
    place = saved.write(f"{path}-place")
    assert [int(a) for (a,) in iterator] == [2, 300]
    saved.read(place)
    assert [int(a) for (a,) in iterator] == [2, 300]
