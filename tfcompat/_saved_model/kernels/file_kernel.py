"""Kernels that read files, and that decode images and messages of examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.system.error import DataLossError
from tfcompat._data.format.example_op import parse_example
from tfcompat._data.format.feature import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    VarLenFeature,
)
from tfcompat._data.format.file import read_file
from tfcompat._data.format.image_decoding import decode_bmp, decode_gif, decode_image, decode_jpeg, decode_png
from tfcompat._data.format.image_encoding import encode_jpeg, encode_png
from tfcompat._saved_model.kernels.library import Frame, Kernel, attributes
from tfcompat._saved_model.kernels.plan import Step


def _converting(function: Callable[..., Any], *accepted: str) -> Kernel:
    """The kernel that decodes or encodes an image by `function`, with the attributes `accepted`."""

    def run(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
        del frame
        return [function(inputs[0], **attributes(step, dict.fromkeys(accepted)))]

    return run


def _read(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`ReadFile`: the content of a file."""
    del frame, step
    return [read_file(inputs[0])]


def _keys(value: Any) -> list[bytes]:
    """The names of features, as the values of a tensor."""
    return np.asarray(convert_to_tensor(value)).ravel().tolist()


def _dense(step: Step, place: int, dtype: Any, default: Any) -> Any:
    """The description of a dense feature; the first size of a sequence is open."""
    shape = step.attribute("dense_shapes")[place]
    given = np.asarray(convert_to_tensor(default))
    if shape.rank and shape.as_list()[0] is None:
        filling = given.item() if given.size else None
        return FixedLenSequenceFeature(shape.as_list()[1:], dtype, allow_missing=True, default_value=filling)
    return FixedLenFeature(shape.as_list(), dtype, given if given.size else None)


def _parsed(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`ParseExampleV2`: sparse, dense and ragged features, each kind in the order of its keys."""
    del frame
    texts, names, *keys = inputs[:5]
    sparse, dense, ragged = map(_keys, keys)
    defaults = inputs[5:]
    types = step.attribute("sparse_types", []), step.attribute("Tdense", []), step.attribute("ragged_value_types", [])
    splits = step.attribute("ragged_split_types", [])
    if [len(sparse), len(dense), len(ragged)] != [len(each) for each in types] or len(defaults) != len(dense):
        raise DataLossError.of(f"{step.subject} is corrupted: it has other numbers of features and types")
    features: dict[str, Any] = {key.decode(): VarLenFeature(dtype) for key, dtype in zip(sparse, types[0], strict=True)}
    for place, key in enumerate(dense):
        features[key.decode()] = _dense(step, place, types[1][place], defaults[place])
    for key, dtype, split in zip(ragged, types[2], splits, strict=True):
        features[key.decode()] = RaggedFeature(dtype, row_splits_dtype=split)
    given = convert_to_tensor(names)
    found = parse_example(texts, features, given if given._aval.size else None)
    sparse_values = [found[key.decode()] for key in sparse]
    ragged_values = [found[key.decode()] for key in ragged]
    return [
        *[each.indices for each in sparse_values],
        *[each.values for each in sparse_values],
        *[each.dense_shape for each in sparse_values],
        *[found[key.decode()] for key in dense],
        *[each.values for each in ragged_values],
        *[each.row_splits for each in ragged_values],
    ]


_OF_ENCODED_JPEG = (
    *("format", "quality", "progressive", "optimize_size", "chroma_downsampling", "density_unit"),
    *("x_density", "y_density", "xmp_metadata"),
)
_OF_JPEG = ["channels", "ratio", "fancy_upscaling", "try_recover_truncated", "acceptable_fraction", "dct_method"]
FILE_KERNELS: dict[str, Kernel] = {
    "DecodeBmp": _converting(decode_bmp, "channels"),
    "DecodeGif": _converting(decode_gif),
    "DecodeImage": _converting(decode_image, "channels", "dtype", "expand_animations"),
    "DecodeJpeg": _converting(decode_jpeg, *_OF_JPEG),
    "DecodePng": _converting(decode_png, "channels", "dtype"),
    "EncodeJpeg": _converting(encode_jpeg, *_OF_ENCODED_JPEG),
    "EncodePng": _converting(encode_png, "compression"),
    "ParseExampleV2": _parsed,
    "ReadFile": _read,
}
