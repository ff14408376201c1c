"""Strings that are compressed: `tf.io.decode_compressed`."""

from __future__ import annotations

import io
from typing import Any

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._data.format.compressed import WINDOW_BITS, Inflated
from tfcompat._ops.text.element import mapped

_UNSUPPORTED = "ZSTD"


def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Any:
    """The strings of `bytes`, decompressed; `compression_type` is "ZLIB", "GZIP" or empty. Cut strings end early.

    Shapes: [*dims] -> same.
    Dtypes: string -> string.
    Gradient: None.
    Raises: InvalidArgumentError for another compression_type; DataLossError if a string is not of that kind;
      NotImplementedError for "ZSTD".
    Source: TF 2.21 `tf.io.decode_compressed`.
    """
    del name
    if compression_type == _UNSUPPORTED:
        raise NotImplementedError(
            'tf.io.decode_compressed: compression_type "ZSTD" is not supported; decompress with the package zstandard.'
        )
    if compression_type not in (*WINDOW_BITS, ""):
        raise InvalidArgumentError.of(
            "tf.io.decode_compressed: Only ZLIB, ZSTD, GZIP or NONE are supported compressions, got "
            f"{compression_type!r}"
        )

    def decompressed(text: Any) -> Any:
        if not compression_type:
            return text
        stream = Inflated(io.BytesIO(text), compression_type)
        return b"".join(iter(lambda: stream.read(0), b""))

    return mapped("io.decode_compressed", decompressed, bytes)
