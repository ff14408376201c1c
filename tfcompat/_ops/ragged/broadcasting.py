"""Broadcasting of the operands of an elementwise function to a common partition into rows.

As in TensorFlow, shapes are aligned at their last axes, and only axes that are 1 by their shape are repeated, not rows
that happen to have one element each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.ragged.partition import Partition, of_lengths, of_uniform, spans
from tfcompat._ops.ragged.tensor import RaggedTensor


class _Operand:
    """One operand while it is broadcast axis by axis.

    Attributes:
      flat: its innermost values.
      partitions: its row partition for every axis that is ragged in any operand.
      places: for each row of the result so far, the index of the operand's row; None if they are the same.
    """

    def __init__(self, flat: Tensor, partitions: list[Partition]) -> None:
        self.flat = flat
        self.partitions = partitions
        self.places: np.ndarray | None = None

    def lengths(self, level: int) -> np.ndarray:
        """The lengths of the rows of the result, if this operand determines them."""
        found = np.diff(self.partitions[level].host())
        return found if self.places is None else found[self.places]

    def descend(self, level: int, lengths: np.ndarray, is_repeated: bool) -> None:
        """Moves one axis inwards, to rows of `lengths`; repeats its own single element if `is_repeated`."""
        if self.places is None and not is_repeated:
            return
        starts = self.partitions[level].host()[:-1]
        starts = starts if self.places is None else starts[self.places]
        self.places = spans(starts, lengths, 0 if is_repeated else 1)


def aligned(operands: Sequence[Any]) -> tuple[list[Tensor], list[Partition]]:
    """The values of tensors and ragged tensors as operands of a dense function, and their common row partitions.

    Raises: InvalidArgumentError if they don't broadcast; ValueError if their row splits have different dtypes.
    """
    ragged = [operand for operand in operands if isinstance(operand, RaggedTensor)]
    require_one_dtype(ragged)
    first = ragged[0]._partitions()
    if all(_shares(operand, first) for operand in operands):
        return [operand.flat_values if isinstance(operand, RaggedTensor) else operand for operand in operands], first
    rank = max(len(operand.shape) for operand in operands)
    depth = max(len(operand._partitions()) + rank - len(operand.shape) for operand in ragged)
    views = [_view(operand, rank, depth) for operand in operands]
    deciding = [view for view in views if isinstance(view, _Operand)]
    partitions = _descended(deciding)
    return [_values(view) for view in views], partitions


def require_one_dtype(ragged: Sequence[RaggedTensor]) -> None:
    """Raises ValueError if the row splits of ragged tensors have different dtypes."""
    dtypes = {operand.row_splits.dtype.name for operand in ragged}
    if len(dtypes) > 1:
        raise ValueError(
            f"tf.RaggedTensor: operands must have row splits of one dtype, got {' and '.join(sorted(dtypes))}; use "
            "RaggedTensor.with_row_splits_dtype."
        )


def _shares(operand: Any, partitions: list[Partition]) -> bool:
    """Whether an operand can be used unchanged with values partitioned by `partitions`."""
    if not isinstance(operand, RaggedTensor):
        return operand.ndim == 0
    own = operand._partitions()
    return len(own) == len(partitions) and all(one is other for one, other in zip(own, partitions, strict=True))


def _view(operand: Any, rank: int, depth: int) -> Any:
    """The operand with `rank` axes, of which `depth` are partitioned; a tensor if it is the same for all rows."""
    partitions = operand._partitions() if isinstance(operand, RaggedTensor) else []
    flat = operand.flat_values if isinstance(operand, RaggedTensor) else operand
    new = rank - len(operand.shape)
    if not partitions:
        dims = (1,) * new + flat._aval.shape
        wanted = (math.prod(dims[: depth + 1]), *dims[depth + 1 :])
        if all(size == 1 for size in dims[: depth + 1]):
            return reshape(flat, wanted) if flat.ndim else flat
        return _Operand(reshape(flat, wanted), _cut(dims, depth))
    dtype = partitions[0].dtype
    outer = [of_uniform(1, 1, dtype)] * (new - 1) + ([of_uniform(partitions[0].nrows, 1, dtype)] if new else [])
    partitions = [*outer, *partitions]
    missing = depth - len(partitions)
    if missing > 0:
        dims = flat._aval.shape
        partitions += _cut(dims, missing)
        flat = reshape(flat, (math.prod(dims[: missing + 1]), *dims[missing + 1 :]))
    return _Operand(flat, partitions)


def _cut(dims: tuple[int, ...], depth: int) -> list[Partition]:
    """The first `depth` axes after the outermost of a tensor of shape `dims`, as rows of one length."""
    return [of_uniform(dims[k + 1], math.prod(dims[: k + 1])) for k in range(depth)]


def _descended(operands: Sequence[_Operand]) -> list[Partition]:
    """Broadcasts the operands down to their values, and returns their common row partitions."""
    counts = [operand.partitions[0].nrows for operand in operands]
    wanted = next((size for size in counts if size != 1), 1)
    for operand, size in zip(operands, counts, strict=True):
        if size not in (1, wanted):
            raise _mismatch(0)
        if size != wanted:
            operand.places = np.zeros(wanted, np.int64)
    found: list[Partition] = []
    for level in range(len(operands[0].partitions)):
        single = [operand.partitions[level].uniform == 1 for operand in operands]
        deciding = [operand for operand, is_single in zip(operands, single, strict=True) if not is_single] or operands
        lengths = deciding[0].lengths(level)
        for other in deciding[1:]:
            if not np.array_equal(lengths, other.lengths(level)):
                raise _mismatch(level + 1)
        uniform = next((one for one in (op.partitions[level].uniform for op in deciding) if one is not None), None)
        for operand, is_single in zip(operands, single, strict=True):
            operand.descend(level, lengths, is_single and len(deciding) < len(operands))
        found.append(_partition(deciding[0], level, lengths, uniform))
    return found


def _partition(operand: _Operand, level: int, lengths: np.ndarray, uniform: int | None) -> Partition:
    own = operand.partitions[level]
    if operand.places is None and own.uniform == uniform:
        return own
    return of_lengths(lengths) if uniform is None else of_uniform(uniform, lengths.size, own.dtype)


def _mismatch(axis: int) -> InvalidArgumentError:
    return InvalidArgumentError.of(f"tf.RaggedTensor: Unable to broadcast: the lengths along axis {axis} differ.")


def _values(view: Any) -> Tensor:
    if not isinstance(view, _Operand):
        return view
    return view.flat if view.places is None else gather(view.flat, Tensor(view.places))
