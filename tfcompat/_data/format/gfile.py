"""`tf.io.gfile`: operations on files and directories."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator
from typing import Any

from tfcompat._core.system.error import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
)
from tfcompat._data.format import file_system
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.file_system import FileStatistics, scheme_of, system_of
from tfcompat._data.format.pattern import matching

_BLOCK = 2**20


def text_of(path: Any) -> str:
    """`path`, which is a string, bytes or a path, as a string. Raises TypeError for any other value."""
    value = os.fspath(path) if hasattr(path, "__fspath__") else path
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"Expected binary or unicode string, got {value!r}")
    return os.fsdecode(value)


def exists(path: Any) -> bool:
    """Whether `path` is a file or a directory.

    Raises: UnimplementedError for an unknown scheme; TypeError if `path` is not a string.
    Source: TF 2.21 `tf.io.gfile.exists`.
    """
    place = text_of(path)
    if not place:
        return False
    try:
        stat(place)
    except NotFoundError:
        return False
    except FailedPreconditionError:  # a file in place of a directory
        return False
    return True


def isdir(path: Any) -> bool:
    """Whether `path` is a directory; False if that cannot be known.

    Source: TF 2.21 `tf.io.gfile.isdir`.
    """
    try:
        return stat(path).is_directory
    except OpError:
        return False


def stat(path: Any) -> FileStatistics:
    """The length of the file `path`, its time of change, and whether it is a directory.

    Raises: NotFoundError if it does not exist.
    Source: TF 2.21 `tf.io.gfile.stat`.
    """
    place = text_of(path)
    system, inside = system_of(place)
    with translated(place):
        return system.stat(inside)


def glob(pattern: Any) -> list[str]:
    """The sorted paths that match `pattern`, or one of several patterns.

    In it, `*` is any number of letters, `?` is one, `[a-c]` one of these and `[!a-c]` any other, except `/`.

    Raises: UnimplementedError for an unknown scheme.
    Source: TF 2.21 `tf.io.gfile.glob`.
    """
    patterns = [pattern] if isinstance(pattern, str) else list(pattern)
    return [path for one in patterns for path in matching(text_of(one))]


def listdir(path: Any) -> list[str]:
    """The names in the directory `path`, without `.` and `..`.

    Raises: NotFoundError if it is not a directory.
    Source: TF 2.21 `tf.io.gfile.listdir`.
    """
    place = text_of(path)
    if not isdir(place):
        system_of(place)
        raise NotFoundError.of(f"Could not find directory {place}")
    system, inside = system_of(place)
    with translated(place):
        return system.list(inside)


def mkdir(path: Any) -> None:
    """Makes the directory `path`. One that exists is left as it is.

    Raises: NotFoundError without the directory above it.
    Source: TF 2.21 `tf.io.gfile.mkdir`.
    """
    _make(text_of(path), has_parents=False)


def makedirs(path: Any) -> None:
    """Makes the directory `path`, and those above it. Directories that exist are left as they are.

    Raises: FailedPreconditionError if one of them is a file.
    Source: TF 2.21 `tf.io.gfile.makedirs`.
    """
    _make(text_of(path), has_parents=True)


def _make(place: str, has_parents: bool) -> None:
    if not place:
        return
    system, inside = system_of(place)
    with translated(place):
        try:
            system.make(inside, has_parents)
        except FileExistsError:
            raise FailedPreconditionError.of(f"{place} is not a directory") from None


def remove(path: Any) -> None:
    """Removes the file `path`.

    Raises: NotFoundError if it does not exist; FailedPreconditionError for a directory.
    Source: TF 2.21 `tf.io.gfile.remove`.
    """
    place = text_of(path)
    system, inside = system_of(place)
    with translated(place):
        system.remove(inside)


def rmtree(path: Any) -> None:
    """Removes the directory `path` with all that it contains, or the file `path`.

    Raises: NotFoundError if it does not exist.
    Source: TF 2.21 `tf.io.gfile.rmtree`.
    """
    place = text_of(path)
    if not exists(place):
        raise NotFoundError.of(f"{place} not found")
    system, inside = system_of(place)
    with translated(place):
        system.remove_tree(inside)


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies the file `src` to the path `dst`, which may have another scheme.

    Raises: NotFoundError if there is no such file; InvalidArgumentError if it is a directory; AlreadyExistsError if
      `dst` exists, unless `overwrite`.
    Source: TF 2.21 `tf.io.gfile.copy`.
    """
    source, target = text_of(src), text_of(dst)
    _require_free(target, overwrite)
    if stat(source).is_directory:
        raise InvalidArgumentError.of(f"{source}; a directory cannot be copied")
    (reading, inside), (writing, outside) = system_of(source), system_of(target)
    with translated(source):
        origin = reading.open(inside, "rb")
    with origin, translated(target), writing.open(outside, "wb") as end:
        while block := origin.read(_BLOCK):
            end.write(block)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Moves the file or directory `src` to the path `dst`. A file may move to a path with another scheme.

    Raises: NotFoundError if it does not exist; AlreadyExistsError if `dst` exists, unless `overwrite`.
    Source: TF 2.21 `tf.io.gfile.rename`.
    """
    source, target = text_of(src), text_of(dst)
    _require_free(target, overwrite)
    if _kind(source) != _kind(target):
        copy(source, target, overwrite)
        remove(source)
        return
    (system, inside), (_, outside) = system_of(source), system_of(target)
    with translated(source):
        system.rename(inside, outside)


def _kind(path: str) -> str:
    """The scheme of `path`, without that of local files."""
    return scheme_of(path).replace("file", "")


def _require_free(target: str, may_exist: bool) -> None:
    if not may_exist and exists(target):
        raise AlreadyExistsError.of("file already exists")


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[Exception], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """The directories below `top` and itself: for each its path, the names of its directories, and of its files.

    A directory precedes those in it if `topdown`, else it follows them. `onerror` is called with the error of a
    directory that cannot be listed.

    Source: TF 2.21 `tf.io.gfile.walk`.
    """
    here = text_of(top)
    try:
        names = listdir(here)
    except OpError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [name for name in names if isdir(join(here, name))]
    found = here, folders, [name for name in names if name not in folders]
    if topdown:
        yield found
    for name in folders:
        yield from walk(join(here, name), topdown, onerror)
    if not topdown:
        yield found


def join(path: Any, *paths: Any) -> Any:
    """The parts `path` and `paths` as one path, with `/` between them; the parts before an absolute one are left out.

    Raises: TypeError for strings and bytes together.
    Source: TF 2.21 `tf.io.gfile.join`.
    """
    parts = [os.fspath(part) for part in (path, *paths)]
    if isinstance(parts[0], str) and scheme_of(parts[0]):
        return posixpath.join(*parts)
    return os.path.join(*parts)


def get_registered_schemes() -> list[str]:
    """The schemes of paths: the empty one, `file`, and those that fsspec knows, if it is installed.

    Source: TF 2.21 `tf.io.gfile.get_registered_schemes`.
    """
    return file_system.schemes()
