"""Reading of tensors in checkpoints by name: `tf.train.load_checkpoint`, `list_variables`, `load_variable`."""

from __future__ import annotations

import os
from typing import Any

from tfcompat._core.system.error import InternalError
from tfcompat._core.types.dtype import DType, variant
from tfcompat._saved.state_file import latest_checkpoint
from tfcompat._saved.stored_values import StoredValues

# The names of dtypes in `debug_string` that are not `DType.name` in capitals.
_NAMES = {"float16": "HALF", "float32": "FLOAT", "float64": "DOUBLE"}


class CheckpointReader:
    """The tensors of a checkpoint by name.

    Source: TF 2.21, the result of `tf.train.load_checkpoint`.
    """

    def __init__(self, prefix: Any) -> None:
        self._values = StoredValues(prefix)

    def has_tensor(self, tensor_str: str | bytes) -> bool:
        """Whether the checkpoint has the tensor `tensor_str`."""
        return _text(tensor_str) in self._values.entries

    def get_tensor(self, tensor_str: str | bytes) -> Any:
        """The tensor `tensor_str` as a NumPy array, a scalar as NumPy's scalar or bytes.

        Raises: NotFoundError if it does not exist; DataLossError if it is corrupted; InternalError for variants.
        """
        name = _text(tensor_str)
        if self._values.entry(name).dtype is variant:
            raise InternalError.of("Tensorflow type 21 not convertible to numpy dtype.")
        found = self._values.value(name)
        return found[()] if found.ndim == 0 else found.copy()

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes of the tensors, by name."""
        return {name: list(entry.shape) for name, entry in self._values.entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtypes of the tensors, by name."""
        return {name: entry.dtype for name, entry in self._values.entries.items()}

    def debug_string(self) -> bytes:
        """A line for each tensor: its name, dtype and shape."""
        lines = [
            f"{name} (DT_{_NAMES.get(entry.dtype.name, entry.dtype.name.upper())}) "
            f"[{','.join(map(str, entry.shape))}]\n"
            for name, entry in self._values.entries.items()
        ]
        return "".join(lines).encode()


def _text(name: str | bytes) -> str:
    return name if isinstance(name, str) else name.decode(errors="surrogateescape")


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of the checkpoint with a prefix, or of the latest one in a folder.

    Raises: ValueError if the folder has no checkpoint; NotFoundError if there are no files with the prefix;
      DataLossError if they are corrupted.
    Source: TF 2.21 `tf.train.load_checkpoint`.
    """
    path = os.fspath(ckpt_dir_or_file)
    found = latest_checkpoint(path) if os.path.isdir(path) else path
    if found is None:
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {ckpt_dir_or_file}")
    return CheckpointReader(found)


def new_checkpoint_reader(filepattern: Any) -> CheckpointReader:
    """A reader of the checkpoint with the prefix `filepattern`.

    Raises: NotFoundError if there are no files with the prefix; DataLossError if they are corrupted.
    Source: TF 2.21 `tf.compat.v1.train.NewCheckpointReader`.
    """
    return CheckpointReader(filepattern)


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """The tensor `name` of a checkpoint as a NumPy array.

    Raises: as `tf.train.load_checkpoint`; NotFoundError if the tensor does not exist.
    Source: TF 2.21 `tf.train.load_variable`.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """The names and shapes of the tensors of a checkpoint, in the order of names.

    Raises: as `tf.train.load_checkpoint`.
    Source: TF 2.21 `tf.train.list_variables`.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
