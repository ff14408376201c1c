"""`tf.summary.experimental`: the default step, and summaries of one's own."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._summary.state import get_step, set_step, summary_scope
from tfcompat._summary.writing import write_raw_pb

__all__ = ["get_step", "set_step", "summary_scope", "write_raw_pb"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
