"""The places of keys in TensorFlow's dense hash table, which its checkpoints contain."""

from __future__ import annotations

import numpy as np

from tfcompat._ops.text.hashing import hashes, murmur

_GOLDEN = np.uint64(0x9E3779B97F4A7800)


def bucket_places(keys: np.ndarray, count: int) -> list[int]:
    """The place of each row of `keys`, which differ, among `count` places, a power of 2 larger than their number."""
    taken = bytearray(count)
    places: list[int] = []
    for start in (_combined(keys) & np.uint64(count - 1)).tolist():
        place, probes = start, 0
        while taken[place]:
            probes += 1
            place = (place + probes) & (count - 1)
        taken[place] = 1
        places.append(place)
    return places


def _combined(keys: np.ndarray) -> np.ndarray:
    """The hash of each row: that of its only entry, or the hashes of all entries combined."""
    columns = [_scalar_hashes(column) for column in keys.T]
    if len(columns) == 1:
        return columns[0]
    found = np.zeros(len(keys), np.uint64)
    for column in columns:
        found ^= column + _GOLDEN + (found << np.uint64(10)) + (found >> np.uint64(4))
    return found


def _scalar_hashes(column: np.ndarray) -> np.ndarray:
    if column.dtype == object:
        return np.asarray(hashes(murmur, column.tolist()), np.uint64)
    return column.astype(np.int64).view(np.uint64)
