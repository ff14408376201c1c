"""Weighted sums of neighbours along the axes of images, by NumPy: resizing in the functions of datasets.

Fresh memory costs more than the sums: the system clears each of its pages. An image is computed in strips of rows, and
the buffers of a strip, which fit in the cache of a core, are written again for the next one.
"""

from __future__ import annotations

import functools

import numpy as np

from tfcompat._ops.image.resampling import Taps

# The numbers of a strip.
_STRIP = 1 << 16


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
    strips = _Strips(vertical, columns, images.dtype)
    for image, resized in zip(flat, whole, strict=True):
        strips.compute(image, resized)
    return whole.reshape(*images.shape[:-3], *whole.shape[1:-1], -1, channels)


class _Strips:
    """The strips of an image, and their buffers."""

    def __init__(self, vertical: Taps, columns: Taps, dtype: np.dtype) -> None:
        self._columns = columns
        rows = len(vertical.places)
        self._begins_with_columns = rows * columns.extent > len(columns.places) * vertical.extent
        width = len(columns.places) if self._begins_with_columns else columns.extent
        height = max(rows, vertical.extent) / rows if self._begins_with_columns else 1
        step = max(int(_STRIP / max(height * width, 1)), 1)
        self._parts = [(start, _moved(vertical.part(start, step))) for start in range(0, rows, step)]
        most = max(max(end - first, len(sums.places)) for _, (first, end, sums) in self._parts)
        size = most * max(columns.extent, len(columns.places))
        self._between = np.empty(size, np.float32)
        self._spare = _Spare(size, dtype)

    def compute(self, image: np.ndarray, out: np.ndarray) -> None:
        """Writes the sums of `image`, [height, width * channels], into `out`."""
        for start, (first, end, sums) in self._parts:
            strip, done = image[first:end], out[start : start + len(sums.places)]
            if self._begins_with_columns:
                between = self._between[: len(strip) * out.shape[1]].reshape(len(strip), -1)
                _write_sums(strip, self._columns, 1, between, self._spare)
                _write_sums(between, sums, 0, done, self._spare)
            else:
                between = self._between[: len(done) * image.shape[1]].reshape(len(done), -1)
                _write_sums(strip, sums, 0, between, self._spare)
                _write_sums(between, self._columns, 1, done, self._spare)


class _Spare:
    """The buffers of one sum.

    Attributes:
      gathered: neighbours, in the dtype of the image.
      term: neighbours in float32, and the products with their weights.
    """

    def __init__(self, size: int, dtype: np.dtype) -> None:
        self.gathered = np.empty(size, dtype)
        self.term = np.empty(size, np.float32)


def _write_sums(array: np.ndarray, sums: Taps, axis: int, out: np.ndarray, spare: _Spare) -> None:
    """Writes the sums along `axis` of `array`, a matrix, into `out`."""
    spread = (-1, 1) if axis == 0 else (1, -1)
    places, weights = np.ascontiguousarray(sums.places.T), np.ascontiguousarray(sums.weights.T)
    term = spare.term[: out.size].reshape(out.shape)
    _gather(array, places[0], axis, out, spare)
    if sums.is_selection:
        return
    if sums.is_interpolation:
        _gather(array, places[1], axis, term, spare)
        np.subtract(term, out, out=term)
        np.multiply(term, weights[1].reshape(spread), out=term)
        np.add(term, out, out=out)
        return
    np.multiply(out, weights[0].reshape(spread), out=out)
    for chosen, weight in zip(places[1:], weights[1:], strict=True):
        _gather(array, chosen, axis, term, spare)
        np.multiply(term, weight.reshape(spread), out=term)
        np.add(out, term, out=out)


def _gather(array: np.ndarray, places: np.ndarray, axis: int, out: np.ndarray, spare: _Spare) -> None:
    """Writes the elements at `places` into `out`."""
    # NumPy is fastest if it need not raise for places outside.
    if array.dtype == out.dtype:
        array.take(places, axis, out, "wrap")
        return
    # They become floating after they are gathered, as they are fewer bytes before.
    gathered = spare.gathered[: out.size].reshape(out.shape)
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


def _moved(sums: Taps) -> tuple[int, int, Taps]:
    """The first neighbour, the end of the neighbours, and the sums of an axis that begins with the first."""
    first, end = int(sums.places.min()), int(sums.places.max()) + 1
    return first, end, Taps(sums.places - first, sums.weights, end - first)
