"""`tf.compat.v1.strings`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat import as_string
from tfcompat._dropin.absence import absence as _absence
from tfcompat._first_version.gathering import substr
from tfcompat.strings import (
    bytes_split,
    format,
    join,
    lower,
    ngrams,
    regex_full_match,
    regex_replace,
    strip,
    to_hash_bucket_fast,
    to_hash_bucket_strong,
    unicode_decode,
    unicode_decode_with_offsets,
    unicode_encode,
    unicode_script,
    unicode_split,
    unicode_split_with_offsets,
    unicode_transcode,
    unsorted_segment_join,
    upper,
)

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "lower",
    "ngrams",
    "regex_full_match",
    "regex_replace",
    "strip",
    "substr",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "unicode_decode",
    "unicode_decode_with_offsets",
    "unicode_encode",
    "unicode_script",
    "unicode_split",
    "unicode_split_with_offsets",
    "unicode_transcode",
    "unsorted_segment_join",
    "upper",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
