"""`tf.compat.v1.audio`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat.audio import decode_wav, encode_wav

__all__ = ["decode_wav", "encode_wav"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
