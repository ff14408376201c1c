"""`tf.train.CheckpointManager`: a folder of checkpoints, of which old ones are deleted."""

from __future__ import annotations

import copy
import logging
import os
import time
from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.system.error import NotFoundError
from tfcompat._data.format.file_error import translated
from tfcompat._saved.checkpoint import Checkpoint
from tfcompat._saved.nesting import saving
from tfcompat._saved.options import CheckpointOptions
from tfcompat._saved.shard import files_of
from tfcompat._saved.state_file import get_checkpoint_state, write_state

_HOUR = 3600.0
_logger = logging.getLogger("tensorflow")


class CheckpointManager:
    """Saves checkpoints to a folder, and deletes old ones.

    Args:
      checkpoint: the objects to save.
      directory: the folder.
      max_to_keep: the number of checkpoints to keep; None keeps all.
      keep_checkpoint_every_n_hours: of those to delete, keeps one after each period of this length.
      checkpoint_name: the beginning of the names of files.
      step_counter: a variable that counts steps.
      checkpoint_interval: the least number of steps between two checkpoints.
      init_fn: called by `restore_or_initialize` if there is no checkpoint.
      last_checkpoint_step: the step of the checkpoint before.

    Raises: ValueError if `max_to_keep` is not positive, or for `checkpoint_interval` without `step_counter`.
    Source: TF 2.21 `tf.train.CheckpointManager`.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._max_to_keep = max_to_keep
        self._hours = keep_checkpoint_every_n_hours
        self._step_counter = step_counter
        self._checkpoint_interval = checkpoint_interval
        self._last_step = last_checkpoint_step
        self._init_fn = init_fn
        self._latest: str | None = None
        # The checkpoints that may be deleted with the times of saving, the oldest first.
        self._kept: dict[str, float] = {}
        self._recover()

    def _recover(self) -> None:
        """Continues with the checkpoints in the folder."""
        state, now = get_checkpoint_state(self._directory), time.time()
        self._preserved = now - 1.0
        if state is None:
            return
        self._latest = state.model_checkpoint_path
        self._preserved = state.last_preserved_timestamp
        if now < self._preserved:
            _logger.warning(
                "time.time() returned a value %f seconds behind the last preserved checkpoint timestamp.",
                self._preserved - now,
            )
            self._preserved = now
        names = list(state.all_model_checkpoint_paths)
        times = list(state.all_model_checkpoint_timestamps) or [self._preserved] * len(names)
        for name, saved in zip(names, times, strict=False):
            if min(saved, now) > self._preserved:
                self._kept[name] = min(saved, now)

    @property
    def checkpoint(self) -> Checkpoint:
        """The objects that are saved."""
        return self._checkpoint

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        """The least number of steps between two checkpoints."""
        return self._checkpoint_interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the latest checkpoint; None if the folder has none."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of the checkpoints, the oldest first, without those that are kept for good."""
        return list(self._kept)

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: CheckpointOptions | None = None
    ) -> str | None:
        """Saves a checkpoint, and deletes the oldest ones.

        Args:
          checkpoint_number: the number in its name; by default that of `save_counter`.
          check_interval: whether the steps since the last checkpoint must reach `checkpoint_interval`.
          options: as for `tf.train.Checkpoint.write`.

        Returns: the prefix of its files; None if it was not saved because of the interval.
        Raises: as `tf.train.Checkpoint.write`.
        Source: TF 2.21 `tf.train.CheckpointManager.save`.
        """
        with saving():
            if self._checkpoint_interval is not None:
                step, last = int(convert_to_tensor(self._step_counter)), self._last_step
                if last is not None and (step == last or (check_interval and step < last + self._checkpoint_interval)):
                    return None
                self._last_step = step
            number = self._checkpoint._advance()
            if checkpoint_number is not None:
                number = int(convert_to_tensor(checkpoint_number))
            chosen = copy.copy(options) or CheckpointOptions()
            chosen.experimental_write_callbacks = [*(chosen.experimental_write_callbacks or ()), self._note_saved]
            return self._checkpoint._write(f"{self._prefix}-{number}", chosen)

    def _note_saved(self, path: str) -> None:
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest = path
        # Before files are deleted and afterwards: the file `checkpoint` always names a checkpoint that exists.
        self._write_state()
        self._sweep()
        self._write_state()

    def _write_state(self) -> None:
        assert self._latest is not None
        write_state(self._directory, self._latest, list(self._kept), list(self._kept.values()), self._preserved)

    def _sweep(self) -> None:
        """Deletes the oldest checkpoints."""
        while self._max_to_keep is not None and len(self._kept) > self._max_to_keep:
            name, saved = next(iter(self._kept.items()))
            if self._hours and saved - self._hours * _HOUR >= self._preserved:
                self._preserved = saved
            else:
                _delete(name)
            # After the files are deleted: after an interrupt the next call deletes the rest of them.
            del self._kept[name]

    def restore_or_initialize(self) -> str | None:
        """Restores the latest checkpoint and returns its prefix; without one, calls `init_fn` and returns None.

        Raises: as `tf.train.Checkpoint.restore`.
        Source: TF 2.21 `tf.train.CheckpointManager.restore_or_initialize`.
        """
        if self._latest is None:
            if self._init_fn is not None:
                self._init_fn()
                _logger.info("Customized initialization is done through the passed `init_fn`.")
            return None
        self._checkpoint.restore(self._latest)
        if self._checkpoint_interval is not None:
            self._last_step = int(convert_to_tensor(self._step_counter))
        return self._latest

    def sync(self) -> None:
        """Waits until checkpoints that are saved with `enable_async` are written. Raises the error of writing."""
        self._checkpoint.sync()


def _delete(name: str) -> None:
    """Deletes the files of a checkpoint."""
    for path in files_of(name):
        try:
            with translated(path):
                os.remove(path)
        except NotFoundError:
            _logger.warning("%s was deleted by another process.", path)
