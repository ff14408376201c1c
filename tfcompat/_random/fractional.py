"""Pooling over random regions: `tf.nn.fractional_max_pool` and `tf.nn.fractional_avg_pool`."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UnimplementedError
from tfcompat._core.tracing.trace import here
from tfcompat._ops.sliding.fractional_pooling import (
    POOLED,
    FractionalAvgPool,
    FractionalMaxPool,
    Regions,
    blocks_drawn,
    fractional_max,
    fractional_mean,
    regions,
)
from tfcompat._random import seed as seeds


def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalMaxPool:
    """The largest element of each region of `value`, with sides divided by `pooling_ratio`, and the regions' starts.

    The sizes of the regions are in random order, or spread evenly if `pseudo_random`. With `overlapping`, each region
    includes the first element of the next. With `seed` 0, each call draws new regions.

    Shapes: [batch, height, width, channels] -> [batch, rows, columns, channels], [rows + 1], [columns + 1].
    Dtypes: float32, float64, int32, int64 -> same, int64, int64.
    Gradient: to the first of equal elements.
    Raises: ValueError if a ratio is less than 1, or not 1 for batch or channels; InvalidArgumentError if the rank isn't
      4; NotImplementedError without seed in a `tf.function`.
    Source: TF 2.21 `tf.nn.fractional_max_pool`.
    """
    del name
    place = "nn.fractional_max_pool"
    tensor = convert_to_tensor(value)
    ratios = _ratios(pooling_ratio)
    if min(ratios) < 1 or len(ratios) != 4 or ratios[0] != 1 or ratios[-1] != 1:
        raise ValueError(f"tf.{place}: pooling_ratio must be [1, rows, columns, 1], none less than 1, got {ratios}.")
    rows, columns = _regions(place, tensor, ratios, pseudo_random, overlapping, seed)
    pooled = fractional_max(tensor, _places(rows), _places(columns))
    return FractionalMaxPool(pooled, Tensor(rows.sequence), Tensor(columns.sequence))


def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalAvgPool:
    """The mean of each region of `value`, with sides divided by the list `pooling_ratio`, and the regions' starts.

    The sizes of the regions are in random order, or spread evenly if `pseudo_random`. With `overlapping`, each region
    includes the first element of the next. With `seed` 0, each call draws new regions.

    Shapes: [batch, height, width, channels] -> [batch, rows, columns, channels], [rows + 1], [columns + 1].
    Dtypes: float32, float64, int32, int64 -> same, int64, int64.
    Raises: TypeError if `pooling_ratio` isn't a list; InvalidArgumentError if a ratio is less than 1 or the rank isn't
      4; UnimplementedError if a ratio isn't 1 for batch or channels; NotImplementedError without seed in a
      `tf.function`.
    Source: TF 2.21 `tf.nn.fractional_avg_pool`.
    """
    del name
    place = "nn.fractional_avg_pool"
    if not isinstance(pooling_ratio, (list, tuple)):
        raise TypeError(f"tf.{place}: pooling_ratio must be a list, got {pooling_ratio}.")
    tensor = convert_to_tensor(value)
    ratios = [float(ratio) for ratio in pooling_ratio]
    if len(ratios) != 4 or min(ratios) < 1:
        raise InvalidArgumentError.of(
            f"tf.{place}: pooling_ratio must be four numbers, none less than 1, got {ratios}."
        )
    if ratios[0] != 1 or ratios[-1] != 1:
        raise UnimplementedError.of(f"tf.{place}: pooling_ratio must be 1 for batch and channels, got {ratios}.")
    rows, columns = _regions(place, tensor, ratios, pseudo_random, overlapping, seed)
    inside = Tensor(rows.is_inside), Tensor(columns.is_inside)
    pooled = fractional_mean(tensor, _places(rows), _places(columns), *inside)
    return FractionalAvgPool(pooled, Tensor(rows.sequence), Tensor(columns.sequence))


def _ratios(pooling_ratio: Any) -> list[float]:
    """One ratio for both sides, or one for each axis."""
    is_list = isinstance(pooling_ratio, (list, tuple))
    return [float(ratio) for ratio in (pooling_ratio if is_list else (1, pooling_ratio, pooling_ratio, 1))]


def _places(found: Regions) -> Tensor:
    return Tensor(found.places.astype(np.int32))


def _regions(
    name: str, tensor: Tensor, ratios: list[float], is_smooth: bool, overlaps: bool, seed: int
) -> tuple[Regions, Regions]:
    """The regions of the rows and of the columns."""
    shape = tensor._aval.shape
    if len(shape) != 4 or tensor.dtype not in POOLED:
        raise InvalidArgumentError.of(
            f"tf.{name}: value must have rank 4 and be float32, float64, int32 or int64, got {tensor._aval}."
        )
    if any(int(size / ratio) < 1 for size, ratio in zip(shape[1:3], ratios[1:3], strict=True)):
        raise InvalidArgumentError.of(f"tf.{name}: every region must have an element, got shape {shape}.")
    if not seed and here.graph is not None:
        raise NotImplementedError(f"tf.{name}: without seed it draws at every call; give a seed in tf.function.")
    key, number = (seeds.next_pair(seed) if seed else None) or (secrets.randbits(64), secrets.randbits(64))
    second = blocks_drawn(shape[1], ratios[1], is_smooth)
    rows = regions(shape[1], ratios[1], key, number, 0, is_smooth, overlaps)
    return rows, regions(shape[2], ratios[2], key, number, second, is_smooth, overlaps)
