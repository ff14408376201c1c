"""Graphs of functions for TensorBoard: `tf.summary.graph`, `trace_on`, `trace_export`, `trace_off`."""

from __future__ import annotations

import logging
import threading
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UnavailableError
from tfcompat._core.tracing.trace import here
from tfcompat._dropin.profiler import start, stop
from tfcompat._function.functions.concrete import ConcreteFunction
from tfcompat._function.graphs.observation import observed
from tfcompat._summary.event import graph_content, metadata_of
from tfcompat._summary.graph_message import graph_of, run_metadata_of
from tfcompat._summary.record import Record
from tfcompat._summary.state import recording_condition, require_step, state, summary_scope
from tfcompat._summary.writing import false, true, write

_logger = logging.getLogger("tensorflow")
_GRAPH_MESSAGE = "tensorflow.GraphDef"
# The version of the contents.
_VERSION = b"1"


class _Tracing(NamedTuple):
    """A trace in progress: the arguments of `trace_on`, and whether JAX's profiler is running."""

    graph: bool
    profiler: bool
    is_profiling: bool


class _Current:
    """The trace in progress in this process, if any."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.tracing: _Tracing | None = None


_current = _Current()


def graph(graph_data: Any) -> Tensor:
    """Writes a graph to the default writer; returns whether it was recorded.

    It is a concrete function, whose recorded steps become the nodes, or a message `GraphDef` of TensorFlow's.

    Shapes: -> [].
    Dtypes: -> bool.
    Raises: ValueError for anything else, or in a `tf.function`.
    Source: TF 2.21 `tf.summary.graph`.
    """
    if here.graph is not None:
        raise ValueError("graph() cannot be invoked inside a graph context.")
    writer = state.writer
    if writer is None or not bool(np.all(recording_condition())):
        return false()
    writer.put(Record(0, graph_content, (_message_of(graph_data),)))
    return true()


def _message_of(graph_data: Any) -> bytes:
    if isinstance(graph_data, ConcreteFunction):
        return graph_of(graph_data.body.stored)
    if getattr(getattr(graph_data, "DESCRIPTOR", None), "full_name", None) == _GRAPH_MESSAGE:
        return graph_data.SerializeToString()
    raise ValueError(
        "Argument 'graph_data' is not a concrete function or a GraphDef. Received "
        f"graph_data={graph_data} of type {type(graph_data).__name__}."
    )


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Starts to collect the functions that run if `graph`, and with `profiler` a profile into `profiler_outdir`.

    JAX's profiler makes the profile. Inside a `tf.function`, and while a trace is on, it only logs a warning.

    Raises: AlreadyExistsError if another profiler is running.
    Source: TF 2.21 `tf.summary.trace_on`.
    """
    if here.graph is not None:
        _logger.warning("Cannot enable trace inside a tf.function.")
        return
    with _current.lock:
        if _current.tracing is not None:
            _logger.warning("Trace already enabled")
            return
        if profiler and profiler_outdir is None:
            _logger.warning("No `profiler_outdir` passed to trace_on(). Profiler won't be enabled.")
        is_profiling = profiler and profiler_outdir is not None
        if profiler and profiler_outdir is not None:
            start(profiler_outdir)
        if graph or is_profiling:
            observed.traces = {}
        _current.tracing = _Tracing(graph, profiler, is_profiling)


def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Ends the trace and writes the graphs of the functions that ran, as the summary `name`, to the default writer.

    `profiler_outdir` is that of `trace_on`; another one is not used, as in TensorFlow, which warns.

    Raises: ValueError without a trace, or if there is a writer and no step.
    Source: TF 2.21 `tf.summary.trace_export`.
    """
    if step is not None:
        step = require_step(step)
    if here.graph is not None:
        _logger.warning("Cannot export trace inside a tf.function.")
        return
    with _current.lock:
        tracing = _current.tracing
    if tracing is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    kind = "graph_run_metadata_graph" if tracing.graph and not tracing.profiler else "graph_run_metadata"
    content = run_metadata_of(list((observed.traces or {}).values()))
    with summary_scope(name, f"{kind}_summary") as (tag, _):
        write(tag, content, step, metadata_of(kind, None, _VERSION))
    if tracing.profiler and profiler_outdir:
        _logger.warning("Ignoring `profiler_outdir` passed to trace_export(). Please pass it to trace_on() instead.")
    trace_off()


def trace_off() -> None:
    """Ends the trace, if one is on, and forgets the functions that it has collected.

    Source: TF 2.21 `tf.summary.trace_off`.
    """
    with _current.lock:
        tracing, _current.tracing = _current.tracing, None
        observed.traces = None
    if tracing is not None and tracing.is_profiling:
        try:
            stop()
        except UnavailableError as error:
            _logger.warning("Error while stopping profiler: %s", error)
