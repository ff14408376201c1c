"""`tf.train.experimental`: Python objects in checkpoints."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._saved.python_state import PythonState

__all__ = ["PythonState"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
