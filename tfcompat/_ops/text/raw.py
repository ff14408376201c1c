"""Strings of bytes as the numbers they contain, and base64."""

from __future__ import annotations

import base64
import re
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import integer
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.dtype import BOOL, COMPLEX, NUMERIC, DType, as_dtype, uint32, uint64
from tfcompat._ops.text.element import mapped, strings

_RAW = (NUMERIC | BOOL) - {uint32, uint64}
_RAW_OF_FIXED_LENGTH = _RAW - COMPLEX - BOOL
_LETTERS = re.compile(rb"[A-Za-z0-9_-]*(={0,2})")


@by_row("input_bytes", specs=lambda **given: _raw_numbers(**given))
def decode_raw(
    input_bytes: Any, out_type: Any, little_endian: bool = True, fixed_length: Any = None, name: str | None = None
) -> Tensor:
    """The bytes of each string of `input_bytes` as numbers of `out_type`, the lowest byte first if `little_endian`.

    With `fixed_length`, every string is truncated or zero-padded to that number of bytes.

    Shapes: [*dims] -> [*dims, numbers].
    Dtypes: string -> out_type, any but string, uint32 and uint64; with fixed_length, neither bool nor complex.
    Raises: InvalidArgumentError if the strings differ in length or do not hold whole numbers, for another out_type, or
      unless fixed_length is positive.
    Source: TF 2.21 `tf.io.decode_raw`.
    """
    del name
    wanted, size = as_dtype(out_type), integer(fixed_length)
    if wanted not in (_RAW if size is None else _RAW_OF_FIXED_LENGTH):
        rule = "a number or bool" if size is None else "a real number with fixed_length"
        raise InvalidArgumentError.of(f"tf.io.decode_raw: out_type must be {rule}, got {wanted.name}.")
    if size is not None and size <= 0:
        raise found_early(f"tf.io.decode_raw: fixed_length ({size}) must be greater than zero.")
    texts = strings("io.decode_raw", input_bytes, "input_bytes").__array__()
    listed = [text if size is None else text[:size].ljust(size, b"\0") for text in texts.flat]
    lengths = {len(text) for text in listed} or {size or 0}
    if len(lengths) > 1 or any(length % wanted.size for length in lengths):
        raise found_early(
            f"tf.io.decode_raw: strings must be of one length, a multiple of {wanted.size} for {wanted.name}, got "
            f"{sorted(lengths)}."
        )
    count = next(iter(lengths)) // wanted.size
    return Tensor(_numbers(b"".join(listed), wanted, little_endian).reshape(*texts.shape, count))


def _raw_numbers(input_bytes: Any, out_type: Any, fixed_length: Any, **_: Any) -> TensorSpec:
    dtype, size = as_dtype(out_type), integer(fixed_length)
    return TensorSpec([*convert_to_tensor(input_bytes).shape, None if size is None else size // dtype.size], dtype)


def _numbers(content: bytes, dtype: DType, is_little: bool) -> np.ndarray:
    parts = np.frombuffer(content, np.uint8).reshape(-1, dtype.size // (1 + (dtype in COMPLEX)))
    ordered = parts if is_little else parts[:, ::-1]
    return np.ascontiguousarray(ordered).view(np.uint8).ravel().view(dtype.as_numpy_dtype).copy()


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Any:
    """The strings of `input` in web-safe base64, with padding if `pad`.

    Shapes: [*dims] -> same.
    Dtypes: string -> string.
    Raises: InvalidArgumentError for another dtype.
    Source: TF 2.21 `tf.io.encode_base64`.
    """
    del name
    kept = b"" if pad else b"="
    return mapped(
        "io.encode_base64",
        lambda text: base64.urlsafe_b64encode(text).rstrip(kept),
        input,
        arguments={"pad": bool(pad)},
    )


def decode_base64(input: Any, name: str | None = None) -> Any:
    """The bytes encoded by each web-safe base64 string of `input`.

    Shapes: [*dims] -> same.
    Dtypes: string -> string.
    Raises: InvalidArgumentError for invalid characters or an impossible length.
    Source: TF 2.21 `tf.io.decode_base64`.
    """
    del name
    return mapped("io.decode_base64", _bytes, input)


def _bytes(text: bytes) -> bytes:
    found = _LETTERS.fullmatch(text)
    if found is None or (len(text) % 4 if found[1] else len(text) % 4 == 1):
        raise InvalidArgumentError.of(f"tf.io.decode_base64: Invalid character or length of base64, got {text!r}.")
    return base64.urlsafe_b64decode(text.rstrip(b"=") + b"==")
