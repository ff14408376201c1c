"""TensorFlow's logger, which receives warnings."""

from __future__ import annotations

import logging

_logger = logging.getLogger("tensorflow")
if not _logger.handlers and not logging.getLogger().handlers:
    _logger.addHandler(logging.StreamHandler())
    _logger.handlers[0].setFormatter(logging.Formatter(logging.BASIC_FORMAT))


def get_logger() -> logging.Logger:
    """The logger called "tensorflow", which writes to standard error unless the program has set up logging.

    Source: TF 2.21 `tf.get_logger`.
    """
    return _logger
