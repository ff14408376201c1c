"""`tf.compat.v1.logging`: messages to TensorFlow's logger."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

from tfcompat._dropin.logger import get_logger

DEBUG = logging.DEBUG
INFO = logging.INFO
WARN = logging.WARNING
ERROR = logging.ERROR
FATAL = logging.CRITICAL

_logger = get_logger()
_counts: Counter[tuple[str, int]] = Counter()
# The stack level of the caller of these functions.
_CALLER = 2


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at level DEBUG. Source: TF 2.21 `tf.compat.v1.logging.debug`."""
    _logger.debug(msg, *args, stacklevel=_CALLER, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at level INFO. Source: TF 2.21 `tf.compat.v1.logging.info`."""
    _logger.info(msg, *args, stacklevel=_CALLER, **kwargs)


def warn(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at level WARN. Source: TF 2.21 `tf.compat.v1.logging.warn`."""
    _logger.warning(msg, *args, stacklevel=_CALLER, **kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at level WARN. Source: TF 2.21 `tf.compat.v1.logging.warning`."""
    _logger.warning(msg, *args, stacklevel=_CALLER, **kwargs)


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at level ERROR. Source: TF 2.21 `tf.compat.v1.logging.error`."""
    _logger.error(msg, *args, stacklevel=_CALLER, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at level FATAL. Source: TF 2.21 `tf.compat.v1.logging.fatal`."""
    _logger.critical(msg, *args, stacklevel=_CALLER, **kwargs)


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at `level`. Source: TF 2.21 `tf.compat.v1.logging.log`."""
    _logger.log(level, msg, *args, stacklevel=_CALLER, **kwargs)


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at `level`. Source: TF 2.21 `tf.compat.v1.logging.vlog`."""
    _logger.log(level, msg, *args, stacklevel=_CALLER, **kwargs)


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Logs `msg % args` at `level` if `condition` holds. Source: TF 2.21 `tf.compat.v1.logging.log_if`."""
    if condition:
        _logger.log(level, msg, *args, stacklevel=_CALLER)


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs `msg % args` at the first, and then at each `n`-th call from the same line.

    Source: TF 2.21 `tf.compat.v1.logging.log_every_n`.
    """
    if _count() % n == 0:
        _logger.log(level, msg, *args, stacklevel=_CALLER)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs `msg % args` at the first `n` calls from the same line.

    Source: TF 2.21 `tf.compat.v1.logging.log_first_n`.
    """
    if _count() < n:
        _logger.log(level, msg, *args, stacklevel=_CALLER)


def TaskLevelStatusMessage(msg: Any) -> None:
    """Logs `msg` at level ERROR. Source: TF 2.21 `tf.compat.v1.logging.TaskLevelStatusMessage`."""
    _logger.error(msg, stacklevel=_CALLER)


def flush() -> None:
    """Flushes the logger's handlers. Source: TF 2.21 `tf.compat.v1.logging.flush`."""
    for handler in _logger.handlers:
        handler.flush()


def get_verbosity() -> int:
    """The lowest level that is logged. Source: TF 2.21 `tf.compat.v1.logging.get_verbosity`."""
    return _logger.getEffectiveLevel()


def set_verbosity(v: Any) -> None:
    """Sets the lowest level that is logged to `v`. Source: TF 2.21 `tf.compat.v1.logging.set_verbosity`."""
    _logger.setLevel(v)


def clear() -> None:
    """Resets the counts of calls."""
    _counts.clear()


def _count() -> int:
    """The number of earlier calls from the caller's caller's line."""
    path, line, *_ = _logger.findCaller(stacklevel=_CALLER + 1)
    _counts[path, line] += 1
    return _counts[path, line] - 1
