"""Hashing of strings into buckets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import NO_ARGUMENTS
from tfcompat._core.calls.declare import integer
from tfcompat._core.calls.host_call import computed
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import int64
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.text.element import dims_of, strings
from tfcompat._ops.text.hashing import fingerprint, hashes, murmur, siphash


def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """The bucket of each string of `input`, below `num_buckets`, by FarmHash's Fingerprint64.

    Shapes: [*dims] -> same.
    Dtypes: string -> int64.
    Gradient: None.
    Raises: InvalidArgumentError if num_buckets is not positive, or for another dtype.
    Source: TF 2.21 `tf.strings.to_hash_bucket_fast`.
    """
    del name
    return _buckets("to_hash_bucket_fast", input, num_buckets, fingerprint)


def to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Any:
    """The bucket of each string of `input`, below `num_buckets`, by SipHash with the two numbers of `key`.

    Shapes: [*dims] -> same.
    Dtypes: string -> int64.
    Gradient: None.
    Raises: InvalidArgumentError if num_buckets is not positive, key does not have two numbers, or for another dtype.
    Source: TF 2.21 `tf.strings.to_hash_bucket_strong`.
    """
    del name
    words = [int(np.int64(word)) for word in key]
    if len(words) != 2:
        raise InvalidArgumentError.of(f"tf.strings.to_hash_bucket_strong: key must have 2 elements, got {key}.")
    function = partial(siphash, key=(words[0], words[1]))
    return _buckets("to_hash_bucket_strong", input, num_buckets, function, {"key": words})


def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """The bucket of each string of `input`, below `num_buckets`, by MurmurHash64A.

    Shapes: [*dims] -> same.
    Dtypes: string -> int64.
    Gradient: None.
    Raises: InvalidArgumentError if num_buckets is not positive, or for another dtype.
    Source: TF 2.21 `tf.strings.to_hash_bucket`.
    """
    del name
    return _buckets("to_hash_bucket", input, num_buckets, murmur)


def _buckets(
    name: str,
    input: Any,
    num_buckets: Any,
    function: Callable[[np.ndarray], np.ndarray],
    arguments: Mapping[str, Any] = NO_ARGUMENTS,
) -> Any:
    count = integer(num_buckets)
    if count is None or count < 1:
        raise InvalidArgumentError.of(f"tf.strings.{name}: num_buckets must be at least 1, got {num_buckets}.")
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(_buckets(name, input.flat_values, count, function, arguments))
    texts = strings(f"strings.{name}", input)

    def compute(array: np.ndarray) -> np.ndarray:
        return (hashes(function, array.flat) % np.uint64(count)).astype(np.int64).reshape(array.shape)

    given = {"num_buckets": count, **arguments}
    return computed(f"strings.{name}", compute, (texts,), dims_of(texts), int64, is_elementwise=True, arguments=given)
