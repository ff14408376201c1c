"""The classes of TensorFlow's feature columns, which Keras 2 asks about; tfcompat has no feature columns."""

from __future__ import annotations

from abc import ABC
from typing import Any, NoReturn

_WAY_OUT = "feature columns are not supported; use Keras preprocessing layers."


class FeatureColumn(ABC):  # noqa: B024  # only its subclasses have methods
    """A feature column. Source: TF 2.21 `tf.__internal__.feature_column.FeatureColumn`."""


class DenseColumn(FeatureColumn, ABC):
    """A column of dense tensors. Source: TF 2.21 `tf.__internal__.feature_column.DenseColumn`."""


class SequenceDenseColumn(FeatureColumn, ABC):
    """A column of sequences. Source: TF 2.21 `tf.__internal__.feature_column.SequenceDenseColumn`."""


class StateManager:
    """The owner of the variables of columns. Source: TF 2.21 `tf.__internal__.feature_column.StateManager`."""

    def create_variable(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError: subclasses define it."""
        del args, kwargs
        raise NotImplementedError("StateManager.create_variable")

    def get_variable(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError: subclasses define it."""
        del args, kwargs
        raise NotImplementedError("StateManager.get_variable")


class FeatureTransformationCache:
    """The inputs of columns. Raises NotImplementedError.

    Source: TF 2.21 `tf.__internal__.feature_column.FeatureTransformationCache`.
    """

    def __init__(self, features: Any) -> None:
        del features
        raise NotImplementedError(f"tf.__internal__.feature_column.FeatureTransformationCache: {_WAY_OUT}")


def serialize_feature_column(fc: Any) -> NoReturn:
    """Raises NotImplementedError. Source: TF 2.21 `tf.__internal__.feature_column.serialize_feature_column`."""
    raise NotImplementedError(f"tf.__internal__.feature_column.serialize_feature_column of {fc!r}: {_WAY_OUT}")


def deserialize_feature_column(config: Any, custom_objects: Any = None, columns_by_name: Any = None) -> NoReturn:
    """Raises NotImplementedError. Source: TF 2.21 `tf.__internal__.feature_column.deserialize_feature_column`."""
    del custom_objects, columns_by_name
    raise NotImplementedError(f"tf.__internal__.feature_column.deserialize_feature_column of {config!r}: {_WAY_OUT}")
