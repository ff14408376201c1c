"""`tf.__internal__.feature_column`: classes of feature columns, for questions about them."""

from tfcompat._keras.feature_column import (
    DenseColumn,
    FeatureColumn,
    FeatureTransformationCache,
    SequenceDenseColumn,
    StateManager,
    deserialize_feature_column,
    serialize_feature_column,
)

__all__ = [
    "DenseColumn",
    "FeatureColumn",
    "FeatureTransformationCache",
    "SequenceDenseColumn",
    "StateManager",
    "deserialize_feature_column",
    "serialize_feature_column",
]
