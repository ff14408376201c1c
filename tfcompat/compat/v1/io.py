"""`tf.compat.v1.io`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat._data.format.record_iterator import tf_record_iterator
from tfcompat._data.format.record_writer import TFRecordCompressionType
from tfcompat._dropin.absence import absence as _absence
from tfcompat._first_version.parsing import decode_csv, decode_raw, parse_example, parse_single_example
from tfcompat.io import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    TFRecordOptions,
    TFRecordWriter,
    VarLenFeature,
    decode_and_crop_jpeg,
    decode_base64,
    decode_bmp,
    decode_compressed,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_json_example,
    decode_png,
    encode_base64,
    encode_jpeg,
    encode_png,
    extract_jpeg_shape,
    gfile,
    is_jpeg,
    matching_files,
    parse_sequence_example,
    parse_single_sequence_example,
    parse_tensor,
    read_file,
    serialize_tensor,
    write_file,
)

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "TFRecordCompressionType",
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
    "tf_record_iterator",
    "write_file",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
