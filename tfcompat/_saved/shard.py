"""The names of the data files of a checkpoint.

A checkpoint that replaces another one of its name is written to a data file of another name. So the index, which is
renamed last, changes the checkpoint at once.
"""

from __future__ import annotations

import os
import re

from tfcompat._core.system.error import OpError
from tfcompat._data.format.bundle_reader import BundleReader
from tfcompat._data.format.bundle_writer import data_suffix
from tfcompat._data.format.file_error import make_folders, translated

# The ends of the names of all files of a checkpoint. (A pattern of `glob` for each prefix would be kept in memory.)
_ENDS = re.compile(r"\.index|\.data-.....-of-.....", re.DOTALL)


def files_of(prefix: str) -> list[str]:
    """The files of the checkpoint `prefix`, the index first; none if its folder cannot be read."""
    folder, start = os.path.split(prefix)
    try:
        names = os.listdir(folder or os.curdir)
    except OSError:
        return []
    found = [name for name in names if name.startswith(start) and _ENDS.fullmatch(name, len(start))]
    return [os.path.join(folder, name) for name in sorted(found, key=lambda name: (not name.endswith(".index"), name))]


def made_folder_of(prefix: str) -> None:
    """Makes the folder of the files `prefix`. Raises NotFoundError or another of `tf.errors` if it cannot."""
    folder = os.path.dirname(prefix)
    if folder:
        with translated(folder):
            make_folders(folder)


def free_shards(prefix: str, files: int) -> int:
    """A number of data files of which the last `files` are not files of a present checkpoint `prefix`."""
    if not os.path.exists(f"{prefix}.index"):
        return files
    try:
        reader = BundleReader(prefix)
    except OpError:
        # A broken index keeps no data alive.
        return files
    reader.close()
    return files + 1 if reader.shards == files else files


def remove_other_shards(prefix: str, shards: int, files: int) -> None:
    """Removes the data files of the checkpoint that was replaced by one with the last `files` of `shards`."""
    own = {f"{prefix}{data_suffix(shard, shards)}" for shard in range(shards - files, shards)}
    for path in files_of(prefix)[1:]:
        if path not in own:
            with translated(path):
                os.remove(path)
