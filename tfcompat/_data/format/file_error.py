"""Errors of the operating system as those of TensorFlow."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Generator

from tfcompat._core.system import error
from tfcompat._core.system.location import is_raised_by_handler

_CLASSES: dict[int, type[error.OpError]] = {
    errno.ENOENT: error.NotFoundError,
    errno.EEXIST: error.AlreadyExistsError,
    errno.EISDIR: error.FailedPreconditionError,
    errno.ENOTDIR: error.FailedPreconditionError,
    errno.ENOTEMPTY: error.FailedPreconditionError,
    errno.EBUSY: error.UnavailableError,
    errno.EACCES: error.PermissionDeniedError,
    errno.EPERM: error.PermissionDeniedError,
    errno.EROFS: error.PermissionDeniedError,
    errno.EINVAL: error.InvalidArgumentError,
    errno.ENAMETOOLONG: error.InvalidArgumentError,
    errno.EFBIG: error.OutOfRangeError,
    errno.ENOSPC: error.ResourceExhaustedError,
    errno.EDQUOT: error.ResourceExhaustedError,
    errno.EMFILE: error.ResourceExhaustedError,
}
# Errors of fsspec often have no number.
_NUMBERS: dict[type[OSError], int] = {
    FileNotFoundError: errno.ENOENT,
    FileExistsError: errno.EEXIST,
    IsADirectoryError: errno.EISDIR,
    NotADirectoryError: errno.ENOTDIR,
    PermissionError: errno.EACCES,
}


@contextlib.contextmanager
def translated(path: str) -> Generator[None]:
    """Raises the errors of an operation on `path` as TensorFlow's."""
    try:
        yield
    except ValueError as bad:  # a path that contains a 0
        if is_raised_by_handler(bad):
            raise
        raise error.InvalidArgumentError.of(f"{path!r}; {bad}") from bad
    except OSError as bad:
        if is_raised_by_handler(bad):  # handlers of alarms raise TimeoutError
            raise
        number = bad.errno or next((found for kind, found in _NUMBERS.items() if isinstance(bad, kind)), None)
        kind = _CLASSES.get(number or 0, error.UnknownError)
        raise kind.of(f"{path}; {os.strerror(number) if number else bad}") from bad


def make_folders(path: str) -> None:
    """Makes the folder `path` and those around it, unless they exist. Raises NotADirectoryError if one is a file."""
    try:
        os.makedirs(path, exist_ok=True)
    except FileExistsError as bad:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path) from bad
