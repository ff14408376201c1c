"""Kernels that check values, print them, or read the clock."""

from __future__ import annotations

import sys
from typing import Any

from tfcompat._function.graphs.timestamp import timestamp
from tfcompat._ops.debugging.printing import print as print_tensors
from tfcompat._ops.debugging.value_assertion import Assert
from tfcompat._ops.text.template import format as formatted
from tfcompat._saved_model.kernels.library import Frame, Kernel
from tfcompat._saved_model.kernels.plan import Step


def _asserted(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    Assert(inputs[0], inputs[1:], step.attribute("summarize", 3))
    return []


def _printed(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`PrintV2`. Logs of TensorFlow are written to standard error."""
    del frame
    stream = step.attribute("output_stream", "stderr")
    if not stream.startswith("file://"):
        stream = sys.stdout if stream == "stdout" else sys.stderr
    print_tensors(inputs[0], output_stream=stream, end=step.attribute("end", "\n"))
    return []


def _formatted(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    template, placeholder = step.attribute("template", "%s"), step.attribute("placeholder", "%s")
    return [formatted(template, inputs, placeholder, step.attribute("summarize", 3))]


def _time(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame, step, inputs
    return [timestamp()]


SIDE_KERNELS: dict[str, Kernel] = {
    "Assert": _asserted,
    "PrintV2": _printed,
    "StringFormat": _formatted,
    "Timestamp": _time,
}
