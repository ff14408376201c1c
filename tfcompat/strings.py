"""`tf.strings`: strings, which are kept on the host."""

import sys as _sys
import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat._ops.text.bucket import to_hash_bucket, to_hash_bucket_fast, to_hash_bucket_strong
from tfcompat._ops.text.combination import join, reduce_join, unsorted_segment_join
from tfcompat._ops.text.element import length, lower, strip, substr, upper
from tfcompat._ops.text.ngram import ngrams
from tfcompat._ops.text.number import as_string, to_number
from tfcompat._ops.text.script import unicode_script
from tfcompat._ops.text.splitting import bytes_split, split
from tfcompat._ops.text.substitution import regex_full_match, regex_replace
from tfcompat._ops.text.template import format
from tfcompat._ops.text.unicode import (
    unicode_decode,
    unicode_decode_with_offsets,
    unicode_encode,
    unicode_split,
    unicode_split_with_offsets,
    unicode_transcode,
)

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "to_number",
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

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
