"""`tf.data.experimental.CsvDataset`: fields, quotes, errors, columns, files."""

from __future__ import annotations

import gzip
import zlib

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import listed, outcomes, refuses

CsvDataset = tf.data.experimental.CsvDataset
INVALID = tf.errors.InvalidArgumentError
BAD = "InvalidArgumentError"
INT, REAL, TEXT = tf.int32, tf.float32, tf.string


@pytest.fixture
def csv(tmp_path):
    """A function that returns the outcomes of the records of a text."""

    def read(text, defaults, **arguments):
        path = tmp_path / "table.csv"
        path.write_bytes(text)
        found = outcomes(CsvDataset(str(path), defaults, **arguments), 6)
        return found[: found.index("end")]

    return read


@pytest.mark.parametrize(
    ("text", "defaults", "expected"),
    [
        (b"1,2.5,a\n3,,b\r\n", [INT, [0.0], TEXT], [(1, 2.5, b"a"), (3, 0.0, b"b")]),
        (b"1,a\n,b\n5,c", [INT, TEXT], [(1, b"a"), BAD, (5, b"c")]),
        (b"1\n\n3\n\n", [[7]], [(1,), (7,), (3,), (7,)]),
        (b"1\n1,2\n1,2,3\n4,5\n", [INT, INT], [BAD, (1, 2), BAD, (4, 5)]),
        (b"1,\n2,", [INT, [5]], [(1, 5), (2, 5)]),
        (b" 2 ,+5\n3000000000,1\n1.0,1\n-0,2\n", [INT, INT], [(2, 5), BAD, BAD, (0, 2)]),
        (b"1e,1\n 2 ,2\n1_0,1\n1e400,-.5\n", [REAL, REAL], [BAD, (2.0, 2.0), BAD, (float("inf"), -0.5)]),
        (b"9223372036854775807,1e300", [tf.int64, tf.float64], [(2**63 - 1, 1e300)]),
        (b'"a,b","c""d"\n"e\nf",g\n"","x"\r\n', [[""], TEXT], [(b"a,b", b'c"d'), (b"e\nf", b"g"), (b"", b"x")]),
        (b'a"b,c\n"a"b,c\nd,e\n', [TEXT, TEXT], [BAD, BAD]),
        (b'a,b\n"abc""', [TEXT, TEXT], [(b"a", b"b"), BAD]),
        (b'"1","2.5"\n', [INT, REAL], [(1, 2.5)]),
        (b"a,b\rc,d\r", [TEXT, TEXT], [(b"a", b"b"), (b"c", b"d")]),
        (b"a\rb,c\n", [TEXT, TEXT], [BAD, (b"b", b"c")]),
        (b"a\0b,\xff\xfe\n", [TEXT, TEXT], [(b"a\0b", b"\xff\xfe")]),
        (b'x,"a\nb"\n5,6\n', [INT, TEXT], [BAD, (5, b"6")]),
        (b",1\n", [3, INT], [BAD]),
        (b",,,\n", [0, -0.5, "none", tf.constant(7)], [(0, -0.5, b"none", 7)]),
        (b"", [INT], []),
    ],
)
def test_records(csv, text, defaults, expected):
    assert csv(text, defaults) == expected


@pytest.mark.parametrize("default", [True, 1.0, 2.0, 7, "float32", np.float32(0.5), np.array([0.5], np.float32), []])
def test_defaults_that_name_a_dtype_have_no_value(csv, default):
    assert csv(b",1\n", [default, INT]) == [BAD]


@pytest.mark.parametrize(
    ("text", "defaults", "arguments", "expected"),
    [
        (b"1\t2\n", [INT, INT], {"field_delim": "\t"}, [(1, 2)]),
        (b'"a,b"\n', [TEXT, TEXT], {"use_quote_delim": False}, [(b'"a', b'b"')]),
        (b'NA,NA\n1,"NA"\n,\n', [[5], ["d"]], {"na_value": "NA"}, [(5, b"d"), (1, b"d"), (5, b"d")]),
        (b'"a\nc",b\n1,2\n', [INT, INT], {"header": True}, [(1, 2)]),
        (b"a,b", [INT, INT], {"header": True}, []),
        (b"", [INT, INT], {"header": True}, [BAD]),
        (b"1,2,3\n4,5,6\n7\n", [INT, INT], {"select_cols": [0, 2]}, [(1, 3), (4, 6), BAD]),
        (b'1,x"y,3\n4\n', [INT], {"select_cols": [0]}, [BAD, (4,)]),
        (b"1,2,3\n1,2\n", [INT, INT], {"exclude_cols": [1]}, [(1, 3), BAD]),
        (b'1,22222\n"aaaaaaaaaaa",b\r\n', [TEXT, TEXT], {"buffer_size": 4}, [(b"1", b"22222"), (b"aaaaaaaaaaa", b"b")]),
    ],
)
def test_arguments(csv, text, defaults, arguments, expected):
    assert csv(text, defaults, **arguments) == expected


@pytest.mark.parametrize(
    ("text", "defaults", "message"),
    [
        (b",1", [INT, INT], "Field 0 is required but missing in record!"),
        (b"1,x", [INT, INT], "Field 1 in record is not a valid int32: x"),
        (b"1,x", [INT, REAL], "Field 1 in record is not a valid float: x"),
        (b"1", [INT, INT], "Expect 2 fields but have 1 in record"),
        (b"1,2,3", [INT, INT], "Expect 2 fields but have more in record"),
        (b'1"', [TEXT], "Unquoted fields cannot have quotes inside"),
        (b'"1"2"', [TEXT], "Quote inside a string has to be escaped by another quote"),
        (b'"1', [TEXT], "Reached end of file without closing quoted field in record"),
        (b'x,a"b', [INT, TEXT], "Field 0 in record is not a valid int32: x"),
    ],
)
def test_messages(tmp_path, text, defaults, message):
    (tmp_path / "x").write_bytes(text)
    refuses(lambda: listed(CsvDataset(str(tmp_path / "x"), defaults)), INVALID, message)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"field_delim": "ab"}, INVALID, "field_delim should be only 1 char"),
        ({"select_cols": [2, 0]}, INVALID, "select_cols should be strictly increasing indices"),
        ({"select_cols": [0]}, INVALID, "select_cols should match output size"),
        ({"select_cols": [-1, 0]}, INVALID, "select_cols should be non-negative indices"),
        ({"exclude_cols": [2, 1]}, INVALID, "exclude_cols should be strictly increasing indices"),
        ({"compression_type": "FOO"}, INVALID, "Unsupported compression_type: FOO"),
        ({"record_defaults": [[1, 2]]}, INVALID, "There should only be 1 default per field"),
        ({"record_defaults": [[True]]}, INVALID, "not in the list of allowed values"),
        ({"record_defaults": [tf.bool]}, ValueError, "unsupported type"),
        ({"record_defaults": []}, INVALID, ""),
        ({"filenames": tf.data.Dataset.range(2)}, ValueError, "unsupported type"),
    ],
)
def test_refused_arguments(arguments, error, message):
    arguments = {"filenames": "x", "record_defaults": [INT, INT], **arguments}
    refuses(lambda: CsvDataset(**arguments), error, message or ".")


def test_files_follow_each_other_each_with_its_header(tmp_path):
    names = [str(tmp_path / name) for name in "ab"]
    for name, text in zip(names, (b"h\n5\n6", b"h\n1\n2\n"), strict=True):
        (tmp_path / name).write_bytes(text)
    dataset = CsvDataset(names, [INT], header=True)
    assert listed(dataset) == [(5,), (6,), (1,), (2,)]
    assert repr(dataset) == "<CsvDatasetV2 element_spec=(TensorSpec(shape=(), dtype=tf.int32, name=None),)>"
    missing = CsvDataset(str(tmp_path / "c"), [INT])
    refuses(lambda: listed(missing), tf.errors.NotFoundError, "No such file or directory")


@pytest.mark.parametrize(("kind", "compress"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress)])
def test_compressed_files(tmp_path, kind, compress):
    (tmp_path / "x").write_bytes(compress(b"1\n2\n"))
    assert listed(CsvDataset(str(tmp_path / "x"), [INT], compression_type=kind)) == [(1,), (2,)]
    (tmp_path / "x").write_bytes(b"1\n2\n")
    bad = CsvDataset(str(tmp_path / "x"), [INT], compression_type=kind)
    refuses(lambda: listed(bad), tf.errors.DataLossError, "incorrect header check")


def test_fields_and_line_ends_at_the_limits_of_chunks(tmp_path):
    # Chunks have 2**18 bytes; a quoted field is longer, and a line end is divided.
    long = b"x" * 300_000
    rows = [b"%d,%d" % (k, k % 7) for k in range(40_000)]
    text = b"\r\n".join([*rows, b'1,"' + long + b'\n"', b"2," + b"y" * (1 << 18), *rows]) + b"\r\n"
    (tmp_path / "x").write_bytes(text)
    found = listed(CsvDataset(str(tmp_path / "x"), [tf.int64, TEXT]))
    plain = [(k, b"%d" % (k % 7)) for k in range(40_000)]
    assert found == [*plain, (1, long + b"\n"), (2, b"y" * (1 << 18)), *plain]


def test_iterator_continues_at_the_place_of_another(tmp_path):
    (tmp_path / "x").write_bytes(b"".join(b'%d,"a"\n%d\n' % (k, k) for k in range(50)))
    dataset = CsvDataset([str(tmp_path / "x")] * 2, [INT, TEXT]).ignore_errors().repeat(2).batch(3)
    assert [len(batch[0]) for batch in dataset.as_numpy_iterator()] == [3] * 66 + [2]
