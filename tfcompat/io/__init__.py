"""`tf.io`: files of records, examples and images, and strings that hold numbers, records and tensors."""

import sys as _sys
import typing as _typing

from tfcompat._data.format.compression_op import decode_compressed
from tfcompat._data.format.example_op import parse_example, parse_single_example
from tfcompat._data.format.feature import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from tfcompat._data.format.file import matching_files, read_file, write_file
from tfcompat._data.format.image_decoding import (
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    decode_webp,
    extract_jpeg_shape,
    is_jpeg,
)
from tfcompat._data.format.image_encoding import encode_jpeg, encode_png
from tfcompat._data.format.json_op import decode_json_example
from tfcompat._data.format.record_writer import TFRecordOptions, TFRecordWriter
from tfcompat._data.format.sequence_op import parse_sequence_example, parse_single_sequence_example
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat._ops.text.csv_record import decode_csv
from tfcompat._ops.text.raw import decode_base64, decode_raw, encode_base64
from tfcompat._ops.text.tensor_message import parse_tensor, serialize_tensor
from tfcompat.io import gfile

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_and_crop_jpeg",
    "decode_base64",
    "decode_bmp",
    "decode_compressed",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_json_example",
    "decode_png",
    "decode_raw",
    "decode_webp",
    "encode_base64",
    "encode_jpeg",
    "encode_png",
    "extract_jpeg_shape",
    "gfile",
    "is_jpeg",
    "matching_files",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_tensor",
    "write_file",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
