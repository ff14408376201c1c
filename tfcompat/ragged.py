"""`tf.ragged`: tensors whose rows have different lengths."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.ragged.constant import constant
from tfcompat._ops.ragged.gathering import boolean_mask
from tfcompat._ops.ragged.joining import stack, stack_dynamic_partitions
from tfcompat._ops.ragged.mapping import map_flat_values
from tfcompat._ops.ragged.sequence import range, row_splits_to_segment_ids, segment_ids_to_row_splits
from tfcompat._ops.sparse.crossing import ragged_cross as cross
from tfcompat._ops.sparse.crossing import ragged_cross_hashed as cross_hashed

__all__ = [
    "boolean_mask",
    "constant",
    "cross",
    "cross_hashed",
    "map_flat_values",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
    "stack_dynamic_partitions",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
