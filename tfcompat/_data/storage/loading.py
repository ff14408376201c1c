"""Reading of datasets that were saved, by TensorFlow or here: `tf.data.Dataset.load`."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import DataLossError, NotFoundError, UnimplementedError
from tfcompat._data.blocks.block import Block, entries
from tfcompat._data.blocks.dataset_spec import DatasetSpec
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.format import stored_spec
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.record_reader import RecordReader
from tfcompat._data.format.stored_message import parsed
from tfcompat._data.function.caller import Caller
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.user_function import UserFunction
from tfcompat._data.functional.interleaving import interleaved
from tfcompat._data.nodes.cursor import Cursor, Rows
from tfcompat._data.nodes.node import UNKNOWN, Node
from tfcompat._data.nodes.source import Held
from tfcompat._data.storage.saving import SPEC, compression_named, local_path
from tfcompat._data.storage.stored_column import block_of, require_storable, stored_parts
from tfcompat._data.storage.stored_run import METADATA, VERSION

_LABEL = "tf.data.Dataset.load"
_SECONDS_BETWEEN_TRIES = 5


def loaded(path: Any, element_spec: Any, compression: Any, reader_function: Any, *, waits: bool) -> Node:
    """The dataset in the directory `path`.

    Raises: see `tf.data.Dataset.load`.
    """
    directory, kind = local_path(path, _LABEL), compression_named(compression, _LABEL)
    while True:
        try:
            return _loaded(directory, element_spec, kind, reader_function)
        except NotFoundError:
            if not waits:
                raise
        time.sleep(_SECONDS_BETWEEN_TRIES)


def _loaded(directory: str, element_spec: Any, compression: str, reader_function: Any) -> Node:
    structure = Structure(_stored_spec(directory) if element_spec is None else element_spec)
    require_storable(structure, _LABEL)
    return loaded_run(directory, structure, compression, reader_function)


def loaded_run(directory: str, structure: Structure, compression: str, reader_function: Any) -> Node:
    """The elements of the run in `directory`, in the order of a user's function of a dataset of shards, if given.

    Raises: NotFoundError if no run was completed; DataLossError if it is corrupted; UnimplementedError for the format
      of early versions of TensorFlow; TypeError unless the function returns a dataset.
    """
    run, count = _run_of(directory)
    shards = [Shard(path, structure, compression) for path in _shards(run)]
    if reader_function is None:
        return Loaded(shards, structure, count)
    return Arranged(shards, structure, count, reader_function)


def _content(path: str, missing: str) -> bytes:
    if not os.path.exists(path):
        raise NotFoundError.of(missing)
    with translated(path), open(path, "rb") as file:
        return file.read()


def _stored_spec(directory: str) -> Any:
    """The type of the elements. Raises NotFoundError or DataLossError if it is missing or corrupted."""
    path = os.path.join(directory, SPEC)
    content = _content(path, f"tf.data snapshot element_spec file not found: {path}.")
    try:
        return stored_spec.decoded(content, path)
    except stored_spec.UnreadableSpecError as bad:
        raise NotFoundError.of(f"tf.data snapshot element_spec file not found or invalid: {path}.") from bad


def _run_of(directory: str) -> tuple[str, int]:
    """The directory of the run, and the number of elements.

    Raises: NotFoundError if the dataset was not saved completely; DataLossError if that is corrupted;
      UnimplementedError for the format of early versions of TensorFlow.
    """
    path = os.path.join(directory, METADATA)
    found = parsed("SnapshotMetadataRecord", _content(path, f"Could not find metadata file [{directory}]"), path)
    run = found.run_id
    if not found.finalized or run != os.path.basename(run) or run in ("", ".", "..") or "\0" in run:
        raise DataLossError.of(f"{path} is corrupted, or the dataset was not saved completely: save it again")
    if found.version != VERSION:
        raise UnimplementedError.of(
            f"{_LABEL}: version {found.version} of the format is not supported; save the dataset with TensorFlow 2.4 "
            "or later."
        )
    if found.num_elements < 0:
        raise DataLossError.of(f"{path} is corrupted: the number of elements is {found.num_elements}")
    return os.path.join(directory, run), found.num_elements


def _shards(run: str) -> list[str]:
    """The directories of the shards, in order."""
    if not os.path.isdir(run):
        raise DataLossError.of(f"the directory {run} of a saved dataset is missing: save it again")
    with translated(run):
        return [os.path.join(run, name) for name in sorted(os.listdir(run)) if name.endswith(".shard")]


class Shard(Node):
    """The elements in the directory of a shard."""

    label = "_VariantDataset"

    def __init__(self, path: str, structure: Structure, compression: str) -> None:
        super().__init__(structure)
        self.path = path
        self.compression = compression

    def count(self) -> int:
        return UNKNOWN

    def cursor(self) -> Cursor:
        return _ShardCursor(self)


class _ShardCursor(Cursor):
    """Reads the files of a shard.

    Attributes:
      _place: the number of the file, and the offset of the next record in it.
    """

    saved = ("_place",)

    def __init__(self, node: Shard) -> None:
        self._node = node
        self._width = len(stored_parts(node.structure))
        with translated(node.path):
            names = sorted(name for name in os.listdir(node.path) if name.endswith(".snapshot"))
        self._files = [os.path.join(node.path, name) for name in names]
        self._place = 0, 0
        self._reader: RecordReader | None = None

    def read(self, most: int) -> Block | None:
        while self._place[0] < len(self._files):
            path = self._files[self._place[0]]
            records = self._records(path, most * self._width)
            if records:
                assert self._reader is not None
                self._place = self._place[0], self._reader.offset
                columns = [records[place :: self._width] for place in range(self._width)]
                return block_of(self._node.structure, columns, path)
            self._reader = None
            self._place = self._place[0] + 1, 0
        return None

    def _records(self, path: str, most: int) -> list[bytes]:
        """The records of at least one element; none at the end of the file."""
        if self._reader is None:
            self._reader = RecordReader(path, self._node.compression)
            if self._place[1]:
                self._reader.seek(self._place[1])
        found = self._reader.read_block(most)
        while len(found) % self._width:
            record = self._reader.read()
            if record is None:
                raise DataLossError.of(f"{path} is corrupted: an element has {self._width} tensors")
            found.append(record)
        return found

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._reader = None


class Loaded(Node):
    """The elements of all shards, as many of which are read in turn as there are cores.

    Raises: DataLossError at the end if there are fewer elements than were saved.
    """

    label = "_LoadDataset"

    def __init__(self, shards: Sequence[Shard], structure: Structure, number: int) -> None:
        super().__init__(structure)
        self.number = number
        self.shards = _dataset_of(shards, structure)
        # One shard is read as it is, without a trace of the function below.
        self._all: Node = shards[0] if len(shards) == 1 else Held(self.label, structure, None)
        if len(shards) > 1:
            self._all = interleaved(self.shards, lambda shard: shard, None, None, -1, is_parallel=False)

    def count(self) -> int:
        return self.number

    def cursor(self) -> Cursor:
        return _Counted(self._all.cursor(), self.number)


def _dataset_of(shards: Sequence[Shard], structure: Structure) -> Node:
    """The dataset whose elements are the shards."""
    block = Block((list(shards),), len(shards)) if shards else None
    return Held("_VariantDataset", Structure(DatasetSpec(structure.spec)), block)


class _Counted(Cursor):
    saved = ("_cursor", "_count")

    def __init__(self, cursor: Cursor, number: int) -> None:
        self._cursor = cursor
        self._number = number
        self._count = 0

    def read(self, most: int) -> Block | None:
        block = self._cursor.read(most)
        if block is not None:
            self._count += block.count
        elif self._count < self._number:
            count, self._count = self._count, self._number
            raise DataLossError.of(
                f"tf.data.Dataset.load: {self._number} elements were saved, but the files have only {count}"
            )
        return block

    def ends_silently(self) -> bool:
        return self._count >= self._number


class Arranged(Node):
    """The elements of the dataset that a function makes of the dataset of shards, once for each iteration."""

    label = "_LoadDataset"

    def __init__(self, shards: Sequence[Shard], structure: Structure, number: int, function: Any) -> None:
        self._given = _dataset_of(shards, structure)
        found = UserFunction(_LABEL, function, [Structure(DatasetSpec(self._given.structure.spec))])
        spec = found.structure.spec
        if not isinstance(spec, DatasetSpec):
            raise TypeError(f"{_LABEL}: reader_func must return a tf.data.Dataset, but its return type is {spec}.")
        if not spec.is_subtype_of(DatasetSpec(structure.spec)):
            raise TypeError(
                f"{_LABEL}: reader_func must return a dataset of the elements {structure.spec}, but its return type is "
                f"{spec}."
            )
        self.calls = Calls(found)
        super().__init__(structure, is_pure=self.calls.is_pure)
        self.number = number

    def count(self) -> int:
        return self.number

    def captured(self) -> list[Tensor]:
        return self.calls.captured()

    def copied(self, inputs: Sequence[Node], values: Mapping[int, Any]) -> Self:
        found = super().copied(inputs, values)
        found.calls = self.calls.bound_to(values)
        return found

    def cursor(self) -> Cursor:
        (outcome,) = Caller(self.calls).outcomes(Block(([self._given],), 1))
        if isinstance(outcome, Exception):
            raise outcome
        (node,) = entries(outcome.columns[0])
        return Rows(node.cursor())
