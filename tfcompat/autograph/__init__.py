"""`tf.autograph`: conversion of Python control flow in a `tf.function`."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._function.autograph import set_verbosity, to_code, to_graph, trace
from tfcompat.autograph import experimental

__all__ = ["experimental", "set_verbosity", "to_code", "to_graph", "trace"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
