"""The tensors of a checkpoint by name, checked before they are used."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from tfcompat._core.system.error import DataLossError, FailedPreconditionError, NotFoundError
from tfcompat._data.format.bundle_reader import BundleReader, Entry
from tfcompat._data.format.tensor_part import key_of, ranges_of
from tfcompat._data.storage.saving import local_path


class StoredValues:
    """The tensors in the files `prefix`. As a context it closes the data files at the end.

    Raises: NotFoundError if there are no such files; DataLossError if the index is corrupted, or `prefix` is a folder
      or a file.
    """

    def __init__(self, prefix: Any) -> None:
        self.prefix = local_path(prefix, "tf.train.load_checkpoint")
        try:
            self._reader = BundleReader(self.prefix)
        except (NotFoundError, FailedPreconditionError) as missing:
            if os.path.exists(self.prefix):
                raise DataLossError.of(
                    f"Unable to open table file {self.prefix}: perhaps your file is in a different file format and you "
                    "need to use a different restore operator?"
                ) from missing
            raise NotFoundError.of(
                f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {self.prefix}"
            ) from missing
        self.entries: dict[str, Entry] = {}
        self._parts: dict[bytes, Entry] = {}
        try:
            self._list_entries()
        finally:
            self._reader.close()

    def _list_entries(self) -> None:
        last = b""
        for entry in self._reader.entries():
            if entry.key <= last:
                raise DataLossError.of(f"{self.prefix}.index is corrupted: its names do not ascend")
            last = entry.key
            # The name of a part of a tensor begins with this byte.
            if last.startswith(b"\0"):
                self._parts[last] = entry
            else:
                self.entries[last.decode(errors="surrogateescape")] = entry

    def entry(self, key: str) -> Entry:
        """The place of the tensor `key`. Raises NotFoundError if it does not exist."""
        found = self.entries.get(key)
        if found is None:
            raise NotFoundError.of(f"Key {key} not found in checkpoint")
        return found

    def verify(self, keys: Iterable[str]) -> None:
        """Reads tensors without keeping them. Raises NotFoundError or DataLossError if a data file is corrupted."""
        every = [part for key in keys for part in self._stored(self.entry(key))]
        for entry in sorted(every, key=lambda entry: (entry.shard, entry.place)):
            self._reader.verify(entry)

    def _stored(self, entry: Entry) -> list[Entry]:
        """The tensor, or the parts of it that are stored. Raises DataLossError unless they are the tensor."""
        if not entry.slices:
            return [entry]
        found: list[Entry] = []
        for extents, ranges in zip(entry.slices, ranges_of(entry), strict=True):
            part = self._parts.get(key_of(entry.key, extents))
            shape = tuple(each.stop - each.start for each in ranges)
            if part is None or part.slices or (part.dtype, part.shape) != (entry.dtype, shape):
                raise DataLossError.of(f"{self.prefix} is corrupted: a part of {entry.key!r} is missing")
            found.append(part)
        return found

    def verified(self, key: str) -> np.ndarray[Any, Any]:
        """The tensor `key`, which `verify` has read before."""
        entry = self.entry(key)
        if not entry.slices:
            return self._reader.verified(entry)
        parts = [self._reader.verified(part) for part in self._stored(entry)]
        found = np.empty(entry.shape, parts[0].dtype)
        for ranges, part in zip(ranges_of(entry), parts, strict=True):
            found[ranges] = part
        return found

    def value(self, key: str) -> np.ndarray[Any, Any]:
        """The tensor `key`. Raises NotFoundError if it does not exist; DataLossError if it is corrupted."""
        with self:
            self.verify([key])
            return self.verified(key)

    def text(self, key: str) -> bytes:
        """The string `key`. Raises DataLossError if it is corrupted, or is not a string."""
        found = self.value(key)
        if found.dtype != object or found.ndim:
            raise DataLossError.of(f"{self.prefix} is corrupted: {key} is not a string")
        return found.item()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._reader.close_data()
