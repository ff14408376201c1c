"""Elementwise functions of strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import NO_ARGUMENTS, element_trace
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.host_call import computed
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.aval import OpenAval
from tfcompat._core.types.dtype import INDEX, DType, int32, string
from tfcompat._jaxpr.size import broadcast_shapes

UNITS = ("BYTE", "UTF8_CHAR")
# The bytes that continue a character in UTF-8.
_CONTINUATION = bytes(range(0x80, 0xC0))


def strings(name: str, value: Any, what: str = "input") -> Tensor:
    """`value` as a tensor of strings. Raises TypeError if it cannot be one, InvalidArgumentError for another tensor."""
    tensor = as_tensor(value)
    if tensor is None:
        return convert_to_tensor(value, string)
    if tensor.dtype is not string:
        raise InvalidArgumentError.of(f"tf.{name}: {what} must be strings, got {tensor.dtype.name}.")
    return tensor


def array_of(elements: Iterable[Any], shape: tuple[int, ...], dtype: DType = string) -> np.ndarray:
    """The elements in an array of `shape`."""
    listed = list(elements)
    array = np.empty(len(listed), dtype.as_numpy_dtype)
    with np.errstate(over="ignore"):
        array[:] = listed
    return array.reshape(shape)


def mapped(
    name: str,
    function: Callable[[bytes], Any],
    input: Any,
    dtype: DType = string,
    arguments: Mapping[str, Any] = NO_ARGUMENTS,
) -> Any:
    """`function` of every element of `input`; ragged tensors stay ragged. `arguments` are the others of the op."""
    if hasattr(type(input), "with_flat_values"):
        return input.with_flat_values(mapped(name, function, input.flat_values, dtype, arguments))
    tensor = strings(name, input)

    def compute(texts: np.ndarray) -> np.ndarray:
        return array_of(map(function, texts.flat), texts.shape, dtype)

    return computed(name, compute, (tensor,), dims_of(tensor), dtype, is_elementwise=True, arguments=arguments)


def dims_of(tensor: Tensor) -> Any:
    """The sizes of `tensor`; None if its rank is unknown, in a function of the elements of a dataset."""
    aval: Any = tensor._aval
    return None if type(aval) is OpenAval and element_trace() is not None else aval.shape


def require_one_of(name: str, what: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raises InvalidArgumentError unless `value` is one of `allowed`."""
    if value not in allowed:
        raise InvalidArgumentError.of(
            f"tf.{name}: {what} must be one of {', '.join(map(repr, allowed))}, got {value!r}."
        )


def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Any:
    """The lengths of the strings of `input`, in bytes, or in characters if `unit` is "UTF8_CHAR".

    Shapes: [*dims] -> same.
    Dtypes: string -> int32.
    Gradient: None.
    Raises: InvalidArgumentError for another unit or dtype.
    Source: TF 2.21 `tf.strings.length`.
    """
    del name
    require_one_of("strings.length", "unit", unit, UNITS)
    return mapped("strings.length", len if unit == "BYTE" else _count_characters, input, int32, {"unit": unit})


def _count_characters(text: bytes) -> int:
    """The number of bytes that begin a UTF-8 character."""
    return len(text.translate(None, _CONTINUATION))


def lower(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """The strings of `input` in lower case: ASCII letters only, or all letters if `encoding` is "utf-8".

    Shapes: [*dims] -> same.
    Dtypes: string -> same.
    Raises: InvalidArgumentError for another encoding or dtype.
    Source: TF 2.21 `tf.strings.lower`.
    """
    del name
    function = bytes.lower if _is_ascii("lower", encoding) else _lower
    return mapped("strings.lower", function, input, arguments={"encoding": encoding})


def upper(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """The strings of `input` in upper case: ASCII letters only, or all letters if `encoding` is "utf-8".

    Shapes: [*dims] -> same.
    Dtypes: string -> same.
    Raises: InvalidArgumentError for another encoding or dtype.
    Source: TF 2.21 `tf.strings.upper`.
    """
    del name
    function = bytes.upper if _is_ascii("upper", encoding) else _upper
    return mapped("strings.upper", function, input, arguments={"encoding": encoding})


def _is_ascii(name: str, encoding: str) -> bool:
    require_one_of(f"strings.{name}", "encoding", encoding, ("", "utf-8"))
    return not encoding


def _lower(text: bytes) -> bytes:
    return text.decode(errors="replace").lower().encode()


def _upper(text: bytes) -> bytes:
    return text.decode(errors="replace").upper().encode()


def strip(input: Any, name: str | None = None) -> Any:
    """The strings of `input` without leading and trailing ASCII white space.

    Shapes: [*dims] -> same.
    Dtypes: string -> same.
    Raises: InvalidArgumentError for another dtype.
    Source: TF 2.21 `tf.strings.strip`.
    """
    del name
    return mapped("strings.strip", bytes.strip, input)


def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Any:
    """The `len` bytes of each string of `input` from `pos` on, or characters if `unit` is "UTF8_CHAR".

    A negative pos counts from the end; substrings are cut at the end of the string.

    Shapes: [*dims], and pos and len of one shape (broadcast) -> dims.
    Dtypes: string, and int32 or int64 for both pos and len -> string.
    Raises: InvalidArgumentError if pos is outside a string, or dtypes or shapes do not fit.
    Source: TF 2.21 `tf.strings.substr`.
    """
    require_one_of("strings.substr", "unit", unit, UNITS)
    if hasattr(type(input), "with_flat_values"):
        return input.with_flat_values(substr(input.flat_values, pos, len, unit, name))
    texts, start = strings("strings.substr", input), convert_to_tensor(pos)
    count = as_tensor(len)
    count = convert_to_tensor(len, start.dtype) if count is None else count
    _require_places(start, count)
    try:
        shape = broadcast_shapes(texts._aval.shape, start._aval.shape)
    except ValueError:
        raise InvalidArgumentError.of(
            f"tf.strings.substr: pos must broadcast with input, got shapes {texts.shape} and {start.shape}."
        ) from None
    cut = _cut_bytes if unit == "BYTE" else _cut_characters

    def compute(*arrays: np.ndarray) -> np.ndarray:
        parts = np.broadcast_arrays(*arrays)
        rows = zip(*(part.flat for part in parts), strict=True)
        return array_of((cut(text, int(first), int(size)) for text, first, size in rows), parts[0].shape)

    return computed("strings.substr", compute, (texts, start, count), shape, string, arguments={"unit": unit})


def _require_places(start: Tensor, count: Tensor) -> None:
    if start.dtype not in INDEX or count.dtype is not start.dtype:
        raise InvalidArgumentError.of(
            f"tf.strings.substr: pos and len must be int32 or int64, got {start.dtype.name} and {count.dtype.name}."
        )
    if start._aval.shape != count._aval.shape:
        raise InvalidArgumentError.of(
            f"tf.strings.substr: pos and len must have the same shape, got {start.shape} and {count.shape}."
        )


def _cut_bytes(text: bytes, start: int, count: int) -> bytes:
    first = _first(text, start, len(text))
    return text[first : first + count] if count >= 0 else text[first:]


def _cut_characters(text: bytes, start: int, count: int) -> bytes:
    """Continuation bytes at the very beginning count as one character."""
    places = [k for k, byte in enumerate(text) if byte not in _CONTINUATION or k == 0]
    first = _first(text, start, len(places))
    return b"".join(text[i:j] for i, j in pairwise([*places, len(text)][first:][: max(count, 0) + 1]))


def _first(text: bytes, start: int, size: int) -> int:
    if not -size <= start <= size:
        raise _outside(text, start)
    return start + size if start < 0 else start


def _outside(text: bytes, start: int) -> InvalidArgumentError:
    return InvalidArgumentError.of(f"tf.strings.substr: pos {start} out of range for string {text!r}.")
