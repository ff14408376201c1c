"""Datasets whose elements are sampled so that classes have other shares: `rejection_resample`."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import float32, int64
from tfcompat._data.blocks.structure import host_array
from tfcompat._data.datasets.dataset_source import Sources
from tfcompat._ops.array.creation import one_hot
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.array.layout import expand_dims, tile
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold.reduction import reduce_max, reduce_min, reduce_sum
from tfcompat._random.random import uniform

_logger = logging.getLogger("tensorflow")
# The number of elements from which shares are estimated at a time, and the count that a class has before.
_BATCH, _SMOOTHING = 32, 10
_TINY = np.finfo(np.float32).tiny


def resampled(dataset: Any, class_func: Any, target: Any, initial: Any, seed: Any) -> Any:
    """The dataset for `rejection_resample`: pairs of a class and an element."""
    wanted = cast(convert_to_tensor(target, name="target_dist"), float32)
    if initial is None:
        shares = _estimated(dataset.map(class_func), wanted)
        both = shares.map(lambda share: _acceptance(share, wanted))
        return _mixed(dataset, class_func, both.map(_first), both.map(_second), seed)
    known = cast(convert_to_tensor(initial, name="initial_dist"), float32)
    accepted, kept = _acceptance(known, wanted)
    rejected = float(np.sum((1 - host_array(accepted)) * host_array(known)))
    if rejected >= 0.5:  # TensorFlow's limit
        _logger.warning("Proportion of examples rejected by sampler is high: %s", rejected)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = float(np.min(host_array(wanted) / host_array(known)))
    if share == 1:
        return dataset.map(_with_class(class_func))
    chosen = Sources.from_tensors(accepted).repeat()
    if share == 0:
        return _accepted(dataset, class_func, chosen, seed)
    return _mixed(dataset, class_func, chosen, Sources.from_tensors(kept).repeat(), seed)


def _first(one: Any, _: Any) -> Any:
    return one


def _second(_: Any, other: Any) -> Any:
    return other


def _estimated(classes: Any, wanted: Tensor) -> Any:
    """The shares of the classes in the elements so far, for each element."""
    (count,) = host_array(wanted).shape

    def update(seen: Any, batch: Any) -> Any:
        total = seen + reduce_sum(one_hot(batch, count, dtype=int64), 0)
        share = cast(total / reduce_sum(total), float32)
        return total, tile(expand_dims(share, 0), [_BATCH, 1])

    return classes.batch(_BATCH).scan(np.full(count, _SMOOTHING, np.int64), update).unbatch()


def _acceptance(share: Any, wanted: Tensor) -> tuple[Any, Any]:
    """The probabilities with which elements of each class are accepted, and that of elements of the dataset as it is.

    Elements of a class come with its wanted share if a part of them is taken as they come, and others are rejected.
    """
    ratio = wanted / (share + _TINY)
    least = reduce_min(ratio)
    return (ratio - least) / (reduce_max(ratio) - least), least


def _with_class(class_func: Any) -> Any:
    """The function that puts the class before an element."""

    def call(*element: Any) -> Any:
        return class_func(*element), element[0] if len(element) == 1 else element

    return call


def _accepted(dataset: Any, class_func: Any, probabilities: Any, seed: Any) -> Any:
    """Pairs of a class and an element that is accepted."""

    def classified(probability: Any, element: Any) -> Any:
        found = class_func(*element) if isinstance(element, tuple) else class_func(element)
        return found, gather(probability, found), element

    def is_accepted(_: Any, probability: Any, __: Any) -> Any:
        return uniform([], seed=seed, dtype=probability.dtype) < probability

    pairs = Sources.zip((probabilities, dataset)).map(classified).filter(is_accepted)
    return pairs.map(lambda found, _, element: (found, element)).prefetch(3)


def _mixed(dataset: Any, class_func: Any, probabilities: Any, kept: Any, seed: Any) -> Any:
    """Elements of the dataset as it is, with the probabilities `kept`, and accepted ones."""
    return Sources.sample_from_datasets(
        [dataset.map(_with_class(class_func)), _accepted(dataset, class_func, probabilities, seed)],
        weights=kept.map(lambda share: [(share, 1.0 - share)]),
        seed=seed,
        stop_on_empty_dataset=True,
    )
