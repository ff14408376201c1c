"""Local files, and files of other systems through fsspec, by the scheme of their paths."""

from __future__ import annotations

import errno
import importlib
import os
import re
import shutil
import stat
from dataclasses import dataclass
from typing import IO, Any, Protocol

from tfcompat._core.system.error import UnimplementedError
from tfcompat._data.format.file_error import make_folders

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://")
_LOCAL = "file"


@dataclass(frozen=True, slots=True)
class FileStatistics:
    """The length of a file in bytes, the time of its last change in nanoseconds, and whether it is a directory."""

    length: int
    mtime_nsec: int
    is_directory: bool


class FileSystem(Protocol):
    """The operations on the files of a system. They raise OSError."""

    def open(self, path: str, mode: str) -> IO[bytes]:
        """The file, opened in the mode "rb", "wb" or "ab"."""
        ...

    def stat(self, path: str) -> FileStatistics:
        """The length and the kind of a file."""
        ...

    def list(self, path: str) -> list[str]:
        """The names in a directory."""
        ...

    def make(self, path: str, has_parents: bool) -> None:
        """Makes a directory, and with `has_parents` those above it. One that exists is left as it is."""
        ...

    def remove(self, path: str) -> None:
        """Removes a file."""
        ...

    def remove_tree(self, path: str) -> None:
        """Removes a file, or a directory with all that it contains."""
        ...

    def rename(self, source: str, target: str) -> None:
        """Moves a file or a directory, and replaces a file `target`."""
        ...


class _Local:
    """The files of this machine."""

    def open(self, path: str, mode: str) -> IO[bytes]:
        return open(path, mode)

    def stat(self, path: str) -> FileStatistics:
        found = os.stat(path)
        return FileStatistics(found.st_size, found.st_mtime_ns, stat.S_ISDIR(found.st_mode))

    def list(self, path: str) -> list[str]:
        return os.listdir(path)

    def make(self, path: str, has_parents: bool) -> None:
        if has_parents:
            make_folders(path)
        elif not os.path.lexists(path):
            os.mkdir(path)

    def remove(self, path: str) -> None:
        if os.path.isdir(path) and not os.path.islink(path):
            raise IsADirectoryError(errno.EISDIR, "")
        os.remove(path)

    def remove_tree(self, path: str) -> None:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)

    def rename(self, source: str, target: str) -> None:
        os.replace(source, target)


class _Remote:
    """The files of a file system of fsspec."""

    def __init__(self, system: Any) -> None:
        self.system = system

    def open(self, path: str, mode: str) -> IO[bytes]:
        return self.system.open(path, mode)

    def stat(self, path: str) -> FileStatistics:
        found = self.system.info(path)
        is_directory = found["type"] == "directory"
        try:
            changed = self.system.modified(path).timestamp()
        except (NotImplementedError, KeyError, AttributeError, OSError):  # few systems know the times of directories
            changed = 0.0
        return FileStatistics(int(found.get("size") or 0), int(changed * 1e9), is_directory)

    def list(self, path: str) -> list[str]:
        if not self.system.isdir(path):
            raise NotADirectoryError(errno.ENOTDIR, "")
        found = self.system.ls(path, detail=False)
        return [name.rstrip("/").rpartition("/")[2] for name in found]

    def make(self, path: str, has_parents: bool) -> None:
        if has_parents:
            self.system.makedirs(path, exist_ok=True)
        elif not self.system.exists(path):
            self.system.mkdir(path, create_parents=False)

    def remove(self, path: str) -> None:
        if self.system.isdir(path):
            raise IsADirectoryError(errno.EISDIR, "")
        self.system.rm_file(path)

    def remove_tree(self, path: str) -> None:
        self.system.rm(path, recursive=True)

    def rename(self, source: str, target: str) -> None:
        self.system.mv(source, target, recursive=self.system.isdir(source))


_local = _Local()


def scheme_of(path: str) -> str:
    """The scheme of `path`; empty for a path without one."""
    found = _SCHEME.match(path)
    return found[1] if found is not None else ""


def is_local(path: str) -> bool:
    """Whether `path` is a path of this machine."""
    return scheme_of(path) in ("", _LOCAL)


def system_of(path: str) -> tuple[FileSystem, str]:
    """The file system of `path`, and the path in it. Raises UnimplementedError for an unknown scheme."""
    scheme = scheme_of(path)
    if is_local(path):
        return _local, path[len(scheme) + 3 :] if scheme else path
    message = f"File system scheme '{scheme}' not implemented (file: '{path}')"
    try:
        system = importlib.import_module("fsspec").filesystem(scheme)
    except ImportError as missing:
        raise UnimplementedError.of(
            f"{message}; `pip install 'tfcompat[data]'` installs fsspec, whose file systems have packages of their "
            f"own: {missing}"
        ) from missing
    except ValueError as unknown:
        raise UnimplementedError.of(message) from unknown
    return _Remote(system), path


def schemes() -> list[str]:
    """The schemes of paths: the empty one and "file", and those that fsspec knows if it is installed."""
    try:
        known: list[str] = importlib.import_module("fsspec").available_protocols()
    except ImportError:
        known = []
    return ["", _LOCAL, *sorted(set(known) - {_LOCAL})]
