"""Writing of datasets to a directory: `tf.data.Dataset.save`, in TensorFlow's format.

The directory has the type of the elements in `dataset_spec.pb`, and in `snapshot.metadata` the name of the directory of
one run, which has a directory for each shard, with files of records: one tensor for each component of an element. The
metadata are written last, and name the run: an interrupted one is not found.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tfcompat._core.dtype import int64, variant
from tfcompat._core.error import FailedPreconditionError, InvalidArgumentError
from tfcompat._core.spec import TensorSpec
from tfcompat._data.block import Block, entries
from tfcompat._data.component import Dense
from tfcompat._data.format import stored_spec
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.file_system import scheme_of
from tfcompat._data.format.record_shard import RecordShard
from tfcompat._data.format.stored_message import stored_messages
from tfcompat._data.function.caller import Caller
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.user_function import UserFunction
from tfcompat._data.growth import Growth
from tfcompat._data.nesting import flatten
from tfcompat._data.node import Node
from tfcompat._data.stored_column import records_of, require_storable, stored_parts
from tfcompat._data.structure import Structure

SPEC, METADATA = "dataset_spec.pb", "snapshot.metadata"
VERSION = 2
# The compression of files by the names that users may pass.
COMPRESSIONS = {None: "", "": "", "NONE": "", "AUTO": "", "GZIP": "GZIP", "ZLIB": "ZLIB", "SNAPPY": "SNAPPY"}


def compression_named(value: Any, label: str) -> str:
    """The compression of files. Raises InvalidArgumentError for an unknown one."""
    if value not in COMPRESSIONS:
        known = ", ".join(map(repr, COMPRESSIONS))
        raise InvalidArgumentError.of(f"{label}: compression must be one of {known}, got {value!r}.")
    return COMPRESSIONS[value]


def local_path(value: Any, label: str) -> str:
    """The path `value`. Raises TypeError unless it is a string; NotImplementedError for paths of other systems."""
    if not isinstance(value, str | bytes):
        raise TypeError(f"{label}: Expected binary or unicode string, got {value!r}")
    path = value if isinstance(value, str) else value.decode(errors="surrogateescape")
    if scheme_of(path) not in ("", "file"):
        raise NotImplementedError(
            f"{label}: only local files are supported, got {path!r}; copy them with tf.io.gfile.copy."
        )
    return path.removeprefix("file://")


def saved(node: Node, path: Any, compression: Any, shard_function: Any, checkpoint_args: Any) -> None:
    """Writes the elements of `node` to the directory `path`.

    Raises: see `tf.data.Dataset.save`.
    """
    label = "tf.data.Dataset.save"
    if checkpoint_args:
        if "checkpoint" in checkpoint_args:
            raise ValueError("'Invalid `checkpoint_args`. `checkpoint_args` are not allowed to include 'checkpoint'.")
        raise NotImplementedError(
            f"{label}: checkpoint_args is not supported; an interrupted save is begun again from the first element."
        )
    directory = local_path(path, label)
    kind = compression_named(compression, label)
    require_storable(node.structure, label)
    spec = stored_spec.encoded(node.structure.spec)
    _make(directory)
    shards = None if shard_function is None else _shard_calls(node.structure, shard_function)
    run = f"{secrets.randbits(64)}"
    with _removed_on_failure(os.path.join(directory, run)) as place:
        count = _write_elements(node, place, kind, shards)
        with translated(directory):
            _replace(os.path.join(directory, SPEC), spec)
            _replace(os.path.join(directory, METADATA), _metadata(node.structure, run, count))


def _make(directory: str) -> None:
    """Makes a directory. Raises FailedPreconditionError if there is a file of the name."""
    if os.path.lexists(directory) and not os.path.isdir(directory):
        raise FailedPreconditionError.of(f"{directory} is not a directory")
    with translated(directory):
        os.makedirs(directory, exist_ok=True)


@contextmanager
def _removed_on_failure(place: str) -> Generator[str]:
    """Makes the directory `place`, which is removed if the block fails."""
    with translated(place):
        os.mkdir(place)
    try:
        yield place
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _replace(path: str, content: bytes) -> None:
    """Writes a file as a whole, in place of the one of that name."""
    temporary = f"{path}.tmp{secrets.randbits(64)}"
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


def _metadata(structure: Structure, run: str, count: int) -> bytes:
    """The message `SnapshotMetadataRecord` of a run that is complete."""
    found = stored_messages()["SnapshotMetadataRecord"](
        run_id=run, creation_timestamp=time.time_ns() // 1000, version=VERSION, num_elements=count, finalized=True
    )
    for part in stored_parts(structure):
        dtype = part.spec.dtype if isinstance(part, Dense) else variant
        found.dtype.append(dtype.as_datatype_enum)
    return found.SerializeToString()


def _shard_calls(structure: Structure, function: Any) -> Calls:
    """The programs of `shard_func`. Raises InvalidArgumentError unless it returns a scalar of dtype int64."""
    found = UserFunction("tf.data.Dataset.save", function, [structure], is_spread=True)
    if flatten(found.structure.spec) != [TensorSpec([], int64)]:
        raise InvalidArgumentError.of(
            f"`shard_func` must return a scalar int64. Its return type is {found.structure.spec}."
        )
    return Calls(found)


def _write_elements(node: Node, place: str, compression: str, shards: Calls | None) -> int:
    """Writes the elements to the directories of their shards, and returns their number."""
    writers: dict[int, RecordShard] = {}
    caller = None if shards is None else Caller(shards)
    cursor, growth = node.cursor(), Growth(node.is_pure and (shards is None or shards.is_pure))
    count = 0
    try:
        while (block := cursor.read(growth.number)) is not None:
            growth.saw(block)
            count += block.count
            for shard, part in [(0, block)] if caller is None else _divided(block, caller):
                if shard not in writers:
                    writers[shard] = _opened(place, shard, compression)
                columns = records_of(node.structure, part)
                writers[shard].write([record for row in zip(*columns, strict=True) for record in row])
    finally:
        for writer in writers.values():
            writer.close()
    return count


def _opened(place: str, shard: int, compression: str) -> RecordShard:
    directory = os.path.join(place, f"{shard:08d}.shard")
    with translated(directory):
        os.mkdir(directory)
    return RecordShard(os.path.join(directory, "00000000.snapshot"), compression)


def _divided(block: Block, caller: Caller) -> Iterator[tuple[int, Block]]:
    """The parts of a block that belong to the same shard. Raises the error of the function."""
    found: list[int] = []
    for outcome in caller.outcomes(block):
        if isinstance(outcome, Exception):
            raise outcome
        found += [int(entry) for entry in entries(outcome.columns[0])]
    numbers = np.array(found, np.int64)
    for number in dict.fromkeys(found):
        # As in TensorFlow, the number is one without a sign.
        yield number % (1 << 64), block.gathered(np.flatnonzero(numbers == number))
