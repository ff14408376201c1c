"""`tf.train`: the messages in files of records."""

import typing as _typing

from tfcompat._data.format.message import with_messages as _with_messages
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.absence import directory as _directory

__all__ = [
    "BytesList",
    "Example",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "SequenceExample",
]

if _typing.TYPE_CHECKING:
    BytesList: _typing.Any
    Example: _typing.Any
    Feature: _typing.Any
    FeatureList: _typing.Any
    FeatureLists: _typing.Any
    Features: _typing.Any
    FloatList: _typing.Any
    Int64List: _typing.Any
    SequenceExample: _typing.Any
else:
    __getattr__, __dir__ = _with_messages(__name__, _absence(__name__)), _directory(__name__)
