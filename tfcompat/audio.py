"""`tf.audio`: sound."""

import typing as _typing

from tfcompat._data.format.audio import decode_wav, encode_wav
from tfcompat._dropin.absence import absence as _absence

__all__ = ["decode_wav", "encode_wav"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
