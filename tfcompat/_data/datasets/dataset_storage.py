"""The methods of `tf.data.Dataset` that keep elements in memory and in files."""

from __future__ import annotations

from typing import Any

from tfcompat._data.blocks.dataset_spec import AnyDataset, require_eager
from tfcompat._data.datasets.dataset_source import made
from tfcompat._data.nodes.holding import Cache
from tfcompat._data.nodes.source import scalar_string
from tfcompat._data.storage.file_cache import FileCache
from tfcompat._data.storage.loading import loaded
from tfcompat._data.storage.saving import saved
from tfcompat._data.storage.snapshot import Snapshot


class Storing(AnyDataset):
    """The methods of `tf.data.Dataset` that keep elements in memory and in files."""

    def cache(self, filename: Any = "", name: str | None = None) -> Any:
        """The elements, which are kept once an iteration has reached the end: in memory, or in files.

        The files `filename.index` and `filename.data-00000-of-00001` are TensorFlow's, and are used if they exist. The
        file `filename_0.lockfile` exists while they are written.

        Raises: InvalidArgumentError unless `filename` is a scalar. When elements are read: AlreadyExistsError if
          another iterator writes the files; InvalidArgumentError if they have elements of another type; DataLossError
          if they are corrupted. NotImplementedError for files with elements that contain datasets.
        Source: TF 2.21 `tf.data.Dataset.cache`.
        """
        del name
        path = scalar_string(filename, "filename")
        return made(FileCache(self._node, path) if path else Cache(self._node))

    def snapshot(
        self,
        path: Any,
        compression: Any = "AUTO",
        reader_func: Any = None,
        shard_func: Any = None,
        name: str | None = None,
    ) -> Any:
        """The elements, which are kept in files below `path` once an iteration has reached the end.

        Later iterations read them, also those of other processes, from datasets with the same `fingerprint`. An
        iteration that is broken off, or in which an element has an error, leaves nothing. `compression` is "AUTO",
        which is "SNAPPY", "GZIP", "ZLIB" or None; `reader_func` and `shard_func` are those of `load` and `save`.

        Raises: TypeError if `path` is not a string; InvalidArgumentError for another compression, and unless
          `shard_func` returns an int64; NotImplementedError for elements that contain datasets. When elements are read:
          DataLossError if files are corrupted; the errors of files; TypeError unless `reader_func` returns a dataset.
        Source: TF 2.21 `tf.data.Dataset.snapshot`.
        """
        del name
        return made(Snapshot(self._node, scalar_string(path, "path"), compression, reader_func, shard_func))

    def save(self, path: Any, compression: Any = None, shard_func: Any = None, checkpoint_args: Any = None) -> None:
        """Writes the elements to the directory `path`, in TensorFlow's format, for `tf.data.Dataset.load`.

        `compression` is None, "GZIP", "ZLIB" or "SNAPPY", whose files are not made smaller here. `shard_func` returns
        the number of the shard of an element; without it there is one. An interrupted call leaves nothing, or the
        dataset that was saved before.

        Raises: the errors of the elements; TypeError if `path` is not a string; FailedPreconditionError if it is a
          file; InvalidArgumentError for another compression, and unless `shard_func` returns an int64;
          NotImplementedError for `checkpoint_args`, paths of other file systems, and elements that contain datasets.
        Source: TF 2.21 `tf.data.Dataset.save`.
        """
        require_eager("save")
        saved(self._node, path, compression, shard_func, checkpoint_args)

    @staticmethod
    def load(
        path: Any, element_spec: Any = None, compression: Any = None, reader_func: Any = None, wait: Any = False
    ) -> Any:
        """The dataset that TensorFlow or tfcompat has saved in the directory `path`.

        `compression` is that of `save`. `reader_func` makes the dataset of a dataset of shards, which are datasets; by
        default as many shards as there are cores are read in turn. With `wait` the call returns once there is a saved
        dataset.

        Raises: NotFoundError if nothing was saved; InvalidArgumentError for another compression, and for elements of
          another type than `element_spec`, when they are read; DataLossError if files are corrupted or elements are
          missing; TypeError unless `reader_func` returns a dataset; NotImplementedError for elements that contain
          datasets.
        Source: TF 2.21 `tf.data.Dataset.load`.
        """
        return made(loaded(path, element_spec, compression, reader_func, waits=bool(wait)))
