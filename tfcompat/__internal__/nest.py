"""`tf.__internal__.nest`: structures that are followed to the leaves of a shallow structure."""

from tfcompat._keras.shallow_nest import (
    flatten_up_to,
    get_traverse_shallow_structure,
    is_attrs,
    is_mapping,
    list_to_tuple,
    map_structure_up_to,
    sequence_like,
    yield_flat_paths,
)

__all__ = [
    "flatten_up_to",
    "get_traverse_shallow_structure",
    "is_attrs",
    "is_mapping",
    "list_to_tuple",
    "map_structure_up_to",
    "sequence_like",
    "yield_flat_paths",
]
