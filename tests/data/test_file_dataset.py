"""Datasets of lines and records of files."""

from __future__ import annotations

import gzip
import zlib

import pytest

import tfcompat as tf
from tests.data.reading import count_of, listed

D = tf.data.Dataset
CONTENTS = {
    "text": b"one\r\ntw\ro\n\nend\r",
    "u": b"x1\n",
    "v": b"y1\ny2\ny3\n",
    "w": b"z1\nz2\n",
    "empty": b"",
    "gzip": gzip.compress(b"g1\ng2\n"),
    "zlib": zlib.compress(b"z1\nz2" * 1000),
    "cut": zlib.compress(b"z1\nz2" * 1000)[:-10],
    "records": b"HHabcdefF",
    "packed": gzip.compress(b"HHabcdefF"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in CONTENTS.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
class TestLines:
    @pytest.mark.parametrize(
        ("names", "parallel", "expected"),
        [
            ("text", None, "one two  end"),
            (["u", "v", "empty", "w"], None, "x1 y1 y2 y3 z1 z2"),
            (["u", "v", "empty", "w"], 2, "x1 y1 y2 y3 z1 z2"),
            (["v", "u", "empty", "w", "v"], 2, "y1 x1 y2 y3 z1 y1 z2 y2 y3"),
            (["v", "u", "empty", "w", "v"], 3, "y1 x1 y2 z1 y3 y1 z2 y2 y3"),
            ([], None, ""),
        ],
        ids=range(6),
    )
    def test_lines(self, names, parallel, expected):
        if not names:
            names = D.from_tensor_slices(["u"]).take(0)
        found = tf.data.TextLineDataset(names, num_parallel_reads=parallel)
        assert b" ".join(listed(found)).decode() == expected
        assert count_of(found) == -2

    def test_names(self, folder):
        assert listed(tf.data.TextLineDataset(folder / "u")) == [b"x1"]
        assert listed(tf.data.TextLineDataset([folder / "u", folder / "w"])) == [b"x1", b"z1", b"z2"]
        assert listed(tf.data.TextLineDataset(D.from_tensor_slices(["u", "w"]))) == [b"x1", b"z1", b"z2"]
        assert listed(tf.data.TextLineDataset(["v"]).skip(1).batch(5)) == [[b"y2", b"y3"]]
        assert listed(tf.data.TextLineDataset([])) == []

    def test_compression(self):
        assert listed(tf.data.TextLineDataset("gzip", compression_type="GZIP")) == [b"g1", b"g2"]
        lines = listed(tf.data.TextLineDataset("zlib", compression_type="ZLIB"))
        assert b"\n".join(lines) == b"z1\nz2" * 1000

    @pytest.mark.parametrize(
        ("names", "compression", "error", "message"),
        [
            ("missing", "", tf.errors.NotFoundError, "missing; No such file or directory"),
            (".", "", tf.errors.FailedPreconditionError, "; Is a directory"),
            ("text", "GZIP", tf.errors.DataLossError, r"inflate\(\) failed with error -3: incorrect header check"),
            ("text", "ZLIB", tf.errors.DataLossError, r"inflate\(\) failed with error -3: incorrect header check"),
            ("text", "FOO", tf.errors.InvalidArgumentError, "Unsupported compression_type"),
        ],
        ids=range(5),
    )
    def test_errors_are_raised_when_it_is_read(self, names, compression, error, message):
        found = tf.data.TextLineDataset(names, compression)
        with pytest.raises(error, match=message):
            next(iter(found))

    @pytest.mark.parametrize(
        ("names", "message"),
        [
            (5, "must contain `tf.string` elements. Got .*int32.* elements"),
            (D.range(5), "Got a dataset of .*int64.* elements"),
            (D.from_tensor_slices([["a"]]), r"of shape \[\] \(i.e. scalars\). Got a dataset of element shape"),
        ],
        ids=range(3),
    )
    def test_names_are_strings(self, names, message):
        with pytest.raises(TypeError, match=message):
            tf.data.TextLineDataset(names)

    def test_number_of_files_is_positive(self):
        with pytest.raises(tf.errors.InvalidArgumentError, match="`cycle_length` must be > 0"):
            tf.data.TextLineDataset(["u"], num_parallel_reads=0)

    def test_text(self):
        spec = "element_spec=TensorSpec(shape=(), dtype=tf.string, name=None)>"
        assert repr(tf.data.TextLineDataset("u")) == f"<TextLineDatasetV2 {spec}"
        assert repr(tf.data.FixedLengthRecordDataset("u", 2)) == f"<FixedLengthRecordDatasetV2 {spec}"
        assert isinstance(tf.data.TextLineDataset("u"), tf.data.Dataset)


@pytest.mark.usefixtures("folder")
class TestRecords:
    def test_records(self):
        records = tf.data.FixedLengthRecordDataset
        assert listed(records("records", 2, 2, 1)) == [b"ab", b"cd", b"ef"]
        assert listed(records("records", 3)) == [b"HHa", b"bcd", b"efF"]
        assert listed(records(["records", "empty"], 9)) == [b"HHabcdefF"]
        assert listed(records("packed", 2, 2, 1, compression_type="GZIP")) == [b"ab", b"cd", b"ef"]
        with pytest.raises(tf.errors.DataLossError, match="1 bytes are left"):
            listed(records("packed", 2, compression_type="GZIP"))
        assert listed(records(["records", "records"], 3, num_parallel_reads=2)) == [
            *(b"HHa", b"HHa", b"bcd", b"bcd", b"efF", b"efF")
        ]

    @pytest.mark.parametrize(("size", "header", "footer"), [(4, 2, 1), (100, 0, 0)])
    def test_records_are_whole(self, size, header, footer):
        body = 9 - header - footer
        message = (
            rf'header \({header} bytes\) and footer \({footer} bytes\), input file "records" has body length {body}'
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            next(iter(tf.data.FixedLengthRecordDataset("records", size, header, footer)))

    def test_numbers_are_integers(self):
        with pytest.raises(TypeError, match=r"2\.5"):
            tf.data.FixedLengthRecordDataset("records", 2.5)
        with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
            next(iter(tf.data.FixedLengthRecordDataset("missing", 2)))
