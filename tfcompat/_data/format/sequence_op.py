"""Parsing of serialized `tf.train.SequenceExample` messages: `tf.io.parse_sequence_example`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import found_early
from tfcompat._core.types.dtype import string
from tfcompat._data.format.composite import as_tensor, composed
from tfcompat._data.format.example_op import scalar_of, serialized_strings
from tfcompat._data.format.example_spec import example_specs, length_specs, sequence_specs
from tfcompat._data.format.feature import FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, VarLenFeature
from tfcompat._data.format.schema import Schema
from tfcompat._data.format.sequence import parse_sequences

_IN_CONTEXT = (VarLenFeature, FixedLenFeature, RaggedFeature)
_IN_LISTS = (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)


@by_row("serialized", specs=lambda **given: _specs(**given))
def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[Any, Any], dict[Any, Any], dict[Any, Tensor]]:
    """The features of the context and of the lists in the `serialized` `tf.train.SequenceExample` messages.

    A third dictionary has the lengths of the lists that are dense. `context_features` and `sequence_features` are
    dictionaries of descriptions, such as `tf.io.FixedLenFeature`; the `example_names` are used in errors.

    Shapes: [n] -> of the context: as `tf.io.parse_example`; of lists: dense: [n, most, *shape]; sparse: [n, most,
      most]; ragged: [n, None, None].
    Dtypes: string -> those of the features: float32, int64 or string; lengths int64.
    Gradient: None.
    Raises: ValueError if there are no features, or they do not fit together; InvalidArgumentError if a message is
      broken, lacks a feature that is required, or holds another dtype or number of values.
    Source: TF 2.21 `tf.io.parse_sequence_example`.
    """
    del name
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one should have values."
        )
    context, lists = sequence_schemas(context_features, sequence_features)
    texts = serialized_strings("io.parse_sequence_example", serialized)
    rows = texts.__array__().ravel().tolist()
    names = _names(example_names, len(rows))
    found = parse_sequences(rows, context.rules, lists.rules, names, is_batch=texts.ndim > 0)
    return (
        composed(context.given, dict(zip(context.keys, map(as_tensor, found.context), strict=True))),
        composed(lists.given, dict(zip(lists.keys, map(as_tensor, found.lists), strict=True))),
        dict(zip(lists.dense_keys, map(as_tensor, found.lengths), strict=True)),
    )


def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """The features of the context and of the lists in one `serialized` `tf.train.SequenceExample` message.

    Shapes: [] -> of the context: as `tf.io.parse_single_example`; of lists: dense: [length, *shape]; sparse: [length,
      most]; ragged: [length, None].
    Dtypes: string -> those of the features: float32, int64 or string.
    Gradient: None.
    Raises: ValueError if serialized is not a scalar; the errors of `tf.io.parse_sequence_example`.
    Source: TF 2.21 `tf.io.parse_single_sequence_example`.
    """
    if not (context_features or sequence_features):
        raise ValueError("Both context_features and sequence_features are None, but at least one should have values.")
    # The features are examined before the strings.
    sequence_schemas(context_features, sequence_features)
    text = scalar_of("io.parse_single_sequence_example", serialized)
    return parse_sequence_example(text, context_features, sequence_features, example_name, name)[:2]


def _specs(serialized: Any, context_features: Any, sequence_features: Any, **_: Any) -> tuple[dict[Any, Any], ...]:
    context, lists = sequence_schemas(context_features, sequence_features)
    batch = serialized_strings("io.parse_sequence_example", serialized).shape.as_list()
    return example_specs(context, batch), sequence_specs(lists, batch), length_specs(lists, batch)


def sequence_schemas(
    context_features: Mapping[Any, Any] | None, sequence_features: Mapping[Any, Any] | None
) -> tuple[Schema, Schema]:
    """The rules of the context and of the lists. Raises ValueError if features do not fit together."""
    context, lists = Schema(context_features, _IN_CONTEXT), Schema(sequence_features, _IN_LISTS)
    for key, feature in lists.given.items():
        if isinstance(feature, FixedLenSequenceFeature) and feature.default_value is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
    return context, lists


def _names(example_names: Any, count: int) -> Sequence[str] | None:
    if example_names is None or (isinstance(example_names, list | tuple) and not example_names):
        return None
    names = convert_to_tensor(example_names, string).__array__().ravel().tolist()
    if len(names) != count:
        raise found_early("example_names must be empty or have the correct number of elements")
    return [name.decode(errors="replace") for name in names]
