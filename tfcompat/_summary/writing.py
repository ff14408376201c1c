"""Writing of values: `tf.summary.write`, and the common part of the functions for kinds of data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor, finished
from tfcompat._core.system.error import DataLossError, InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.aval import aval_like
from tfcompat._core.types.dtype import as_dtype, string
from tfcompat._function.control.branch import cond
from tfcompat._ops.text.tensor_message import tensor_message
from tfcompat._summary.effect import at_call
from tfcompat._summary.end_of_step import end_step
from tfcompat._summary.event import Label, summary_content, tensor_content
from tfcompat._summary.message import is_metadata, is_summary
from tfcompat._summary.record import Content, Record
from tfcompat._summary.state import observed, recording_condition, require_step, state

_TRUE, _FALSE = np.array(True), np.array(False)
_AVAL = aval_like(_TRUE)


def write(tag: Any, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None) -> Tensor:
    """Writes `tensor` as a summary with `tag` to the default writer; returns whether it was recorded.

    A function in place of the tensor is called if the summary is recorded. `metadata` is a message `SummaryMetadata`,
    or its bytes, which may be a tensor.

    Shapes: any -> [].
    Dtypes: any -> bool.
    Raises: ValueError if there is a writer and no step; the errors of `tf.convert_to_tensor`.
    Source: TF 2.21 `tf.summary.write`.
    """
    del name
    if step is not None:
        require_step(step)
    if state.writer is None:
        return false()
    condition = recording_condition()
    if condition is False:
        return false()

    def label() -> Label:
        return Label(_text(tag), _serialized(metadata))

    if not callable(tensor):
        return _put_tensor(label(), observed(tensor), step, condition)

    def written() -> Tensor:
        return _put_tensor(label(), observed(tensor()), step, True)

    if here.graph is not None and condition is not True:
        return cond(condition, written, false, name="summary_cond")
    # The function may not be called in vain.
    return written() if condition else false()


def _put_tensor(label: Label, value: Tensor, step: Any, condition: bool | Tensor) -> Tensor:
    return _put(content_of, (label, value), require_step(step), value._aval.nbytes if value.ndim else 0, condition)


def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Tensor:
    """Writes the serialized messages `Summary` in `tensor` to the default writer; returns whether they were recorded.

    Several messages are written as one.

    Shapes: any -> [].
    Dtypes: string -> bool.
    Raises: ValueError if there is a writer and no step; InvalidArgumentError for another dtype; DataLossError for bytes
      that are not a message.
    Source: TF 2.21 `tf.summary.experimental.write_raw_pb`.
    """
    del name
    if step is not None:
        require_step(step)
    if state.writer is None:
        return false()
    require_step(step)
    condition = recording_condition()
    if condition is False:
        return false()
    # The condition may be a function that assigns the variable that counts the steps.
    step = require_step(step)
    value = observed(tensor)
    if value.dtype is not string:
        raise InvalidArgumentError.of(f"tf.summary.experimental.write_raw_pb: expects strings, got {value.dtype.name}.")
    if here.graph is None:
        _joined(value.__array__())
    return _put(_raw_content, (value,), step, 0, condition)


def put(
    content: Content, inputs: Sequence[Any], step: Any, *, size: int = 0, condition: bool | Tensor | None = None
) -> Tensor:
    """Gives the default writer, which there is, a record of `content` of `inputs`; returns whether it is recorded.

    `step` is None for the default step. The tensors among the inputs have `size` bytes if they are large. `condition`
    is that of `record_if` if it was asked already: a function is called once for each summary.
    """
    condition = recording_condition() if condition is None else condition
    return false() if condition is False else _put(content, inputs, require_step(step), size, condition)


def _put(content: Content, inputs: Sequence[Any], step: Any, size: int, condition: bool | Tensor) -> Tensor:
    writer, tensor = state.writer, None if isinstance(condition, bool) else condition
    if here.graph is None:
        writer.put(Record(step, content, inputs, tensor), size)
        end_step(inputs[0] if type(inputs[0]) is Label else content, step)
    else:
        _put_at_call(writer, content, inputs, step, tensor)
    return true() if tensor is None else tensor


def _put_at_call(writer: Any, content: Content, inputs: Sequence[Any], step: Any, condition: Tensor | None) -> None:
    """Puts the record whenever the code that is being traced runs."""
    given: list[Any] = [step, condition, *inputs]
    places = [k for k, value in enumerate(given) if type(value) is Tensor]

    def act(*arrays: np.ndarray) -> None:
        values = list(given)
        for place, array in zip(places, arrays, strict=True):
            values[place] = array
        if values[1] is None or np.all(values[1]):
            writer.put(Record(values[0], content, values[2:]), sum(array.nbytes for array in arrays if array.ndim))

    at_call("summary", act, [given[place] for place in places])


def content_of(label: Label, value: Any) -> bytes:
    """The content of an event with the array `value`."""
    array = np.asarray(value)
    return tensor_content(label, tensor_message(array, string if array.dtype == object else as_dtype(array.dtype)))


def _raw_content(messages: np.ndarray) -> bytes:
    return summary_content(_joined(messages))


def _joined(messages: np.ndarray) -> bytes:
    """One message with the values of all. Raises DataLossError if one is invalid."""
    for place, message in enumerate(messages.ravel().tolist()):
        if not is_summary(message):
            raise DataLossError.of(f"Bad tf.compat.v1.Summary binary proto tensor string at index {place}")
    return b"".join(messages.ravel().tolist())


def true() -> Tensor:
    """The tensor True."""
    return finished(_TRUE, _AVAL)


def false() -> Tensor:
    """The tensor False."""
    return finished(_FALSE, _AVAL)


def _text(tag: Any) -> bytes:
    return tag.encode() if isinstance(tag, str) else convert_to_tensor(tag, string).numpy()


def _serialized(metadata: Any) -> bytes | None:
    metadata = metadata.numpy() if isinstance(metadata, Tensor) else metadata
    found = metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata
    # TensorFlow writes an empty message in place of invalid bytes.
    return (found or None) if not found or is_metadata(found) else b""
