"""Waiting for checkpoints that another process writes: `tf.train.checkpoints_iterator`."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

from tfcompat._saved.state_file import latest_checkpoint

_PAUSE = 1.0
_logger = logging.getLogger("tensorflow")


def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """The prefixes of the checkpoints that appear in a folder, as they do.

    Args:
      checkpoint_dir: the folder.
      min_interval_secs: the least number of seconds between two checkpoints.
      timeout: the most seconds to wait for a checkpoint; None waits without end.
      timeout_fn: called after each timeout and each checkpoint; the iterator ends if it returns true. Without it the
        iterator ends at the first timeout.

    Source: TF 2.21 `tf.train.checkpoints_iterator`.
    """
    latest: str | None = None
    while True:
        found = _next(checkpoint_dir, latest, timeout)
        if found is not None:
            start = time.time()
            latest = found
            yield found
            time.sleep(max(0.0, start + min_interval_secs - time.time()))
        elif timeout_fn is None:
            _logger.info("Timed-out waiting for a checkpoint (without timeout_fn).")
            return
        if timeout_fn is not None and timeout_fn():
            _logger.info("Done. No new checkpoints will be generated.")
            return


def _next(folder: Any, last: str | None, timeout: float | None) -> str | None:
    """The latest checkpoint once it is another one than `last`; None after `timeout`."""
    end = None if timeout is None else time.time() + timeout
    while (found := latest_checkpoint(folder)) is None or found == last:
        if end is not None and time.time() + _PAUSE > end:
            return None
        time.sleep(_PAUSE)
    return found
