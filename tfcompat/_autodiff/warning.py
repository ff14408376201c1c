"""TensorFlow's warnings about tapes, each logged a limited number of times to the `tensorflow` logger."""

from __future__ import annotations

import logging
from collections import Counter

_logger = logging.getLogger("tensorflow")
_times: Counter[str] = Counter()


def warn(message: str, *arguments: object, at_most: int) -> None:
    """Logs `message` with its `arguments`, unless it was logged `at_most` times before."""
    _times[message] += 1
    if _times[message] <= at_most:
        _logger.warning(message, *arguments)


def clear() -> None:
    """Forgets which warnings were logged."""
    _times.clear()
