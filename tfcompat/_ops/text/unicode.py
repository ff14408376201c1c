"""Decoding of strings to Unicode characters, and encoding."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.dtype import int32, int64
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.text.element import array_of, mapped, require_one_of
from tfcompat._ops.text.encoding import FIRST_PRINTABLE, Policy, codec, decoded, encoded, require_character
from tfcompat._ops.text.row import cut, rows_of

_ERRORS = ("strict", "replace", "ignore")
_OUTPUTS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")


@by_row("input", specs=lambda input, **_: rows_of(input, int32))
def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The characters of each string of `input`, which is encoded in `input_encoding`, as code points.

    `errors` determines the treatment of bad bytes: "strict" raises, "replace" uses `replacement_char`, "ignore" drops
    them. With `replace_control_characters`, characters below 32 are replaced, too.

    Shapes: [] -> [characters]; [*dims] -> [*dims, (characters)], a ragged tensor.
    Dtypes: string -> int32.
    Raises: InvalidArgumentError for an unknown encoding, or for bad bytes if errors is "strict".
    Source: TF 2.21 `tf.strings.unicode_decode`.
    """
    del name
    policy = _policy("unicode_decode", errors, replacement_char, replace_control_characters)
    return _decoded("unicode_decode", input, input_encoding, policy, 0)


@by_row("input", specs=lambda input, **_: (rows_of(input, int32), rows_of(input, int64)))
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The characters of each string of `input`, which is encoded in `input_encoding`, and the start of each, in bytes.

    `errors`, `replacement_char` and `replace_control_characters` are as in `unicode_decode`.

    Shapes: [] -> twice [characters]; [*dims] -> twice [*dims, (characters)], ragged tensors.
    Dtypes: string -> int32, int64.
    Raises: InvalidArgumentError for an unknown encoding, or for bad bytes if errors is "strict".
    Source: TF 2.21 `tf.strings.unicode_decode_with_offsets`.
    """
    del name
    title = "unicode_decode_with_offsets"
    policy = _policy(title, errors, replacement_char, replace_control_characters)
    return _decoded(title, input, input_encoding, policy, 0), _decoded(title, input, input_encoding, policy, 1)


def _decoded(name: str, input: Any, encoding: str, policy: Policy, part: int) -> Any:
    """The characters (`part` 0), or their starts (1)."""
    found = codec(name, encoding)
    dtype = (int32, int64)[part]
    return cut(f"strings.{name}", input, lambda text: decoded(name, text, found, policy)[part], dtype)


def _policy(name: str, errors: str, replacement: Any, has_controls_replaced: bool = False) -> Policy:
    require_one_of(f"strings.{name}", "errors", errors, _ERRORS)
    return Policy(errors, require_character(name, int(replacement)), bool(has_controls_replaced))


def unicode_encode(
    input: Any, output_encoding: str, errors: str = "replace", replacement_char: int = 65533, name: str | None = None
) -> Any:
    """The rows of code points in `input` as strings in `output_encoding`.

    An invalid code point is an error, replaced by `replacement_char`, or ignored, depending on `errors`.

    Shapes: [*dims, characters], also ragged -> [*dims].
    Dtypes: int32 -> string.
    Raises: ValueError for a scalar; InvalidArgumentError for an encoding other than UTF-8, UTF-16-BE and UTF-32-BE, for
      another dtype, or for an invalid code point if errors is "strict".
    Source: TF 2.21 `tf.strings.unicode_encode`.
    """
    require_one_of("strings.unicode_encode", "output_encoding", output_encoding, _OUTPUTS)
    policy = _policy("unicode_encode", errors, replacement_char)
    if isinstance(input, RaggedTensor) and (input.ragged_rank > 1 or input.flat_values.ndim > 1):
        return input.with_values(unicode_encode(input.values, output_encoding, errors, replacement_char, name))
    codes = input if isinstance(input, RaggedTensor) else convert_to_tensor(input)
    if codes.dtype is not int32:
        raise InvalidArgumentError.of(f"tf.strings.unicode_encode: input must be int32, got {codes.dtype.name}.")
    if isinstance(codes, RaggedTensor):
        rows, shape = codes.to_list(), (int(codes.nrows()),)
    elif codes.ndim == 0:
        raise ValueError("tf.strings.unicode_encode: input_tensor's rank must be at least 1.")
    else:
        array = np.asarray(codes)
        shape = array.shape[:-1]
        rows = array.reshape(int(np.prod(shape)), array.shape[-1]).tolist()
    return Tensor(array_of((encoded("unicode_encode", row, output_encoding, policy) for row in rows), shape))


@by_row("input", specs=lambda input, **_: rows_of(input))
def unicode_split(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533, name: str | None = None
) -> Any:
    """The characters of each string of `input`, which is encoded in `input_encoding`, each a string.

    `errors` and `replacement_char` are as in `unicode_decode`.

    Shapes: [] -> [characters]; [*dims] -> [*dims, (characters)], a ragged tensor.
    Dtypes: string -> string.
    Raises: InvalidArgumentError for an encoding other than UTF-8, UTF-16-BE and UTF-32-BE, or for invalid bytes if
      errors
      is "strict".
    Source: TF 2.21 `tf.strings.unicode_split`.
    """
    del name
    require_one_of("strings.unicode_split", "input_encoding", input_encoding, _OUTPUTS)
    policy = _policy("unicode_split", errors, replacement_char)

    def characters(text: bytes) -> list[bytes]:
        codes = decoded("unicode_split", text, codec("unicode_split", input_encoding), policy)[0]
        return [encoded("unicode_split", [code], input_encoding, policy) for code in codes]

    return cut("strings.unicode_split", input, characters)


@by_row("input", specs=lambda input, **_: (rows_of(input), rows_of(input, int64)))
def unicode_split_with_offsets(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 65533, name: str | None = None
) -> tuple[Any, Any]:
    """The characters of each string of `input`, which is encoded in `input_encoding`, and the start of each, in bytes.

    `errors` and `replacement_char` are as in `unicode_decode`.

    Shapes: [] -> twice [characters]; [*dims] -> twice [*dims, (characters)], ragged tensors.
    Dtypes: string -> string, int64.
    Raises: InvalidArgumentError for an encoding other than UTF-8, UTF-16-BE and UTF-32-BE, or for invalid bytes if
      errors
      is "strict".
    Source: TF 2.21 `tf.strings.unicode_split_with_offsets`.
    """
    characters = unicode_split(input, input_encoding, errors, replacement_char, name)
    policy = _policy("unicode_split_with_offsets", errors, replacement_char)
    return characters, _decoded("unicode_split_with_offsets", input, input_encoding, policy, 1)


def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The strings of `input`, converted from `input_encoding` to `output_encoding`.

    `errors`, `replacement_char` and `replace_control_characters` are as in `unicode_decode`.

    Shapes: [*dims] -> same.
    Dtypes: string -> string.
    Raises: InvalidArgumentError for an unknown encoding, an output_encoding other than UTF-8, UTF-16-BE and UTF-32-BE,
      or
      for invalid bytes if errors is "strict"; for control characters too with replace_control_characters.
    Source: TF 2.21 `tf.strings.unicode_transcode`.
    """
    del name
    require_one_of("strings.unicode_transcode", "output_encoding", output_encoding, _OUTPUTS)
    # TensorFlow treats control characters to be replaced as errors here, but not in unicode_decode.
    is_strict = errors == "strict" and replace_control_characters
    policy = _policy("unicode_transcode", errors, replacement_char, replace_control_characters and not is_strict)
    source = codec("unicode_transcode", input_encoding)

    def transcoded(text: bytes) -> bytes:
        codes = decoded("unicode_transcode", text, source, policy)[0]
        if is_strict and any(code < FIRST_PRINTABLE for code in codes):
            raise found_early(f"tf.strings.unicode_transcode: Invalid formatting on input string {text!r}.")
        return encoded("unicode_transcode", codes, output_encoding, policy)

    return mapped("strings.unicode_transcode", transcoded, input)
