"""Runs: the files of the elements that one iteration wrote, in TensorFlow's format of snapshots.

A run is a directory with one for each shard, with files of records: one tensor for each component of an element. The
file `snapshot.metadata` beside it names it. It is written last: a run that was interrupted is not found.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.system.error import FailedPreconditionError, InvalidArgumentError
from tfcompat._core.types.dtype import int64, variant
from tfcompat._data.blocks.block import Block, entries
from tfcompat._data.blocks.component import Dense
from tfcompat._data.blocks.nesting import flatten
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.record_shard import RecordShard
from tfcompat._data.format.replacement import replace
from tfcompat._data.format.stored_message import stored_messages
from tfcompat._data.function.caller import Caller
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.user_function import UserFunction
from tfcompat._data.storage.stored_column import records_of, stored_parts

METADATA = "snapshot.metadata"
VERSION = 2


class StoredRun:
    """A run that is being written to `directory`, which is made if it does not exist.

    Raises: FailedPreconditionError if there is a file of that name; the errors of files.
    """

    def __init__(self, directory: str, structure: Structure, compression: str, shards: Calls | None) -> None:
        """`shards` compute the numbers of the elements' shards; without them there is one."""
        self._directory = directory
        self._structure = structure
        self._compression = compression
        self._shards = None if shards is None else Caller(shards)
        self._writers: dict[int, RecordShard] = {}
        self._count = 0
        if os.path.lexists(directory) and not os.path.isdir(directory):
            raise FailedPreconditionError.of(f"{directory} is not a directory")
        self._process = os.getpid()
        self._name = f"{secrets.randbits(64)}"
        self._place = os.path.join(directory, self._name)
        with translated(self._place):
            os.makedirs(self._place)

    def add(self, block: Block) -> None:
        """Adds elements. Raises the errors of the function for shards, and those of files."""
        self._require_own()
        self._count += block.count
        for shard, part in [(0, block)] if self._shards is None else _divided(block, self._shards):
            if shard not in self._writers:
                self._writers[shard] = self._opened(shard)
            columns = records_of(self._structure, part)
            self._writers[shard].write([record for row in zip(*columns, strict=True) for record in row])

    def _opened(self, shard: int) -> RecordShard:
        directory = os.path.join(self._place, f"{shard:08d}.shard")
        with translated(directory):
            os.mkdir(directory)
        return RecordShard(os.path.join(directory, "00000000.snapshot"), self._compression)

    def finish(self) -> None:
        """Makes this run that of the directory."""
        self._require_own()
        for writer in self._writers.values():
            writer.close()
        with translated(self._directory):
            replace(os.path.join(self._directory, METADATA), self._metadata())

    def _require_own(self) -> None:
        if self._process != os.getpid():
            raise FailedPreconditionError.of(
                f"{self._directory} is being written by the process that this one was forked from: make an iterator of "
                "its own here"
            )

    def discard(self) -> None:
        """Removes the files, unless this is a copy in a forked process."""
        if self._process != os.getpid():
            return
        for writer in self._writers.values():
            writer.abandon()
        shutil.rmtree(self._place, ignore_errors=True)

    def _metadata(self) -> bytes:
        """The message `SnapshotMetadataRecord` of a run that is complete."""
        found = stored_messages()["SnapshotMetadataRecord"](
            run_id=self._name,
            creation_timestamp=time.time_ns() // 1000,
            version=VERSION,
            num_elements=self._count,
            finalized=True,
        )
        for part in stored_parts(self._structure):
            dtype = part.spec.dtype if isinstance(part, Dense) else variant
            found.dtype.append(dtype.as_datatype_enum)
        return found.SerializeToString()


def shard_calls(label: str, structure: Structure, function: Any) -> Calls:
    """The programs of `shard_func`. Raises InvalidArgumentError unless it returns a scalar of dtype int64."""
    found = UserFunction(label, function, [structure], is_spread=True)
    if flatten(found.structure.spec) != [TensorSpec([], int64)]:
        raise InvalidArgumentError.of(
            f"`shard_func` must return a scalar int64. Its return type is {found.structure.spec}."
        )
    return Calls(found)


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
