"""Paths with a scheme are those of fsspec's file systems."""

from __future__ import annotations

import sys

import pytest

import tfcompat as tf
from tfcompat._data.format.file_system import system_of

gfile = tf.io.gfile
ROOT = "memory://tfcompat_test"


@pytest.fixture(autouse=True)
def root():
    gfile.makedirs(f"{ROOT}/sub")
    tf.io.write_file(f"{ROOT}/sub/b.txt", "b")
    tf.io.write_file(f"{ROOT}/a.txt", "one\ntwo\n")
    yield
    gfile.rmtree(ROOT)


def test_files_are_read_and_written():
    assert tf.io.read_file(f"{ROOT}/a.txt").numpy() == b"one\ntwo\n"
    with gfile.GFile(f"{ROOT}/x.txt", "w") as file:
        file.write("new")
    assert gfile.GFile(f"{ROOT}/x.txt").read() == "new"
    assert list(gfile.GFile(f"{ROOT}/a.txt")) == ["one\n", "two\n"]


def test_directories_are_listed():
    assert sorted(gfile.listdir(ROOT)) == ["a.txt", "sub"]
    assert gfile.glob(f"{ROOT}/*.txt") == [f"{ROOT}/a.txt"]
    assert gfile.glob(f"{ROOT}/*/*") == [f"{ROOT}/sub/b.txt"]
    assert [path for path, _, _ in gfile.walk(ROOT)] == [ROOT, f"{ROOT}/sub"]
    assert (gfile.isdir(f"{ROOT}/sub"), gfile.exists(f"{ROOT}/absent")) == (True, False)
    assert gfile.stat(f"{ROOT}/a.txt").length == 8


def test_files_move_between_systems(tmp_path):
    gfile.copy(f"{ROOT}/a.txt", str(tmp_path / "a.txt"))
    assert (tmp_path / "a.txt").read_bytes() == b"one\ntwo\n"
    gfile.rename(str(tmp_path / "a.txt"), f"{ROOT}/sub/c.txt")
    gfile.rename(f"{ROOT}/sub/c.txt", f"{ROOT}/c.txt")
    assert not (tmp_path / "a.txt").exists()
    assert tf.io.read_file(f"{ROOT}/c.txt").numpy() == b"one\ntwo\n"
    gfile.remove(f"{ROOT}/c.txt")
    assert not gfile.exists(f"{ROOT}/c.txt")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.io.read_file(f"{ROOT}/absent"), tf.errors.NotFoundError),
        (lambda: gfile.listdir(f"{ROOT}/absent"), tf.errors.NotFoundError),
        (lambda: gfile.remove(f"{ROOT}/sub"), tf.errors.FailedPreconditionError),
        (lambda: gfile.copy(f"{ROOT}/a.txt", f"{ROOT}/sub/b.txt"), tf.errors.AlreadyExistsError),
    ],
)
def test_errors_are_those_of_local_files(call, error):
    with pytest.raises(error):
        call()


def test_missing_fsspec_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert gfile.get_registered_schemes() == ["", "file"]
    with pytest.raises(tf.errors.UnimplementedError, match=r"installs fsspec"):
        system_of("memory://x")
