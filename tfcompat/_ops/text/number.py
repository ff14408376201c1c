"""Conversion between numbers and strings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.host_call import computed
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.dtype import (
    COMPLEX,
    FLOATING,
    MOVABLE,
    DType,
    as_dtype,
    bool_,
    float32,
    float64,
    int32,
    int64,
    string,
    uint32,
    uint64,
)
from tfcompat._ops.text.element import array_of, dims_of, mapped

_FILLS = ("", " ", "+", "-", "0", "#")
_WHOLE = re.compile(rb"[+-]?[0-9]+")
_REAL = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan(?:\([0-9a-z_]*\))?"
    rb"|(?P<hex>0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?))",
    re.IGNORECASE,
)


def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Any:
    """The elements of `input` as strings in C's format: floats have six digits after the point.

    For floats: `precision` digits after the point (or in all, if `shortest`); with an exponent if `scientific`; the
    shorter form if `shortest`. The strings are padded to `width` characters with spaces on the left, or, depending on
    `fill`, with zeros ("0") or on the right ("-"); "+" and " " are put before positive numbers.

    Shapes: [*dims] -> same.
    Dtypes: any -> string.
    Gradient: None.
    Raises: InvalidArgumentError for another fill, for precision, scientific or shortest with other dtypes, or for both
      scientific and shortest.
    Source: TF 2.21 `tf.strings.as_string`.
    """
    if hasattr(type(input), "with_flat_values"):
        flat = as_string(input.flat_values, precision, scientific, shortest, width, fill, name)
        return input.with_flat_values(flat)
    tensor = convert_to_tensor(input)
    _require_format(tensor.dtype, int(precision), scientific, shortest, fill)
    size = str(width) if width > -1 else ""
    digits = f".{int(precision)}" if precision > -1 and tensor.dtype is not string else ""
    spell = _speller(tensor.dtype, fill, size + digits, "e" if scientific else "g" if shortest else "f")

    def compute(array: np.ndarray) -> np.ndarray:
        return array_of(map(spell, array.flat), array.shape)

    given = {
        "precision": int(precision),
        "scientific": bool(scientific),
        "shortest": bool(shortest),
        "width": int(width),
        "fill": fill,
    }
    return computed("as_string", compute, (tensor,), dims_of(tensor), string, is_elementwise=True, arguments=given)


def _require_format(dtype: DType, precision: int, scientific: bool, shortest: bool, fill: str) -> None:
    problem = ""
    if dtype not in MOVABLE:
        problem = f"input must be of numbers, booleans or strings, got {dtype.name}"
    elif dtype not in FLOATING | COMPLEX | {string} and (precision > -1 or scientific or shortest):
        problem = f"precision, scientific and shortest are for floats, got {dtype.name}"
    elif scientific and shortest:
        problem = "scientific and shortest can't both be given"
    elif fill not in _FILLS:
        problem = f"fill must be one of {', '.join(map(repr, _FILLS))}, got {fill!r}"
    if problem:
        raise found_early(f"tf.as_string: {problem}.")


def _speller(dtype: DType, fill: str, measures: str, kind: str) -> Callable[[Any], bytes]:
    """The function that formats an element of `dtype`."""
    if dtype is bool_:
        return lambda value: b"true" if value else b"false"
    if dtype is string:
        # Strings take no flags for numbers.
        text_format = b"%" + (b"-" if fill == "-" else b"") + measures.encode() + b"s"
        return lambda text: text_format % text
    if dtype in COMPLEX:
        spell = _speller(float64, fill, measures, kind)
        return lambda value: b"(%b,%b)" % (spell(value.real), spell(value.imag))
    if dtype not in FLOATING:
        whole = f"%{fill}{measures}d"
        return lambda value: (whole % int(value)).encode()
    real, unfilled = f"%{fill}{measures}{kind}", f"%{fill.replace('0', '')}{measures}{kind}"

    def spell_real(value: Any) -> bytes:
        number = float(value)
        # C does not pad infinities and nan with zeros.
        return ((real if np.isfinite(number) else unfilled) % number).encode()

    return spell_real


def to_number(input: Any, out_type: Any = float32, name: str | None = None) -> Any:
    """The numbers that the strings of `input` represent, as `out_type`; surrounding white space is ignored.

    Shapes: [*dims] -> same.
    Dtypes: string -> float32, float64, int32, int64, uint32, uint64.
    Gradient: None.
    Raises: InvalidArgumentError if a string is not a number, an integer is too large, or for another out_type.
    Source: TF 2.21 `tf.strings.to_number`.
    """
    del name
    wanted = as_dtype(out_type)
    if wanted not in (float32, float64, int32, int64, uint32, uint64):
        raise InvalidArgumentError.of(
            f"tf.strings.to_number: out_type must be a float or an integer of 32 or 64 bits, got {wanted.name}."
        )
    read = real if wanted in FLOATING else whole_of(wanted)
    return mapped("strings.to_number", lambda text: read(text.strip()), input, wanted)


def _refusal(text: bytes) -> InvalidArgumentError:
    shown = text.decode(errors="backslashreplace")
    return InvalidArgumentError.of(f"tf.strings.to_number: could not correctly convert string: {shown}.")


def real(text: bytes) -> float:
    """The real number in `text`. Raises InvalidArgumentError if it is not a number."""
    found = _REAL.fullmatch(text)
    if found is None:
        raise _refusal(text)
    if found["hex"]:
        return float.fromhex(text.decode())
    return float(text.partition(b"(")[0])


def whole_of(dtype: DType) -> Callable[[bytes], int]:
    """The function that parses an integer of `dtype`. It raises InvalidArgumentError if a text is not an integer."""

    def whole(text: bytes) -> int:
        if _WHOLE.fullmatch(text):
            number = int(text)
            if dtype.min <= number <= dtype.max and not (dtype.min == 0 and text.startswith(b"-")):
                return number
        raise _refusal(text)

    return whole
