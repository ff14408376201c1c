"""`tf.io.gfile`: files and directories, of this machine or of other systems by the scheme of the path."""

import typing as _typing

from tfcompat._data.format.gfile import (
    copy,
    exists,
    get_registered_schemes,
    glob,
    isdir,
    join,
    listdir,
    makedirs,
    mkdir,
    remove,
    rename,
    rmtree,
    stat,
    walk,
)
from tfcompat._data.format.gfile_file import GFile
from tfcompat._dropin.absence import absence as _absence

__all__ = [
    "GFile",
    "copy",
    "exists",
    "get_registered_schemes",
    "glob",
    "isdir",
    "join",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
