"""`tf.print`, and TensorFlow's text format of tensor elements."""

from __future__ import annotations

import builtins
import logging
import math
import pprint
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.convert import as_tensor, is_tensor
from tfcompat._core.calls.host_call import latest_effect, sources
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.callback import call_python
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import string

_logger = logging.getLogger("tensorflow")
# The levels of `logging` by number, and by that of the same level in `absl.logging`.
_LEVELS = {level: level for level in (logging.INFO, logging.WARNING, logging.ERROR)} | {
    0: logging.INFO,
    -1: logging.WARNING,
    -2: logging.ERROR,
}
# The marker of a tensor while the surrounding structure is formatted; a string's repr would be escaped.
_MARK = re.compile("\ue000([0-9]+)\ue001")
_ESCAPED = {ord(plain): f"\\{escape}" for plain, escape in zip("\n\r\t\"'\\", "nrt\"'\\", strict=True)} | {
    code: f"\\{code:03o}" for code in (*range(9), 11, 12, *range(14, 32), 127)
}


class _Mark:
    """The place of a tensor in a structure."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __repr__(self) -> str:
        return f"\ue000{self._number}\ue001"


def print(*inputs: Any, **kwargs: Any) -> None:
    """Writes `inputs` to standard error: tensors, also within structures, as values; other objects as Python does.

    Keywords: `output_stream` is sys.stdout, sys.stderr, "file://PATH", or a level for the logger `tensorflow`: that of
    info, warnings or errors, of `logging` or of `absl.logging`; `sep`; `end`; `summarize` is the number of elements
    shown at either end of each axis, all if negative.

    Shapes: any.
    Dtypes: any.
    Raises: ValueError for another keyword or another stream.
    Source: TF 2.21 `tf.print`.
    """
    options: dict[str, Any] = {"output_stream": sys.stderr, "end": "\n", "sep": " ", "summarize": 3, "name": None}
    unknown = {key: value for key, value in kwargs.items() if key not in options}
    if unknown:
        raise ValueError(f"tf.print: unrecognized keyword arguments {unknown}.")
    options |= kwargs
    trace = element_trace()
    if trace is not None:
        leaves, shown = _laid_out(inputs)
        tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]

        def write(values: Mapping[str, int], *arrays: np.ndarray) -> list[np.ndarray]:
            del values
            _print(shown(map(Tensor, arrays)), options)
            return []

        trace.hosted("print", write, tensors, [], has_effects=True)
    elif here.graph is not None:
        here.graph.effects.append(_printed_by_program(inputs, options))
    else:
        _print(inputs, options)


def _print(inputs: Sequence[Any], options: Mapping[str, Any]) -> None:
    count = 3 if options["summarize"] is None else int(options["summarize"])
    # A single string is written without quotes.
    is_text = len(inputs) == 1 and isinstance(inputs[0], Tensor) and inputs[0].dtype is string and inputs[0].ndim == 0
    texts = [_decoded(inputs[0].numpy())] if is_text else [_text(one, count) for one in inputs]
    _write(options["sep"].join(texts) + ("\n" if options["end"] is None else options["end"]), options["output_stream"])


def _laid_out(inputs: Sequence[Any]) -> tuple[list[Any], Callable[[Iterator[Tensor]], Any]]:
    """The leaves of `inputs`, and the function that puts tensors in the place of those among them."""
    flat = nest.flatten(list(inputs), expand_composites=True)
    leaves = [as_tensor(leaf) if is_tensor(leaf) else leaf for leaf in flat]

    def shown(tensors: Iterator[Tensor]) -> Any:
        found = [next(tensors) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        return nest.pack_sequence_as(list(inputs), found, expand_composites=True)

    return leaves, shown


def _printed_by_program(inputs: Sequence[Any], options: Mapping[str, Any]) -> Tensor:
    """Records an op that prints `inputs` when the program runs, in program order."""
    leaves, shown = _laid_out(inputs)
    read, values = sources([leaf for leaf in leaves if isinstance(leaf, Tensor)])

    def write(order: Any, *arrays: Any) -> list[np.ndarray]:
        del order
        _print(shown(map(Tensor, values(*arrays))), options)
        return [np.zeros((), np.int32)]

    def printed(order: Any, *arrays: Any) -> Any:
        return call_python(write, [jax.ShapeDtypeStruct((), np.int32)], order, *arrays, has_effect=True)[0]

    return record(Op("print", printed, gradient=GradientRule(blocked=True)), (latest_effect(), *read))


def _write(text: str, stream: Any) -> None:
    if stream in (sys.stdout, sys.stderr):
        builtins.print(text, end="", file=stream, flush=True)
    elif stream in _LEVELS:
        _logger.log(_LEVELS[stream], "%s", text.removesuffix("\n"))
    elif isinstance(stream, str) and stream.startswith("file://"):
        with open(stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write(text)
    else:
        raise ValueError(
            f"tf.print: output_stream must be sys.stdout, sys.stderr, 'file://PATH' or a log level, got {stream!r}. "
            "To write elsewhere, convert with tensor.numpy()."
        )


def _text(value: Any, count: int) -> str:
    if isinstance(value, str):
        return value
    texts: list[str] = []

    def marked(leaf: Any) -> Any:
        tensor = None if hasattr(type(leaf), "_printed") else as_tensor(leaf)
        if tensor is None and not hasattr(type(leaf), "_printed"):
            return leaf
        texts.append(leaf._printed(count, summary) if tensor is None else summary(tensor, count))
        return _Mark(len(texts) - 1)

    laid_out = pprint.pformat(nest.map_structure(marked, value))
    return _MARK.sub(lambda found: texts[int(found[1])], laid_out)


def summary(tensor: Tensor, count: int) -> str:
    """The elements of `tensor` as TensorFlow prints them: `count` at either end of each axis; if negative, all."""
    array = tensor.numpy()
    if count == 0 and not tensor.ndim:
        return "..."
    size = tensor.shape.num_elements() or 0
    ends = size if count < 0 else min(count, size)
    return "".join(_pieces(array, 0, ends))


def _pieces(array: Any, depth: int, ends: int) -> Iterator[str]:
    """The text of the part `array` of a tensor, `depth` axes down."""
    if not isinstance(array, np.ndarray):
        yield _element(array)
        return
    gap = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * (depth + 1)
    length = array.shape[0]
    yield "["
    for i in range(min(ends, length)):
        yield gap if i else ""
        yield from _pieces(array[i], depth + 1, ends)
    if length > 2 * ends:
        yield f"{gap}..."
    for i in range(max(ends, length - ends), length):
        yield gap
        yield from _pieces(array[i], depth + 1, ends)
    yield "]"


def _element(value: Any) -> str:
    if isinstance(value, bytes):
        return f'"{_decoded(value).translate(_ESCAPED)}"'
    if isinstance(value, np.complexfloating):
        # TensorFlow does the same.
        return "?"
    if isinstance(value, np.bool_ | np.integer):
        return str(int(value))
    is_double = isinstance(value, np.float64)
    number = float(value)
    text = f"{number:.15g}" if is_double else f"{number:.6g}"
    exact = float(text) == number if is_double else np.float32(text) == np.float32(number)
    if exact or math.isnan(number):
        return text
    return f"{number:.17g}" if is_double else f"{number:.9g}"


def _decoded(text: Any) -> str:
    return text.decode(errors="backslashreplace") if isinstance(text, bytes) else str(text)
