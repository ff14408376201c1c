"""`tf.io.read_file`, `write_file` and `matching_files`."""

from __future__ import annotations

import pytest

import tfcompat as tf


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(b"one\0two")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.txt").write_bytes(b"b")
    (tmp_path / "sub" / ".c").write_bytes(b"c")
    return tmp_path


def test_file_is_read(folder):
    assert tf.io.read_file("a.txt").numpy() == b"one\0two"
    assert tf.io.read_file(f"file://{folder}/a.txt").numpy() == b"one\0two"


def test_file_is_written_with_its_directories(folder):
    assert tf.io.write_file("x/y/z.txt", "content") is None
    tf.io.write_file("x/y/z.txt", b"\xff\0")
    assert (folder / "x/y/z.txt").read_bytes() == b"\xff\0"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.io.read_file("absent"), tf.errors.NotFoundError),
        (lambda: tf.io.read_file(""), tf.errors.NotFoundError),
        (lambda: tf.io.read_file("sub"), tf.errors.FailedPreconditionError),
        (lambda: tf.io.read_file("none://x"), tf.errors.UnimplementedError),
        (lambda: tf.io.read_file(["a.txt"]), tf.errors.InvalidArgumentError),
        (lambda: tf.io.read_file(1), TypeError),
        (lambda: tf.io.write_file("sub", "x"), tf.errors.FailedPreconditionError),
        (lambda: tf.io.write_file("a.txt/x", "x"), tf.errors.FailedPreconditionError),
        (lambda: tf.io.write_file(["x"], "x"), tf.errors.InvalidArgumentError),
        (lambda: tf.io.write_file("x", ["x"]), tf.errors.InvalidArgumentError),
        (lambda: tf.io.matching_files([["*"]]), tf.errors.InvalidArgumentError),
    ],
)
def test_refusal_has_the_class_of_tensorflow(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*", [b"./a.txt", b"./sub"]),
        (["sub/*", "a*"], [b"./a.txt", b"sub/.c", b"sub/b.txt"]),
        ("*/*.txt", [b"./sub/b.txt"]),
        ("absent*", []),
        ("absent/*", []),
        ("", []),
    ],
)
def test_matching_files_are_sorted(pattern, expected):
    assert tf.io.matching_files(pattern).numpy().tolist() == expected


def test_function_reads_and_writes_at_each_call(folder):
    @tf.function
    def copied(path, content):
        tf.io.write_file("copy.txt", tf.strings.as_string(content))
        return tf.io.read_file(path)

    path = tf.constant("a.txt")
    assert copied(path, tf.constant(1)).numpy() == b"one\0two"
    (folder / "a.txt").write_bytes(b"new")
    assert copied(path, tf.constant(2)).numpy() == b"new"
    assert (folder / "copy.txt").read_bytes() == b"2"
