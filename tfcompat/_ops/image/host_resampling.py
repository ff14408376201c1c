"""Weighted sums of neighbours along the axes of images, by NumPy: resizing in the functions of datasets.

Fresh memory costs more than the sums, because the system clears each of its pages; so do calls that let other threads
run, if they are many. An image is computed in few calls, in buffers that are kept.
"""

from __future__ import annotations

import functools
import math
from collections import deque
from collections.abc import Iterator

import numpy as np

from tfcompat._ops.image.resampling import Taps

# The numbers in a strip of an image, which are 1 MB as float32.
_STRIP = 1 << 18


def resampled_by_host(images: np.ndarray, vertical: Taps, horizontal: Taps) -> np.ndarray:
    """The sums of `images`, [..., height, width, channels], along both axes, the one that shrinks more first.

    Sums of neighbours are float32; where both axes select single pixels, the result has the dtype of `images`.
    """
    if vertical.is_selection and horizontal.is_selection:
        return _selected(images, vertical.places[:, 0], horizontal.places[:, 0])
    channels = images.shape[-1]
    columns = _repeated(horizontal, channels)
    flat = images.reshape(-1, images.shape[-3], images.shape[-2] * channels)
    whole = np.empty((len(flat), len(vertical.places), len(columns.places)), np.float32)
    is_wide = len(vertical.places) * columns.extent > len(columns.places) * vertical.extent
    write = _write_from_columns if is_wide else _write_from_rows
    try:
        buffers = _free.pop()
    except IndexError:
        buffers = _Buffers()
    for image, resized in zip(flat, whole, strict=True):
        write(image, vertical, columns, resized, buffers)
    _free.append(buffers)
    return whole.reshape(*images.shape[:-3], *whole.shape[1:-1], -1, channels)


class _Buffers:
    """Memory for the values between the first step and the last.

    Attributes:
      between: the sums along one axis.
      gathered: neighbours, in the dtype of the image.
      term: neighbours in float32, then their products with the weights.
    """

    def __init__(self) -> None:
        self.between = self.gathered = self.term = np.empty(0, np.float32)

    def shaped(self, name: str, shape: tuple[int, ...], dtype: np.dtype | type = np.float32) -> np.ndarray:
        """The buffer of this name, as an array; larger ones than those of strips are not kept."""
        count, kept = math.prod(shape), getattr(self, name)
        if kept.dtype != dtype or len(kept) < count:
            kept = np.empty(count, dtype)
            if count <= _STRIP:
                setattr(self, name, kept)
        return kept[:count].reshape(shape)


# Threads that resize images, and handlers of signals that interrupt them, have their own as long as they do.
_free: deque[_Buffers] = deque(maxlen=16)


def _write_from_rows(image: np.ndarray, vertical: Taps, columns: Taps, out: np.ndarray, buffers: _Buffers) -> None:
    """Writes the sums of `image`, [height, width * channels], into `out`, rows before columns."""
    for start, rows in _strips(vertical, max(columns.extent, out.shape[1])):
        done = out[start : start + len(rows.places)]
        between = buffers.shaped("between", (len(done), image.shape[1]))
        _write_sums(image, rows, 0, between, buffers)
        _write_sums(between, columns, 1, done, buffers)


def _write_from_columns(image: np.ndarray, vertical: Taps, columns: Taps, out: np.ndarray, buffers: _Buffers) -> None:
    """The same, columns before rows."""
    for start, rows in _strips(vertical, max(vertical.extent // len(out), 1) * out.shape[1]):
        first, end = int(rows.places.min()), int(rows.places.max()) + 1
        between = buffers.shaped("between", (end - first, out.shape[1]))
        _write_sums(image[first:end], columns, 1, between, buffers)
        inside = Taps(rows.places - first, rows.weights, end - first)
        _write_sums(between, inside, 0, out[start : start + len(rows.places)], buffers)


def _strips(vertical: Taps, numbers: int) -> Iterator[tuple[int, Taps]]:
    """The first row of each strip and its sums, for rows that need `numbers` numbers."""
    step = max(_STRIP // numbers, 1)
    for start in range(0, len(vertical.places), step):
        yield start, vertical.part(start, step)


def _write_sums(array: np.ndarray, sums: Taps, axis: int, out: np.ndarray, buffers: _Buffers) -> None:
    """Writes the sums along `axis` of `array`, a matrix, into `out`."""
    places, weights = np.ascontiguousarray(sums.places.T), np.ascontiguousarray(sums.weights.T)
    _gather(array, places[0], axis, out, buffers)
    if sums.is_selection:
        return
    term = buffers.shaped("term", out.shape)
    spread = weights.reshape(sums.terms, *((1, -1) if axis else (-1, 1)))
    if sums.is_interpolation:
        _gather(array, places[1], axis, term, buffers)
        np.subtract(term, out, out=term)
        np.multiply(term, spread[1], out=term)
        np.add(term, out, out=out)
        return
    np.multiply(out, spread[0], out=out)
    for chosen, weight in zip(places[1:], spread[1:], strict=True):
        _gather(array, chosen, axis, term, buffers)
        np.multiply(term, weight, out=term)
        np.add(out, term, out=out)


def _gather(array: np.ndarray, places: np.ndarray, axis: int, out: np.ndarray, buffers: _Buffers) -> None:
    """Writes the elements at `places` into `out`."""
    # NumPy is fastest if it need not raise for places outside.
    if array.dtype == out.dtype:
        array.take(places, axis, out, "wrap")
        return
    # They become floating after they are gathered, as they are fewer bytes before.
    gathered = buffers.shaped("gathered", out.shape, array.dtype)
    array.take(places, axis, gathered, "wrap")
    np.copyto(out, gathered, "unsafe")


def _selected(images: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The pixels at `rows` and `columns`, each moved at once."""
    images = np.ascontiguousarray(images.take(rows, -3))
    pixels = images.view(f"V{images.shape[-1] * images.itemsize}")[..., 0]
    chosen = pixels.take(columns, -1)
    return chosen.view(images.dtype).reshape(*chosen.shape, images.shape[-1])


@functools.lru_cache(maxsize=512)
def _repeated(sums: Taps, channels: int) -> Taps:
    """The sums along an axis of pixels that have `channels` numbers each, for each of these numbers."""
    places = sums.places[:, np.newaxis] * channels + np.arange(channels)[:, np.newaxis]
    return Taps(places.reshape(-1, sums.terms), sums.weights.repeat(channels, 0), sums.extent * channels)
