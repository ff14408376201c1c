"""`tf.fingerprint`: a 64-bit number for each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.host_call import computed
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import uint8
from tfcompat._ops.text.hashing import fingerprint as fingerprint_of
from tfcompat._ops.text.hashing import hashes

_WIDTH = 8


def fingerprint(data: Any, method: Any = "farmhash64", name: str | None = None) -> Tensor:
    """FarmHash's Fingerprint64 of the bytes of each row of `data`; for several strings, that of their fingerprints.

    Shapes: [n, ...] -> [n, 8].
    Dtypes: any -> uint8, the lowest byte first.
    Gradient: None.
    Raises: InvalidArgumentError for a scalar, or if `method` is not "farmhash64".
    Source: TF 2.21 `tf.fingerprint`.
    """
    del name
    tensor = convert_to_tensor(data)
    chosen = np.asarray(convert_to_tensor(method)).item()
    if chosen != b"farmhash64":
        raise InvalidArgumentError.of(f"tf.fingerprint: Unsupported fingerprint method: {chosen.decode()}.")
    if not tensor.ndim:
        raise InvalidArgumentError.of("tf.fingerprint: `data` should have at least one dimension, got a scalar.")
    return computed("fingerprint", _fingerprints, (tensor,), (tensor._aval.shape[0], _WIDTH), uint8)


def _fingerprints(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "O":
        prints = _bytes_of(hashes(fingerprint_of, array.ravel().tolist()))
        if array.size == len(array):
            return prints
        array = prints.reshape(len(array), -1)
    return _bytes_of(hashes(fingerprint_of, [row.tobytes() for row in array]))


def _bytes_of(words: np.ndarray) -> np.ndarray:
    return words.astype("<u8").view(np.uint8).reshape(-1, _WIDTH)
