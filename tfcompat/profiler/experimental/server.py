"""`tf.profiler.experimental.server`: a server to which profilers connect."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.profiler import start_server as start

__all__ = ["start"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
