"""`tf.io`: strings that hold numbers, records and tensors."""

import sys as _sys
import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat._ops.text.csv_record import decode_csv
from tfcompat._ops.text.raw import decode_base64, decode_raw, encode_base64
from tfcompat._ops.text.tensor_message import parse_tensor, serialize_tensor

__all__ = ["decode_base64", "decode_csv", "decode_raw", "encode_base64", "parse_tensor", "serialize_tensor"]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
