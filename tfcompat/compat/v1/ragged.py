"""`tf.compat.v1.ragged`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._first_version.ragged_value import RaggedTensorValue
from tfcompat.ragged import (
    boolean_mask,
    constant,
    cross,
    cross_hashed,
    map_flat_values,
    range,
    row_splits_to_segment_ids,
    segment_ids_to_row_splits,
    stack,
    stack_dynamic_partitions,
)

__all__ = [
    "RaggedTensorValue",
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
