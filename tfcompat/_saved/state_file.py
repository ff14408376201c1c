"""The file `checkpoint` of a folder: the names of its checkpoints, of which one is the latest."""

from __future__ import annotations

import glob
import logging
import os
from collections.abc import Sequence
from typing import Any

from tfcompat._core.system.error import OpError
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.replacement import replace
from tfcompat._data.storage.saving import local_path
from tfcompat._saved.message import checkpoint_messages, state_of, text_of

_logger = logging.getLogger("tensorflow")


def _path_of(folder: str, latest_filename: str | None) -> str:
    return os.path.join(folder, latest_filename or "checkpoint")


def write_state(
    folder: str, latest: str, every: Sequence[str], times: Sequence[float] = (), preserved: float | None = None
) -> None:
    """Writes the file `checkpoint` of `folder`, with names relative to it.

    Raises: RuntimeError if the latest checkpoint has the name of the file; NotFoundError or another of `tf.errors` if
      it cannot be written.
    """
    path = _path_of(folder, None)
    names = [_relative(name, folder) for name in every]
    state = checkpoint_messages()["CheckpointState"](
        model_checkpoint_path=_relative(latest, folder),
        all_model_checkpoint_paths=names,
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=preserved,
    )
    if path == latest:
        raise RuntimeError(
            f"Save path '{latest}' conflicts with path used for checkpoint state.  Please use a different save path."
        )
    with translated(path):
        replace(path, text_of(state).encode())


def _relative(name: str, folder: str) -> str:
    return os.path.relpath(name, folder or ".")


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> Any:
    """The content of the file `checkpoint` in a folder; None if it does not exist, or cannot be read.

    Returns: a message with the fields `model_checkpoint_path`, `all_model_checkpoint_paths`,
      `all_model_checkpoint_timestamps` and `last_preserved_timestamp`.
    Raises: ValueError if the file names no checkpoint.
    Source: TF 2.21 `tf.train.get_checkpoint_state`.
    """
    folder = local_path(os.fspath(checkpoint_dir), "tf.train.get_checkpoint_state")
    path = _path_of(folder, latest_filename)
    if not os.path.exists(path):
        return None
    try:
        with translated(path), open(path, "rb") as file:
            content = file.read()
        state = state_of(content.decode())
    except (OpError, ValueError) as bad:
        _logger.warning("%s: %s", type(bad).__name__, bad)
        _logger.warning("%s: Checkpoint ignored", path)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {folder}")
    state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    state.all_model_checkpoint_paths[:] = [os.path.join(folder, name) for name in state.all_model_checkpoint_paths]
    return state


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The prefix of the latest checkpoint in a folder; None if the folder has none.

    Raises: as `tf.train.get_checkpoint_state`.
    Source: TF 2.21 `tf.train.latest_checkpoint`.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    found = str(state.model_checkpoint_path)
    if checkpoint_exists(found):
        return found
    _logger.error("Couldn't match files for checkpoint %s", found)
    return None


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint with the prefix or pattern `checkpoint_prefix`.

    Source: TF 2.21 `tf.compat.v1.train.checkpoint_exists`.
    """
    prefix = local_path(os.fspath(checkpoint_prefix), "tf.compat.v1.train.checkpoint_exists")
    return bool(glob.glob(f"{prefix}.index") or glob.glob(prefix))
