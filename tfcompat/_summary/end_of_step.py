"""The end of a training step that reads no values, seen by its summaries."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.thread_state import recorder
from tfcompat._core.tracing.trace import here

# A trace with more labels is flushed: each of its steps has labels of its own.
_MOST_LABELS = 256


def end_step(label: Any, step: Any) -> None:
    """Runs the recorded ops, without waiting, if `label` occurs again in the trace, with another step.

    The part of the trace up to this place is then one iteration of a loop, whatever its first op. A trace that a tape
    holds continues, because the gradient would compute its steps again.
    """
    trace = here.trace
    if trace.node.parent is None:
        return
    step = _known(step)
    labels = trace.labels
    before = labels.setdefault(label, step)
    if _is_same(before, step) and len(labels) <= _MOST_LABELS:
        return
    labels.clear()
    labels[label] = step
    if recorder.is_shared or (trace.holders and trace.is_held()):
        return
    trace.flush("summary")
    here.trace.labels[label] = step


def _known(step: Any) -> Any:
    """The number of a step whose value is on the host, else the tensor."""
    return step._array.item() if type(step) is Tensor and type(step._array) is np.ndarray else step


def _is_same(before: Any, step: Any) -> bool:
    return before is step or (type(before) is int and type(step) is int and before == step)
