"""The node that parses `tf.train.Example` messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.types.dtype import int64, string
from tfcompat._data.format.feature import FixedLenFeature, FixedLenSequenceFeature, VarLenFeature
from tfcompat._data.function.graph import HostStep
from tfcompat._saved_model.messages.refusal import Unsaved
from tfcompat._saved_model.nodes.node_writer import NodeWriter, Value


def example_values(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """The outputs of the node `ParseExampleV2` for a step of `tf.io.parse_example`."""
    features = step.arguments["features"]
    keys = sorted(features)
    dense = [key for key in keys if isinstance(features[key], (FixedLenFeature, FixedLenSequenceFeature))]
    sparse = [key for key in keys if isinstance(features[key], VarLenFeature)]
    if len(dense) + len(sparse) < len(keys):
        raise Unsaved("io.parse_example of other features than FixedLenFeature, FixedLenSequenceFeature, VarLenFeature")
    types = [features[key].dtype for key in sparse]
    kinds = [features[key].dtype for key in dense]
    found = writer.add(
        "ParseExampleV2",
        [
            inputs[0],
            writer.constant(np.array([], object), string),
            _texts(writer, sparse),
            _texts(writer, dense),
            _texts(writer, []),
            [_default(writer, features[key]) for key in dense],
        ],
        [*[int64] * len(sparse), *types, *[int64] * len(sparse), *kinds],
        {
            "num_sparse": ("i", len(sparse)),
            "sparse_types": ("list_type", types),
            "ragged_value_types": ("list_type", []),
            "ragged_split_types": ("list_type", []),
            "dense_shapes": ("list_shape", [_shape(features[key]) for key in dense]),
        },
    )
    count = len(sparse)
    parts = {key: [found[place], found[count + place], found[2 * count + place]] for place, key in enumerate(sparse)}
    parts |= {key: [found[3 * count + place]] for place, key in enumerate(dense)}
    return [value for key in keys for value in parts[key]]


def _texts(writer: NodeWriter, keys: Sequence[Any]) -> Value:
    texts = [key.encode() if isinstance(key, str) else key for key in keys]
    return writer.constant(np.array([*texts, None], object)[:-1], string)


def _shape(feature: Any) -> list[Any]:
    sizes = list(feature.shape) if isinstance(feature.shape, (list, tuple)) else feature.shape
    sizes = sizes if isinstance(sizes, list) else [sizes] if isinstance(sizes, int) else sizes.as_list()
    return [None, *sizes] if isinstance(feature, FixedLenSequenceFeature) else sizes


def _default(writer: NodeWriter, feature: Any) -> Value:
    """The value for examples without the feature; an empty one for a feature that all examples must have."""
    kind = object if feature.dtype is string else feature.dtype.as_numpy_dtype
    if feature.default_value is None:
        return writer.constant(np.array([], kind), feature.dtype)
    given = np.asarray(feature.default_value)
    if feature.dtype is string:
        flat = [each.encode() if isinstance(each, str) else each for each in given.ravel().tolist()]
        given = np.array([*flat, None], object)[:-1].reshape(given.shape)
    if isinstance(feature, FixedLenFeature):
        given = np.broadcast_to(given, _shape(feature)) if given.size == 1 else given.reshape(_shape(feature))
    return writer.constant(given.astype(kind), feature.dtype)
