"""`tf.compat.v1.gfile`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._first_version.gfile import FastGFile
from tfcompat._first_version.gfile import copy as Copy
from tfcompat._first_version.gfile import exists as Exists
from tfcompat._first_version.gfile import glob as Glob
from tfcompat._first_version.gfile import is_directory as IsDirectory
from tfcompat._first_version.gfile import list_directory as ListDirectory
from tfcompat._first_version.gfile import make_directories as MakeDirs
from tfcompat._first_version.gfile import make_directory as MkDir
from tfcompat._first_version.gfile import remove as Remove
from tfcompat._first_version.gfile import remove_tree as DeleteRecursively
from tfcompat._first_version.gfile import rename as Rename
from tfcompat._first_version.gfile import stat as Stat
from tfcompat._first_version.gfile import walk as Walk
from tfcompat.io.gfile import GFile
from tfcompat.io.gfile import GFile as Open

__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "GFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Open",
    "Remove",
    "Rename",
    "Stat",
    "Walk",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
