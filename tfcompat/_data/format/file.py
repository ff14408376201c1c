"""Ops that read and write whole files."""

from __future__ import annotations

import posixpath
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row, element_trace
from tfcompat._core.calls.host_call import Later, computed, is_later
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor, pending
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dtype import string
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.file_system import system_of
from tfcompat._data.format.gfile import makedirs
from tfcompat._data.format.pattern import matching
from tfcompat._function.graphs.python_call import numpy_function
from tfcompat._ops.text.element import array_of, strings


def content_of_file(path: bytes) -> bytes:
    """The content of the file `path`."""
    place = path.decode(errors="surrogateescape")
    system, inside = system_of(place)
    with translated(place), system.open(inside, "rb") as file:
        return file.read()


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """The content of the file `filename`. Inside a `tf.function`, it is read at each call.

    Shapes: [] -> [].
    Dtypes: string -> string.
    Raises: NotFoundError if there is no such file; FailedPreconditionError for a directory; InvalidArgumentError if
      filename is not a scalar.
    Source: TF 2.21 `tf.io.read_file`.
    """
    del name
    path = _scalar("read_file", "filename", filename)
    if element_trace() is not None:
        return _scheduled(path)
    if here.graph is None:
        return Tensor(_read(path.__array__()))
    if is_later(path):
        return computed("io.read_file", _read, (path,), (), string)
    known = path.__array__()
    return pending(Later("io.read_file", lambda: _read(known), []), -1, aval_of((), string))


def _scheduled(path: Tensor) -> Tensor:
    """The content of a file that is read for each element of a dataset."""
    trace = element_trace()
    assert trace is not None
    return trace.hosted("io.read_file", lambda _, place: [_read(place)], (path,), [((), string)], is_long=True)[0]


def _read(path: np.ndarray) -> np.ndarray:
    return array_of([content_of_file(path.item())], ())


def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Writes `contents` to the file `filename`, and makes the directories above it. An existing file is replaced.

    Shapes: [], [] -> None.
    Dtypes: string -> None.
    Raises: InvalidArgumentError if an argument is not a scalar; FailedPreconditionError if filename is a directory.
    Source: TF 2.21 `tf.io.write_file`.
    """
    del name
    path, content = _scalar("write_file", "filename", filename), _scalar("write_file", "contents", contents)
    if here.graph is None:
        _write(path.numpy(), content.numpy())
    else:
        numpy_function(_write, [path, content], [])


def _write(path: bytes, content: bytes) -> None:
    place = path.decode(errors="surrogateescape")
    if folder := posixpath.dirname(place):
        makedirs(folder)
    system, inside = system_of(place)
    with translated(place), system.open(inside, "wb") as file:
        file.write(content)


@by_row("pattern", specs=lambda **_: TensorSpec([None], string))
def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The sorted paths that match `pattern`, or one of its elements; see `tf.io.gfile.glob`.

    Shapes: [] or [patterns] -> [files].
    Dtypes: string -> string.
    Raises: InvalidArgumentError for another shape.
    Source: TF 2.21 `tf.io.matching_files`.
    """
    del name
    patterns = strings("io.matching_files", pattern, "pattern")
    if patterns.ndim > 1:
        raise InvalidArgumentError.of(
            f"tf.io.matching_files: pattern must be a scalar or a vector, got shape {patterns.shape}."
        )
    if here.graph is not None:
        raise NotImplementedError(
            "tf.io.matching_files: a tf.function does not know the number of files; call it outside of the function."
        )
    listed = patterns.__array__().reshape(-1).tolist()
    found = sorted(path for one in listed for path in matching(one.decode(errors="surrogateescape")))
    return Tensor(array_of((path.encode(errors="surrogateescape") for path in found), (len(found),)))


def _scalar(function: str, what: str, value: Any) -> Tensor:
    text = strings(f"io.{function}", value, what)
    if text.ndim:
        raise InvalidArgumentError.of(f"tf.io.{function}: {what} must be scalar, but had shape: {text.shape}.")
    return text
