"""`tf.summary`: summaries for TensorBoard."""

import sys as _sys
import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat._summary.audio import audio
from tfcompat._summary.graph import graph, trace_export, trace_off, trace_on
from tfcompat._summary.histogram import histogram
from tfcompat._summary.image import image
from tfcompat._summary.scalar import scalar, text
from tfcompat._summary.state import record_if, should_record_summaries
from tfcompat._summary.writer import SummaryWriter, create_file_writer, create_noop_writer, flush
from tfcompat._summary.writing import write
from tfcompat.summary import experimental

__all__ = [
    "SummaryWriter",
    "audio",
    "create_file_writer",
    "create_noop_writer",
    "experimental",
    "flush",
    "graph",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "should_record_summaries",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
