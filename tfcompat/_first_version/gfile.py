"""`tf.compat.v1.gfile`: the functions of `tf.io.gfile` under TensorFlow 1's names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfcompat._data.format import gfile
from tfcompat._data.format.file_system import FileStatistics
from tfcompat._data.format.gfile_file import GFile


class FastGFile(GFile):
    """The same as `tf.io.gfile.GFile`.

    Source: TF 2.21 `tf.compat.v1.gfile.FastGFile`.
    """


def copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies the file `oldpath` to `newpath`. Source: TF 2.21 `tf.compat.v1.gfile.Copy`."""
    gfile.copy(oldpath, newpath, overwrite)


def rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Moves the file or directory `oldname` to `newname`. Source: TF 2.21 `tf.compat.v1.gfile.Rename`."""
    gfile.rename(oldname, newname, overwrite)


def exists(filename: Any) -> bool:
    """Whether `filename` is a file or a directory. Source: TF 2.21 `tf.compat.v1.gfile.Exists`."""
    return gfile.exists(filename)


def glob(filename: Any) -> list[str]:
    """The sorted paths that match the pattern `filename`. Source: TF 2.21 `tf.compat.v1.gfile.Glob`."""
    return gfile.glob(filename)


def is_directory(dirname: Any) -> bool:
    """Whether `dirname` is a directory. Source: TF 2.21 `tf.compat.v1.gfile.IsDirectory`."""
    return gfile.isdir(dirname)


def list_directory(dirname: Any) -> list[str]:
    """The names in the directory `dirname`. Source: TF 2.21 `tf.compat.v1.gfile.ListDirectory`."""
    return gfile.listdir(dirname)


def make_directory(dirname: Any) -> None:
    """Makes the directory `dirname`. Source: TF 2.21 `tf.compat.v1.gfile.MkDir`."""
    gfile.mkdir(dirname)


def make_directories(dirname: Any) -> None:
    """Makes the directory `dirname` and those above it. Source: TF 2.21 `tf.compat.v1.gfile.MakeDirs`."""
    gfile.makedirs(dirname)


def remove(filename: Any) -> None:
    """Removes the file `filename`. Source: TF 2.21 `tf.compat.v1.gfile.Remove`."""
    gfile.remove(filename)


def remove_tree(dirname: Any) -> None:
    """Removes `dirname` with all that it contains. Source: TF 2.21 `tf.compat.v1.gfile.DeleteRecursively`."""
    gfile.rmtree(dirname)


def stat(filename: Any) -> FileStatistics:
    """The length and the kind of the file `filename`. Source: TF 2.21 `tf.compat.v1.gfile.Stat`."""
    return gfile.stat(filename)


def walk(top: Any, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """The directories below `top`, and it before them if `in_order`. Source: TF 2.21 `tf.compat.v1.gfile.Walk`."""
    return gfile.walk(top, in_order)
