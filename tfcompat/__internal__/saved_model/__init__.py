"""`tf.__internal__.saved_model`: messages and objects of SavedModels."""

from tfcompat.__internal__.saved_model import load
from tfcompat._saved_model.directories.partial import decode_proto, encode_structure, load_partial
from tfcompat._saved_model.directories.reading import parse_saved_model

__all__ = ["decode_proto", "encode_structure", "load", "load_partial", "parse_saved_model"]
