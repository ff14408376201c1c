"""The rules by which a dictionary of features is parsed."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import apart
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import DType, as_dtype, int64, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.format.feature import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    UniformRowLength,
    VarLenFeature,
)
from tfcompat._data.format.rule import Dense, Padded, Ragged, Rule, Sparse
from tfcompat._data.format.value_list import KINDS, Kind
from tfcompat._ops.array.layout import reshape

_logger = logging.getLogger("tensorflow")
# The attributes of TensorFlow's op that hold the dtypes.
_SPARSE, _DENSE, _RAGGED = "sparse_types", "Tdense", "ragged_value_types"


class Schema:
    """The rules of features by key; one feature of the user may need several.

    Attributes:
      rules: in TensorFlow's order: sparse, dense, ragged.
      keys: the keys as the user wrote them, in the same order.
    """

    def __init__(self, features: Mapping[Any, Any] | None, allowed: Sequence[type[Any]]) -> None:
        self._sparse: dict[Any, Sparse] = {}
        self._dense: dict[Any, Dense | Padded] = {}
        self._ragged: dict[Any, Ragged] = {}
        self.given: Mapping[Any, Any] = features or {}
        for key in sorted(self.given):
            feature = self.given[key]
            if not isinstance(feature, tuple(allowed)):
                raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
            self._add(key, feature)
        self._require_disjoint("Dense", self._dense, "sparse", self._sparse)
        self._require_disjoint("Dense", self._dense, "ragged", self._ragged)
        self._require_disjoint("Ragged", self._ragged, "sparse", self._sparse)
        every: dict[Any, Rule] = {**self._sparse, **self._dense, **self._ragged}
        self.keys = list(every)
        self.rules: dict[bytes, Rule] = {_as_bytes(key): rule for key, rule in every.items()}

    @property
    def dense_keys(self) -> list[Any]:
        """The keys of dense features."""
        return list(self._dense)

    def _add(self, key: Any, feature: Any) -> None:
        if isinstance(feature, VarLenFeature):
            _require_dtype(key, feature)
            self._add_sparse(key, as_dtype(feature.dtype))
        elif isinstance(feature, SparseFeature):
            self._add_positioned(key, feature)
        elif isinstance(feature, FixedLenFeature):
            self._dense[key] = _dense(key, feature, len(self._dense))
        elif isinstance(feature, FixedLenSequenceFeature):
            self._dense[key] = _padded(key, feature)
        else:
            self._add_ragged(key if feature.value_key is None else feature.value_key, feature.dtype, feature)
            for partition in feature.partitions:
                if not isinstance(partition, UniformRowLength):
                    self._add_ragged(partition.key, int64, feature)

    def _add_sparse(self, key: Any, dtype: DType) -> None:
        rule = Sparse(_text(key), _kind(dtype, _SPARSE))
        known = self._sparse.setdefault(key, rule)
        if known.kind is not rule.kind:
            raise ValueError(f"Conflicting type {known.kind.dtype} vs {dtype} for feature {key}.")

    def _add_positioned(self, key: Any, feature: SparseFeature) -> None:
        if not feature.index_key:
            raise ValueError(f"Missing index_key for SparseFeature {feature}.")
        if not feature.value_key:
            raise ValueError(f"Missing value_key for SparseFeature {feature}.")
        _require_dtype(key, feature)
        indices = [feature.index_key] if isinstance(feature.index_key, str) else feature.index_key
        if len(indices) > 1:
            _logger.warning(
                "tf.io.SparseFeature: use tf.io.VarLenFeature instead where possible; it has no index keys."
            )
        for index_key in sorted(indices):
            self._add_sparse(index_key, int64)
        self._add_sparse(feature.value_key, as_dtype(feature.dtype))

    def _add_ragged(self, key: Any, dtype: DType, feature: RaggedFeature) -> None:
        splits: Any = feature.row_splits_dtype
        rule = Ragged(_text(key), _kind(dtype, _RAGGED), splits.as_numpy_dtype)
        known = self._ragged.setdefault(key, rule)
        if known.kind is not rule.kind:
            raise ValueError(f"Conflicting type {known.kind.dtype} vs {dtype} for feature {key}.")
        if known.splits is not rule.splits:
            raise ValueError(f"Conflicting partition type {as_dtype(known.splits)} vs {splits} for feature {key}.")

    def _require_disjoint(self, noun: str, some: Mapping[Any, Any], other: str, others: Mapping[Any, Any]) -> None:
        if shared := some.keys() & others.keys():
            raise ValueError(
                f"{noun} and {other} keys must not intersect; {noun.lower()}_keys: {list(some)}, {other}_keys: "
                f"{list(others)}, intersection: {shared}"
            )


def _dense(key: Any, feature: FixedLenFeature, place: int) -> Dense:
    dtype, shape = _described(key, feature)
    if shape.rank and shape[0] is None:
        raise ValueError(
            f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature. Received "
            f"feature={feature}."
        )
    if not shape.is_fully_defined():
        raise ValueError(f"All dimensions of shape for feature {key} need to be known but received {feature.shape!s}.")
    dims = _known(shape)
    return Dense(_text(key), _kind(dtype, _DENSE), dims, _default(feature.default_value, dtype, dims, place))


def _default(value: Any, dtype: DType, dims: tuple[int, ...], place: int) -> np.ndarray | None:
    """The values in place of those of a missing feature; None if every example must have the feature."""
    if value is None:
        return None
    if not isinstance(value, Tensor):
        with apart():
            found = reshape(convert_to_tensor(value, dtype), dims).__array__()
    else:
        found = convert_to_tensor(value, dtype).__array__()
        if found.shape != dims:
            raise InvalidArgumentError.of(
                f"def_value[{place}].shape() == {_listed(found.shape)} is not compatible with dense_shapes_[{place}] "
                f"== {_listed(dims)}"
            )
    return found.ravel() if found.size else None


def _padded(key: Any, feature: FixedLenSequenceFeature) -> Padded:
    dtype, shape = _described(key, feature)
    if not shape.is_fully_defined():
        raise ValueError(f"All dimensions of shape for feature {key} need to be known but received {feature.shape!s}.")
    padding = b"" if dtype is string else 0
    if feature.default_value is not None:
        with apart():
            padding = reshape(convert_to_tensor(feature.default_value, dtype), []).__array__()[()]
    return Padded(_text(key), _kind(dtype, _DENSE), _known(shape), padding, bool(feature.allow_missing))


def _described(key: Any, feature: Any) -> tuple[DType, TensorShape]:
    _require_dtype(key, feature)
    if feature.shape is None:
        raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
    return as_dtype(feature.dtype), TensorShape(feature.shape)


def _require_dtype(key: Any, feature: Any) -> None:
    if not feature.dtype:
        raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")


def _kind(dtype: DType, attribute: str) -> Kind:
    if dtype not in KINDS:
        raise InvalidArgumentError.of(
            f"Value for attr '{attribute}' of {dtype.name} is not in the list of allowed values: float, int64, string"
        )
    return KINDS[dtype]


def _known(shape: TensorShape) -> tuple[int, ...]:
    """The sizes of a shape without unknown ones."""
    return tuple(size for size in shape.as_list() if size is not None)


def _listed(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"


def _as_bytes(key: Any) -> bytes:
    return key if isinstance(key, bytes) else key.encode()


def _text(key: Any) -> str:
    return key.decode(errors="replace") if isinstance(key, bytes) else key
