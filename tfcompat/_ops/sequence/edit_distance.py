"""The Levenshtein distance of sequences: the number of insertions, deletions and replacements between them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops.sparse.tensor import SparseTensor

_LEAST_RANK = 2
Sequences = dict[tuple[int, ...], list[Any]]


def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance") -> Tensor:
    """The Levenshtein distances of the sequences in `hypothesis` to those in `truth`, sparse tensors.

    A sequence is along the last axis. With `normalize` a distance is divided by the length of the truth; for an empty
    truth it is then infinite, unless the hypothesis is empty, too. The values are read on the host.

    Shapes: [*batch, length], [*batch, length] -> [*batch], the larger size of both along each axis.
    Dtypes: both the same -> float32.
    Gradient: None.
    Raises: TypeError if one of them is not sparse; InvalidArgumentError for different dtypes or ranks, or a rank
      below 2.
    Source: TF 2.21 `tf.edit_distance`.
    """
    del name
    if not isinstance(hypothesis, SparseTensor):
        raise TypeError("Hypothesis must be a SparseTensor.")
    if not isinstance(truth, SparseTensor):
        raise TypeError("Truth must be a SparseTensor.")
    if hypothesis.dtype is not truth.dtype:
        raise InvalidArgumentError.of(
            f"tf.edit_distance: both must have one dtype, got {hypothesis.dtype.name} and {truth.dtype.name}."
        )
    shapes = np.asarray(hypothesis.dense_shape), np.asarray(truth.dense_shape)
    if len(shapes[0]) != len(shapes[1]) or len(shapes[1]) < _LEAST_RANK:
        raise InvalidArgumentError.of(
            "tf.edit_distance: Input SparseTensors must have one rank, at least 2, got shapes "
            f"{shapes[0].tolist()} and {shapes[1].tolist()}."
        )
    found, wanted = _sequences(hypothesis), _sequences(truth)
    distances = np.zeros(np.maximum(*shapes)[:-1], np.float32)
    for place in found.keys() | wanted.keys():
        distances[place] = _distance(found.get(place, []), wanted.get(place, []), normalize)
    return Tensor(distances)


def _sequences(tensor: SparseTensor) -> Sequences:
    """The sequences that are not empty, by their index."""
    found: defaultdict[tuple[int, ...], list[Any]] = defaultdict(list)
    for index, value in zip(np.asarray(tensor.indices).tolist(), np.asarray(tensor.values).tolist(), strict=True):
        found[tuple(index[:-1])].append(value)
    return found


def _distance(found: list[Any], wanted: list[Any], normalize: bool) -> float:
    steps = levenshtein(found, wanted)
    if not normalize or not steps:
        return steps
    return steps / len(wanted) if wanted else np.inf


def levenshtein(first: list[Any], second: list[Any]) -> int:
    """The least number of insertions, deletions and replacements that turn `first` into `second`."""
    row = list(range(len(second) + 1))
    for count, element in enumerate(first, 1):
        before, row[0] = row[0], count
        for k, other in enumerate(second, 1):
            before, row[k] = row[k], min(row[k] + 1, row[k - 1] + 1, before + (element != other))
    return row[-1]
