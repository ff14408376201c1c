"""Kernels of strings."""

from __future__ import annotations

from tfcompat._ops.text import (
    bucket,
    combination,
    element,
    number,
    raw,
    row_fingerprint,
    script,
    substitution,
    tensor_message,
    unicode,
)
from tfcompat._raw_ops.kernel import kernel

AsString = kernel("AsString", number.as_string)
DecodeBase64 = kernel("DecodeBase64", raw.decode_base64)
DecodePaddedRaw = kernel("DecodePaddedRaw", raw.decode_raw, "input_bytes fixed_length out_type little_endian=True")
DecodeRaw = kernel("DecodeRaw", raw.decode_raw, "bytes:input_bytes out_type little_endian=True")
EncodeBase64 = kernel("EncodeBase64", raw.encode_base64)
Fingerprint = kernel("Fingerprint", row_fingerprint.fingerprint, "data method")
ParseTensor = kernel("ParseTensor", tensor_message.parse_tensor)
ReduceJoin = kernel(
    "ReduceJoin", combination.reduce_join, "inputs reduction_indices:axis keep_dims:keepdims=False separator=''"
)
RegexFullMatch = kernel("RegexFullMatch", substitution.regex_full_match)
RegexReplace = kernel("RegexReplace", substitution.regex_replace)
SerializeTensor = kernel("SerializeTensor", tensor_message.serialize_tensor)
StaticRegexFullMatch = kernel("StaticRegexFullMatch", substitution.regex_full_match)
StaticRegexReplace = kernel("StaticRegexReplace", substitution.regex_replace)
StringJoin = kernel("StringJoin", combination.join)
StringLength = kernel("StringLength", element.length)
StringLower = kernel("StringLower", element.lower)
StringStrip = kernel("StringStrip", element.strip)
StringToHashBucketFast = kernel("StringToHashBucketFast", bucket.to_hash_bucket_fast)
StringToHashBucketStrong = kernel("StringToHashBucketStrong", bucket.to_hash_bucket_strong)
StringToHashBucket = kernel("StringToHashBucket", bucket.to_hash_bucket, "string_tensor:input num_buckets")
StringToNumber = kernel("StringToNumber", number.to_number, "string_tensor:input out_type=tf.float32")
StringUpper = kernel("StringUpper", element.upper)
Substr = kernel("Substr", element.substr)
UnicodeScript = kernel("UnicodeScript", script.unicode_script)
UnicodeTranscode = kernel("UnicodeTranscode", unicode.unicode_transcode)
UnsortedSegmentJoin = kernel("UnsortedSegmentJoin", combination.unsorted_segment_join)
