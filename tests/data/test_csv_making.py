"""`make_csv_dataset`: names and dtypes of columns, order, labels, errors."""

from __future__ import annotations

import collections
import gzip

import pytest

import tfcompat as tf
from tests.data.reading import count_of, listed, refuses

make = tf.data.experimental.make_csv_dataset
ONCE = {"shuffle": False, "num_epochs": 1}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a1.csv").write_text("a,b,c\n1,2.5,x\n2,3.5,y\n3,,z\n4,5.5,\n5,6,w\n")
    (tmp_path / "a2.csv").write_text("a,b,c\n6,7.5,q\n7,8.5,r\n")
    return str(tmp_path / "a*.csv")


def first_column(dataset):
    return [batch["a"] for batch in listed(dataset)]


def test_batches_of_columns(files):
    dataset = make(files, 3, **ONCE)
    assert listed(dataset) == [
        {"a": [1, 2, 3], "b": [2.5, 3.5, 0.0], "c": [b"x", b"y", b"z"]},
        {"a": [4, 5, 6], "b": [5.5, 6.0, 7.5], "c": [b"", b"w", b"q"]},
        {"a": [7], "b": [8.5], "c": [b"r"]},
    ]
    assert type(dataset.element_spec) is collections.OrderedDict
    assert dataset.element_spec["a"] == tf.TensorSpec([None], tf.int32)
    assert repr(dataset) == f"<_PrefetchDataset element_spec={dataset.element_spec!r}>"
    forever = make(files, 3)
    assert forever.element_spec["b"] == tf.TensorSpec([3], tf.float32)
    assert count_of(forever) == tf.data.INFINITE_CARDINALITY


def test_files_in_turn_and_labels(files):
    assert first_column(make(files, 3, num_parallel_reads=2, **ONCE)) == [[1, 6, 2], [7, 3, 4], [5]]
    features, label = listed(make(files, 3, label_name="b", **ONCE))[0]
    assert (list(features), label) == (["a", "c"], [2.5, 3.5, 0.0])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"shuffle_seed": 1}, [[5, 7, 4], [1, 6, 3], [2, 1, 4]]),
        ({"shuffle_seed": 7}, [[7, 3, 2], [4, 1, 5], [6, 6, 7]]),
        ({"shuffle_seed": 1, "num_epochs": 2, "shuffle_buffer_size": 3}, [[2, 4, 1], [6, 3, 5], [7, 2, 4]]),
        ({"shuffle_seed": 7, "num_epochs": 2, "shuffle_buffer_size": 3}, [[2, 3, 1], [4, 7, 5], [6, 7, 6]]),
    ],
)
def test_order_is_that_of_tensorflow(files, arguments, expected):
    assert first_column(make(files, 3, **arguments).take(3)) == expected


def test_order_of_the_global_seed(files):
    tf.random.set_seed(3)
    try:
        assert first_column(make(files, 3).take(3)) == [[6, 2, 5], [7, 1, 4], [3, 7, 6]]
    finally:
        tf.random.set_seed(None)


def test_columns_are_selected_and_named(files):
    assert list(listed(make(files, 3, select_columns=["c", 0], **ONCE))[0]) == ["a", "c"]
    assert list(listed(make(files, 3, column_names=["x", "y", "z"], **ONCE))[0]) == ["x", "y", "z"]
    named = listed(make(files, 3, column_names=["x", "y", "z"], header=False, **ONCE))
    assert named[0]["x"] == [b"a", b"1", b"2"]
    given = make(files, 3, column_defaults=[tf.int64, [9.0]], select_columns=["a", "b"], **ONCE)
    assert listed(given)[0] == {"a": [1, 2, 3], "b": [2.5, 3.5, 9.0]}
    assert given.element_spec["a"].dtype == tf.int64


def test_dtypes_suit_the_first_records(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("i,l,f,d,s,e,n,x\n1,3000000000,1.5,1e300,a,,nan,1\n2,1,2,1,b,,1,1.5\n")
    wanted = ["int32", "int64", "float32", "float64", "string", "string", "string", "float32"]
    assert [spec.dtype.name for spec in make(str(path), 2, **ONCE).element_spec.values()] == wanted
    one = make(str(path), 2, num_rows_for_inference=1, **ONCE).element_spec
    assert one["x"].dtype == tf.int32
    path.write_text("a;b\nNA;x\n2;NA\n")
    assert listed(make(str(path), 9, field_delim=";", na_value="NA", **ONCE)) == [{"a": [0, 2], "b": [b"x", b""]}]


def test_bad_records(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("a,b\n1,2\nx,3\n4\n5,6\n")
    refuses(lambda: make(str(path), 2, **ONCE), ValueError, "CSV row 4 has 1 number of fields. Expected: 2")
    bad = make(str(path), 2, num_rows_for_inference=1, **ONCE)
    refuses(lambda: listed(bad), tf.errors.InvalidArgumentError, "Field 0 in record is not a valid int32: x")
    good = make(str(path), 2, num_rows_for_inference=1, ignore_errors=True, **ONCE)
    assert listed(good) == [{"a": [1, 5], "b": [2, 6]}]


def test_compressed_files(tmp_path, files):
    path = tmp_path / "z.gz"
    path.write_bytes(gzip.compress((tmp_path / "a2.csv").read_bytes()))
    assert first_column(make(str(path), 9, compression_type="GZIP", **ONCE)) == [[6, 7]]
    refuses(lambda: make(files, 9, compression_type="ZLIB"), ValueError, "ZLIB is not supported for probing columns")
    refuses(lambda: make(files, 9, compression_type="FOO"), ValueError, "unknown `compression_type` FOO")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"select_columns": ["d"]}, "Column d specified in `select_columns` must be of one of the columns"),
        ({"select_columns": [5]}, "Column index 5 specified in `select_columns`"),
        ({"select_columns": ["a", 0]}, "`select_columns` argument contains duplicate columns"),
        ({"label_name": "d"}, "`label_name` provided must be one of the columns"),
        ({"header": False}, "Expected `column_names` or `header` arguments"),
        ({"column_names": ["x", "x", "z"]}, "contains duplicate column names: {'x'}"),
        ({"column_defaults": [tf.int64], "select_columns": ["a", "b"]}, "must have the same length"),
        ({"file_pattern": "absent*.csv"}, "No files match `file_pattern` absent"),
        ({"file_pattern": []}, "`file_pattern` should not be empty"),
    ],
)
def test_refused_arguments(files, arguments, message):
    refuses(lambda: make(**{"file_pattern": files, "batch_size": 3, **arguments}), ValueError, message)


def test_headers_must_agree(tmp_path):
    names = []
    for name, text in (("1", "a,b\n1,2\n"), ("2", "a,c\n1,2\n"), ("3", "")):
        names.append(str(tmp_path / name))
        (tmp_path / name).write_text(text)
    refuses(lambda: make(names[:2], 3), ValueError, "has different column names")
    refuses(lambda: make(names[2], 3), ValueError, "Is it an empty file")
