"""Writing of datasets to a directory: `tf.data.Dataset.save`, in TensorFlow's format.

The directory has the type of the elements in `dataset_spec.pb`, and a run (see `tfcompat._data.storage.stored_run`).
"""

from __future__ import annotations

import os
from typing import Any

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._data.blocks.growth import Growth
from tfcompat._data.format import stored_spec
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.file_system import scheme_of
from tfcompat._data.format.replacement import replace
from tfcompat._data.nodes.node import Node
from tfcompat._data.storage.stored_column import require_storable
from tfcompat._data.storage.stored_run import StoredRun, shard_calls

SPEC = "dataset_spec.pb"
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
    shards = None if shard_function is None else shard_calls(label, node.structure, shard_function)
    run = StoredRun(directory, node.structure, kind, shards)
    try:
        cursor, growth = node.cursor(), Growth(node.is_pure and (shards is None or shards.is_pure))
        while (block := cursor.read(growth.number)) is not None:
            growth.saw(block)
            run.add(block)
        with translated(directory):
            replace(os.path.join(directory, SPEC), spec)
        run.finish()
    except BaseException:
        run.discard()
        raise
