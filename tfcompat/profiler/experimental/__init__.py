"""`tf.profiler.experimental`: profiles of programs."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.profiler import Profile, ProfilerOptions, Trace, start, stop
from tfcompat.profiler.experimental import server

__all__ = ["Profile", "ProfilerOptions", "Trace", "server", "start", "stop"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
