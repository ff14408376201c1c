"""`tf.io.gfile` and `tf.compat.v1.gfile` on local files; the expected values are TensorFlow's."""

from __future__ import annotations

import os
import pathlib

import pytest

import tfcompat as tf

gfile = tf.io.gfile


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes("é one\ntwo\r\n\nlast".encode())
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "sub" / "b.txt").write_bytes(b"b")
    (tmp_path / "sub" / ".c").write_bytes(b"c")
    return tmp_path


def test_existence():
    assert gfile.exists("a.txt")
    assert gfile.exists(b"sub")
    assert gfile.exists(pathlib.Path("a.txt"))
    assert gfile.exists("file://" + os.path.abspath("a.txt"))
    assert not gfile.exists("")
    assert not gfile.exists("absent")
    assert (gfile.isdir("sub"), gfile.isdir("a.txt"), gfile.isdir("absent")) == (True, False, False)
    assert not gfile.isdir("none://x")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*", ["./a.txt", "./sub"]),
        ("sub/*", ["sub/.c", "sub/b.txt", "sub/deep"]),
        ("sub/.*", ["sub/.c"]),
        ("[a-b]*", ["./a.txt"]),
        ("[!a]*", ["./sub"]),
        ("[^a]*", ["./sub"]),
        ("?.txt", ["./a.txt"]),
        ("a[.]txt", ["./a.txt"]),
        ("a\\.txt", ["./a.txt"]),
        ("a.{txt,b}", []),
        ("a.txt", ["a.txt"]),
        ("sub/", ["sub/"]),
        ("*/*", ["./sub/.c", "./sub/b.txt", "./sub/deep"]),
        ("**", ["./a.txt", "./sub"]),
        ("[", []),
        ("absent", []),
        ("absent/*", []),
        ("", []),
        (["*.txt", "sub/b*"], ["./a.txt", "sub/b.txt"]),
    ],
)
def test_paths_match_patterns(pattern, expected):
    assert sorted(gfile.glob(pattern)) == expected


def test_directories_are_listed_and_walked():
    assert sorted(gfile.listdir("sub")) == [".c", "b.txt", "deep"]
    found = [(path, folders, sorted(names)) for path, folders, names in gfile.walk(".")]
    assert found == [
        (".", ["sub"], ["a.txt"]),
        ("./sub", ["deep"], [".c", "b.txt"]),
        ("./sub/deep", [], []),
    ]
    assert [path for path, _, _ in gfile.walk("sub", topdown=False)] == ["sub/deep", "sub"]
    assert list(gfile.walk("absent")) == []


def test_directories_are_made_and_removed(folder):
    gfile.mkdir("x")
    gfile.mkdir("x")
    gfile.makedirs("x/y/z")
    gfile.makedirs("x/y/z")
    assert (folder / "x/y/z").is_dir()
    gfile.rmtree("x")
    assert not (folder / "x").exists()
    gfile.remove("a.txt")
    assert not (folder / "a.txt").exists()


def test_files_are_copied_and_moved(folder):
    gfile.copy("a.txt", "c.txt")
    assert (folder / "c.txt").read_bytes() == (folder / "a.txt").read_bytes()
    gfile.copy("sub/b.txt", "c.txt", overwrite=True)
    assert (folder / "c.txt").read_bytes() == b"b"
    gfile.rename("c.txt", "d.txt")
    gfile.rename("d.txt", "a.txt", overwrite=True)
    assert sorted(os.listdir(folder)) == ["a.txt", "sub"]
    gfile.rename("sub", "other")
    assert (folder / "other/b.txt").read_bytes() == b"b"


def test_statistics():
    found = gfile.stat("sub/b.txt")
    assert (found.length, found.is_directory) == (1, False)
    assert found.mtime_nsec > 10**18
    assert gfile.stat("sub").is_directory


def test_paths_are_joined():
    assert gfile.join("a", "b", "c") == "a/b/c"
    assert gfile.join("a", "/b") == "/b"
    assert gfile.join("gs://x", "y") == "gs://x/y"
    assert gfile.join(b"a", b"b") == b"a/b"
    assert {"", "file"} <= set(gfile.get_registered_schemes())


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: gfile.listdir("absent"), tf.errors.NotFoundError),
        (lambda: gfile.listdir("a.txt"), tf.errors.NotFoundError),
        (lambda: gfile.mkdir("k/l"), tf.errors.NotFoundError),
        (lambda: gfile.makedirs("a.txt"), tf.errors.FailedPreconditionError),
        (lambda: gfile.makedirs("a.txt/x"), tf.errors.FailedPreconditionError),
        (lambda: gfile.remove("absent"), tf.errors.NotFoundError),
        (lambda: gfile.remove("sub"), tf.errors.FailedPreconditionError),
        (lambda: gfile.rmtree("absent"), tf.errors.NotFoundError),
        (lambda: gfile.copy("a.txt", "sub/b.txt"), tf.errors.AlreadyExistsError),
        (lambda: gfile.copy("absent", "x"), tf.errors.NotFoundError),
        (lambda: gfile.copy("sub", "x"), tf.errors.InvalidArgumentError),
        (lambda: gfile.copy("a.txt", "absent/x"), tf.errors.NotFoundError),
        (lambda: gfile.copy("a.txt", "sub", overwrite=True), tf.errors.FailedPreconditionError),
        (lambda: gfile.rename("a.txt", "sub/b.txt"), tf.errors.AlreadyExistsError),
        (lambda: gfile.rename("absent", "x"), tf.errors.NotFoundError),
        (lambda: gfile.stat("absent"), tf.errors.NotFoundError),
        (lambda: gfile.exists(1), TypeError),
        (lambda: gfile.exists("none://x"), tf.errors.UnimplementedError),
        (lambda: gfile.glob("none://*"), tf.errors.UnimplementedError),
        (lambda: gfile.join("a", b"b"), TypeError),
        (lambda: gfile.GFile("a.txt", "x"), tf.errors.InvalidArgumentError),
        (lambda: gfile.GFile("absent").read(), tf.errors.NotFoundError),
        (lambda: gfile.GFile("sub").read(), tf.errors.FailedPreconditionError),
        (lambda: gfile.GFile("absent/x", "w").write("x"), tf.errors.NotFoundError),
        (lambda: gfile.GFile("a.txt", "w").read(), tf.errors.PermissionDeniedError),
        (lambda: gfile.GFile("a.txt").write("x"), tf.errors.PermissionDeniedError),
        (lambda: gfile.GFile("x", "w").write(1), TypeError),
        (lambda: gfile.GFile("a.txt").read(1), UnicodeDecodeError),
        (lambda: gfile.GFile("a.txt").read(-5), tf.errors.InvalidArgumentError),
        (lambda: gfile.GFile("a.txt").seek(-1), tf.errors.InvalidArgumentError),
        (lambda: gfile.GFile("a.txt").seek(99), tf.errors.OutOfRangeError),
        (lambda: gfile.GFile("a.txt").seek(0, 5), tf.errors.InvalidArgumentError),
        (lambda: gfile.GFile("a.txt").seek(), TypeError),
        (lambda: next(gfile.GFile("sub/deep/x")), tf.errors.NotFoundError),
    ],
)
def test_refusal_has_the_class_of_tensorflow(call, error):
    with pytest.raises(error):
        call()


def test_file_is_read_as_text_and_as_bytes():
    assert gfile.GFile("a.txt").read() == "é one\ntwo\r\n\nlast"
    assert gfile.GFile("a.txt", "rb").read() == "é one\ntwo\r\n\nlast".encode()
    assert gfile.GFile("a.txt").read(2) == "é"
    assert gfile.GFile("a.txt").readlines() == ["é one\n", "two\n", "\n", "last"]
    assert list(gfile.GFile("a.txt", "rb")) == ["é one\n".encode(), b"two\n", b"\n", b"last"]
    with gfile.GFile("a.txt", "rb") as file:
        assert (file.name, file.mode, file.size(), file.seekable()) == ("a.txt", "rb", 17, True)
        file.seek(3)
        assert (file.read(2), file.tell()) == (b"on", 5)
        file.seek(-2, 2)
        assert (file.read(), file.readline()) == (b"st", b"")
        file.seek(1)
        file.seek(2, 1)
        assert file.tell() == 3


def test_file_is_written(folder):
    gfile.GFile("x", "w").close()
    assert not (folder / "x").exists()
    with gfile.GFile("x", "w") as file:
        file.write("abc")
        file.write(b"def")
        assert file.tell() == 6
        file.flush()
        assert (folder / "x").read_bytes() == b"abcdef"
    with gfile.GFile("x", "a") as file:
        file.write("g")
    assert (folder / "x").read_bytes() == b"abcdefg"
    with gfile.GFile("x", "r+") as file:
        assert file.read(2) == "ab"
        file.write("new")
    assert (folder / "x").read_bytes() == b"new"
    with gfile.GFile("x", "w+") as file:
        file.write("hello")
        file.flush()
        assert file.read() == "hello"


def test_names_of_tensorflow_1(folder):
    first = tf.compat.v1.gfile
    assert first.Open is gfile.GFile
    assert first.FastGFile("sub/b.txt").read() == "b"
    first.MakeDirs("x/y")
    first.MkDir("z")
    first.Copy("sub/b.txt", "x/b")
    first.Rename("x/b", "x/c", overwrite=True)
    assert first.Exists("x/c")
    assert first.IsDirectory("x/y")
    assert sorted(first.ListDirectory("x")) == ["c", "y"]
    assert first.Glob("x/c") == ["x/c"]
    assert first.Stat("x/c").length == 1
    assert [path for path, _, _ in first.Walk("x", in_order=False)] == ["x/y", "x"]
    first.Remove("x/c")
    first.DeleteRecursively("x")
    assert sorted(os.listdir(folder)) == ["a.txt", "sub", "z"]
