"""CTC decoding: the most probable labels for a sequence of frames.

The number of labels depends on the values, so decoding runs on the host, but for greedy decoding in a function.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import FailedPreconditionError, InvalidArgumentError
from tfcompat._core.types.dtype import float32, float64, int32, int64
from tfcompat._ops.sequence.greedy_decoding import greedy_labels, may_decode
from tfcompat._ops.sparse.tensor import SparseTensor, SparseTensorSpec


def _labels_and_scores(inputs: Any, top_paths: int = 1, **_: Any) -> tuple[list[SparseTensorSpec], TensorSpec]:
    """The types of decoded labels and of their scores; the number of labels depends on values."""
    logits = convert_to_tensor(inputs)
    labels = [SparseTensorSpec([None, None], int64) for _ in range(top_paths)]
    return labels, TensorSpec([logits.shape[1], top_paths], logits.dtype)


@by_row("inputs", "sequence_length", specs=_labels_and_scores)
def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Tensor]:
    """The labels of the most probable class of each frame of `inputs`, without blanks and (`merge_repeated`) repeats.

    The second result is the negative sum of the logits of those classes.

    Shapes: [frames, batch, classes], [batch] -> a list of a sparse [batch, longest], [batch, 1].
    Dtypes: float32, float64 -> int64, same.
    Gradient: none, as in TensorFlow.
    Raises: InvalidArgumentError if shapes don't fit; FailedPreconditionError if `sequence_length` exceeds the frames
      (InvalidArgumentError in a `tf.function`).
    Source: TF 2.21 `tf.nn.ctc_greedy_decoder`.
    """
    tensors = _validated("nn.ctc_greedy_decoder", inputs, sequence_length)
    classes = tensors[0]._aval.shape[2]
    blank = classes - 1 if blank_index is None else blank_index
    if not -classes <= blank < classes:
        raise InvalidArgumentError.of(
            f"tf.nn.ctc_greedy_decoder: blank_index must be in [{-classes}, {classes}), got {blank_index}."
        )
    if any(tensor._is_symbolic() for tensor in tensors) and may_decode(tensors[0]):
        return greedy_labels(*tensors, merge_repeated, blank % classes)
    logits, lengths = _read("nn.ctc_greedy_decoder", *tensors)
    is_running = np.arange(logits.shape[0])[:, None] < lengths
    best = logits.argmax(-1)
    is_label = is_running & (best != blank % classes)
    if merge_repeated:
        is_label[1:] &= best[1:] != best[:-1]
    rows = [best[is_label[:, row], row] for row in range(logits.shape[1])]
    total = 0 - np.where(is_running, logits.max(-1), 0).sum(0, dtype=logits.dtype, keepdims=True).T
    return [_sparse(rows)], Tensor(np.ascontiguousarray(total))


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """The `top_paths` most probable sequences of labels in `inputs`, by a beam search of width `beam_width`.

    The blank is the last class. The second result holds the logarithms of their probabilities.

    Shapes: [frames, batch, classes], [batch] -> a list of sparse [batch, longest], [batch, top_paths].
    Dtypes: float32, float64 -> int64, same.
    Gradient: none, as in TensorFlow.
    Raises: InvalidArgumentError if shapes don't fit, or there are fewer paths; FailedPreconditionError if
      `sequence_length` exceeds the frames.
    Source: TF 2.21 `tf.nn.ctc_beam_search_decoder`.
    """
    return beam_search("nn.ctc_beam_search_decoder", inputs, sequence_length, beam_width, top_paths)


@by_row("inputs", "sequence_length", specs=_labels_and_scores)
def beam_search(
    place: str, inputs: Any, sequence_length: Any, beam_width: int, top_paths: int, merges_repeated: bool = False
) -> tuple[list[SparseTensor], Tensor]:
    """See `ctc_beam_search_decoder`; `merges_repeated` makes one of equal labels that follow each other in a result."""
    logits, lengths = _read(place, *_validated(place, inputs, sequence_length))
    if top_paths > beam_width:
        raise InvalidArgumentError.of(f"tf.{place}: top_paths must be at most beam_width, got {top_paths}.")
    log_probs = logits - logits.max(-1, keepdims=True)
    log_probs -= np.log(np.exp(log_probs).sum(-1, keepdims=True))
    found = [_searched(log_probs[:length, row], beam_width)[:top_paths] for row, length in enumerate(lengths)]
    if any(len(paths) < top_paths for paths in found):
        raise InvalidArgumentError.of(f"tf.{place}: there are less than {top_paths} paths in the beam.")
    merged = _merged if merges_repeated else tuple
    decoded = [_sparse([merged(paths[k][0]) for paths in found]) for k in range(top_paths)]
    scores = np.array([[score for _, score in paths] for paths in found], logits.dtype)
    return decoded, Tensor(scores.reshape(logits.shape[1], top_paths))


def _merged(path: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([label for k, label in enumerate(path) if k == 0 or label != path[k - 1]])


class _Beam(NamedTuple):
    """Sequences of labels, the most probable first, and the log probabilities that they end in a blank or a label."""

    paths: list[tuple[int, ...]]
    blank: np.ndarray
    label: np.ndarray


def _searched(log_probs: np.ndarray, width: int) -> list[tuple[tuple[int, ...], float]]:
    """The most probable sequences and their log probabilities."""
    beam = _Beam([()], np.zeros(1, log_probs.dtype), np.full(1, -np.inf, log_probs.dtype))
    for frame in log_probs:
        beam = _grown(beam, frame, width)
    return list(zip(beam.paths, np.logaddexp(beam.blank, beam.label).tolist(), strict=True))


def _grown(beam: _Beam, frame: np.ndarray, width: int) -> _Beam:
    """The beam after one more frame."""
    total = np.logaddexp(beam.blank, beam.label)
    last = np.array([path[-1] if path else -1 for path in beam.paths])
    # Each path extended by each label: the same label again needs a blank between.
    longer = total[:, None] + frame[:-1]
    some = np.flatnonzero(last >= 0)
    longer[some, last[some]] = beam.blank[some] + frame[last[some]]
    blank, label = total + frame[-1], np.where(last >= 0, beam.label + frame[last], -np.inf)
    number = {path: k for k, path in enumerate(beam.paths)}
    children: dict[int, dict[int, int]] = {}
    for k, path in enumerate(beam.paths):
        parent = number.get(path[:-1]) if path else None
        if parent is not None:
            label[k] = np.logaddexp(label[k], longer[parent, path[-1]])
            children.setdefault(parent, {})[path[-1]] = k
    kept = _kept(np.logaddexp(blank, label), total, longer, children, width)
    count = len(beam.paths)
    paths = [beam.paths[k] if k < count else (*beam.paths[c // longer.shape[1]], c % longer.shape[1]) for k, c in kept]
    blanks = [blank[k] if k < count else -np.inf for k, _ in kept]
    labels = [label[k] if k < count else longer.flat[c] for k, c in kept]
    return _Beam(paths, np.array(blanks, frame.dtype), np.array(labels, frame.dtype))


def _kept(
    scores: np.ndarray, total: np.ndarray, longer: np.ndarray, children: dict[int, dict[int, int]], width: int
) -> list[tuple[int, int]]:
    """The most probable of the paths with `scores` and of those `longer` by one label.

    Each is given as (its index, 0), or as (the number of paths, its index in `longer`). `total` are the scores before,
    `children` the paths that extend another path by a label. As in TensorFlow, a path that is dropped before its parent
    is
    considered is not extended.
    """
    heap = [(float(score), k, 0) for k, score in enumerate(scores)]
    heapq.heapify(heap)
    fallen: set[int] = set()
    barren: set[int] = set()
    for k in range(len(scores)):
        least = heap[0][0] if len(heap) >= width else -np.inf
        if k in barren or total[k] <= least:
            continue
        own = children.get(k, {})
        for label in sorted({*np.flatnonzero(longer[k] > least).tolist(), *own}):
            if label in own:
                barren.update({own[label]} & fallen)
                continue
            entry = (float(longer[k, label]), len(scores), k * longer.shape[1] + label)
            if len(heap) < width:
                heapq.heappush(heap, entry)
            elif entry[0] > heap[0][0]:
                fallen.add(heapq.heapreplace(heap, entry)[1])
    return [(k, place) for _, k, place in sorted(heap, key=lambda entry: (-entry[0], entry[1], entry[2]))]


def _validated(name: str, inputs: Any, sequence_length: Any) -> tuple[Tensor, Tensor]:
    """The logits and the lengths as tensors of the right shapes."""
    logits, lengths = convert_to_tensor(inputs), convert_to_tensor(sequence_length)
    if logits.dtype not in (float32, float64) or logits.ndim != 3 or lengths.dtype is not int32:
        raise InvalidArgumentError.of(
            f"tf.{name}: inputs must be float32 or float64 and have rank 3, and sequence_length int32; got "
            f"{logits._aval} and {lengths._aval}."
        )
    if 0 in logits._aval.shape:
        raise InvalidArgumentError.of(f"tf.{name}: inputs must not be empty, got {logits._aval}.")
    batch, shape = logits._aval.shape[1], lengths._aval.shape
    if shape != (batch,):
        raise FailedPreconditionError.of(f"tf.{name}: sequence_length must have shape [{batch}], got shape {shape}.")
    return logits, lengths


def _read(name: str, logits: Tensor, lengths: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """The logits and the lengths as arrays."""
    found, frames = np.asarray(lengths), logits._aval.shape[0]
    if (found > frames).any():
        raise FailedPreconditionError.of(f"tf.{name}: sequence_length must be at most {frames}, got {found.tolist()}.")
    return np.asarray(logits), found


def _sparse(rows: Sequence[Sequence[int] | np.ndarray]) -> SparseTensor:
    """The sparse tensor of rows of labels."""
    places = [(row, k) for row, labels in enumerate(rows) for k in range(len(labels))]
    values = [int(label) for labels in rows for label in labels]
    return SparseTensor(
        np.array(places, np.int64).reshape(-1, 2),
        np.array(values, np.int64),
        np.array([len(rows), max(map(len, rows), default=0)], np.int64),
    )
