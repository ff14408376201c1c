"""Parsing of serialized `tf.train.Example` messages: `tf.io.parse_example`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import Block, by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.dtype import string
from tfcompat._data.format.composite import as_tensor, composed
from tfcompat._data.format.example_spec import example_specs
from tfcompat._data.format.feature import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from tfcompat._data.format.parsing import parse_batch, parse_each, parse_one
from tfcompat._data.format.rule import SparseValue
from tfcompat._data.format.schema import Schema

_ALLOWED = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)


@by_row(
    "serialized",
    specs=lambda serialized, features, **_: _specs(serialized, features),
    block=lambda serialized, features, **_: _block(serialized, features),
)
def parse_example(serialized: Any, features: Any, example_names: Any = None, name: str | None = None) -> dict[Any, Any]:
    """The values of `features` in each of the `serialized` `tf.train.Example` messages.

    `features` is a dictionary of descriptions, such as `tf.io.FixedLenFeature`, by the keys of the messages. The
    `example_names` are used in errors. A scalar is parsed as by `tf.io.parse_single_example`.

    Shapes: [n] -> dense: [n, *shape]; sparse: [n, most]; ragged: [n, None].
    Dtypes: string -> those of the features: float32, int64 or string.
    Gradient: None.
    Raises: ValueError if features are empty or do not fit together; InvalidArgumentError if a message is broken, lacks
      a feature without a default, or holds another dtype or number of values.
    Source: TF 2.21 `tf.io.parse_example`.
    """
    del name
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    schema = example_schema(features)
    texts = serialized_strings("io.parse_example", serialized)
    names = names_of(example_names, texts)
    rows = texts.__array__().ravel().tolist()
    values = parse_batch(rows, schema.rules, names) if texts.ndim else parse_one(rows[0], schema.rules)
    return composed(features, dict(zip(schema.keys, map(as_tensor, values), strict=True)))


def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[Any, Any]:
    """The values of `features` in one `serialized` `tf.train.Example` message; see `tf.io.parse_example`.

    Shapes: [] -> dense: shape; sparse and ragged: [values].
    Dtypes: string -> those of the features: float32, int64 or string.
    Gradient: None.
    Raises: ValueError if serialized is not a scalar; the errors of `tf.io.parse_example`.
    Source: TF 2.21 `tf.io.parse_single_example`.
    """
    if features is None or not features:
        raise ValueError(f"Invalid argument: features cannot be {'None' if features is None else 'empty'}.")
    return parse_example(scalar_of("io.parse_single_example", serialized), features, example_names, name)


def _specs(serialized: Any, features: Any) -> dict[Any, Any]:
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    return example_specs(example_schema(features), serialized_strings("io.parse_example", serialized).shape.as_list())


def _block(serialized: Any, features: Any) -> Block | None:
    """The function that parses several examples at once; None if features depend on other features."""
    if serialized.ndim or any(isinstance(one, SparseFeature | RaggedFeature) for one in features.values()):
        return None
    rules = example_schema(features).rules
    keys = sorted(features)

    def parse(count: int, texts: np.ndarray) -> list[Any]:
        del count
        found = dict(zip(rules, parse_each(texts.tolist(), rules), strict=True))
        columns: list[Any] = []
        for key in keys:
            rows = found[key if isinstance(key, bytes) else key.encode()]
            if isinstance(rows, list) and isinstance(rows[0], SparseValue):
                columns += [list(part) for part in zip(*rows, strict=True)]
            else:
                columns.append(rows)
        return columns

    return parse


def example_schema(features: Mapping[Any, Any]) -> Schema:
    """The rules of features of examples. Raises ValueError if they do not fit together."""
    for feature in features.values():
        if isinstance(feature, FixedLenSequenceFeature) and not feature.allow_missing:
            raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
    return Schema(features, _ALLOWED)


def serialized_strings(name: str, serialized: Any) -> Tensor:
    """`serialized` as a tensor of strings.

    Raises: ValueError if it holds no strings; InvalidArgumentError for a rank above 1.
    """
    texts = serialized if isinstance(serialized, Tensor) else convert_to_tensor(serialized)
    if texts.dtype is not string:
        raise ValueError(
            f"tf.{name}: Tensor conversion requested dtype string for Tensor with dtype {texts.dtype.name}"
        )
    if texts.ndim > 1:
        shape = ",".join(map(str, texts.shape))
        raise InvalidArgumentError.of(f"tf.{name}: Expected serialized to be a scalar or vector, got shape: [{shape}]")
    return texts


def scalar_of(name: str, serialized: Any) -> Tensor:
    """`serialized` as a scalar tensor. Raises ValueError for another shape."""
    texts = serialized if isinstance(serialized, Tensor) else convert_to_tensor(serialized)
    if texts.ndim:
        raise ValueError(f"tf.{name}: Input serialized must be a scalar")
    return texts


def names_of(example_names: Any, texts: Tensor) -> Sequence[str] | None:
    """The names of the examples; None without names. Raises InvalidArgumentError for another number of them."""
    if example_names is None or (isinstance(example_names, list | tuple) and not example_names):
        return None
    names = convert_to_tensor(example_names, string).__array__()
    if names.shape != texts.shape:
        got = [",".join(map(str, shape)) for shape in (names.shape, texts.shape)]
        raise found_early(
            f"Expected names have the same shape as serialized: name.shape=[{got[0]}], serialized.shape=[{got[1]}]"
        )
    return [one.decode(errors="replace") for one in names.ravel().tolist()]
