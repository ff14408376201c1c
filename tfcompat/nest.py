"""`tf.nest`: nested structures of Python containers."""

import typing as _typing

from tfcompat._core.types.nest import assert_same_structure, flatten, is_nested, map_structure, pack_sequence_as
from tfcompat._dropin.absence import absence as _absence

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
