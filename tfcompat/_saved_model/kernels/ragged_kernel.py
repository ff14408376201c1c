"""Kernels of ragged tensors, and those of strings whose results have rows of different lengths."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.system.error import DataLossError
from tfcompat._ops.ragged.counting import bincount
from tfcompat._ops.ragged.sequence import range as ragged_range
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.text.ngram import ngrams
from tfcompat._ops.text.row import cut
from tfcompat._ops.text.splitting import bytes_split, split
from tfcompat._ops.text.unicode import unicode_decode_with_offsets, unicode_encode
from tfcompat._saved_model.kernels.library import Frame, Kernel
from tfcompat._saved_model.kernels.plan import Step


def _parts(ragged: RaggedTensor) -> list[Any]:
    """The coordinates of the values, the values, and the bounding shape: as of a sparse tensor."""
    sparse = ragged.to_sparse()
    return [sparse.indices, sparse.values, sparse.dense_shape]


def _split(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    return _parts(split(inputs[0], inputs[1], step.attribute("maxsplit", -1)))


def _split_at_each(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`StringSplit`: each byte of the delimiter separates parts; without one, each byte is a part."""
    del frame
    delimiter = convert_to_tensor(inputs[1]).numpy()
    if not delimiter:
        return _parts(bytes_split(inputs[0]))
    separators = re.compile(b"[" + re.escape(delimiter) + b"]")
    keeps_empty = not step.attribute("skip_empty", True)

    def parts(text: bytes) -> list[bytes]:
        found = separators.split(text) if text else []
        return found if keeps_empty else list(filter(None, found))

    return _parts(cut(step.subject, inputs[0], parts))


def _decoded(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`UnicodeDecodeWithOffsets`: the splits of rows, the characters, and the places of their first bytes."""
    del frame
    codes, starts = unicode_decode_with_offsets(
        inputs[0],
        step.attribute("input_encoding"),
        step.attribute("errors", "replace"),
        step.attribute("replacement_char", 65533),
        step.attribute("replace_control_characters", False),
    )
    splits = step.attribute("Tsplits", codes.row_splits.dtype)
    return [codes.with_row_splits_dtype(splits).row_splits, codes.values, starts.values]


def _decoded_only(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    return _decoded(frame, step, inputs)[:2]


def _encoded(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    codes = RaggedTensor.from_row_splits(inputs[0], inputs[1])
    replacement = step.attribute("replacement_char", 65533)
    return [unicode_encode(codes, step.attribute("output_encoding"), step.attribute("errors", "replace"), replacement)]


def _runs(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`StringNGrams`: the runs of strings in rows, and the splits of these rows."""
    del frame
    rows = RaggedTensor.from_row_splits(inputs[0], inputs[1])
    pads = (step.attribute("left_pad", ""), step.attribute("right_pad", ""))
    width = step.attribute("pad_width", 0)
    found = ngrams(
        rows,
        step.attribute("ngram_widths"),
        step.attribute("separator", " "),
        pads if any(pads) else None,
        None if width < 0 or not any(pads) else width,
        step.attribute("preserve_short_sequences", False),
    )
    return [found.values, found.with_row_splits_dtype(inputs[1].dtype).row_splits]


def _padded(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`RaggedTensorToTensor`: rows as a dense tensor of a shape."""
    del frame
    shape, values, default, *partitions = inputs
    kinds = step.attribute("row_partition_types", [])
    if len(kinds) != len(partitions) or len(kinds) < 1 + (kinds[:1] == ["FIRST_DIM_SIZE"]):
        raise DataLossError.of(f"{step.subject} is corrupted: {kinds} are not the kinds of its inputs")
    rows = None
    if kinds[0] == "FIRST_DIM_SIZE":
        rows, kinds, partitions = partitions[0], kinds[1:], partitions[1:]
    ragged = convert_to_tensor(values)
    for place in reversed(range(len(kinds))):
        if kinds[place] == "ROW_SPLITS":
            ragged = RaggedTensor.from_row_splits(ragged, partitions[place])
        elif kinds[place] == "VALUE_ROWIDS":
            # Only the number of outer rows is known beside the numbers of rows of values.
            ragged = RaggedTensor.from_value_rowids(ragged, partitions[place], None if place else rows)
        else:
            raise DataLossError.of(f"{step.subject} is corrupted: there are no partitions {kinds[place]!r}")
    return [ragged.to_tensor(default, shape=convert_to_tensor(shape))]


def _nested(splits: Sequence[Any], values: Any) -> RaggedTensor:
    return RaggedTensor.from_nested_row_splits(values, list(splits))


def _sparse(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`RaggedTensorToSparse`."""
    del frame, step
    return _parts(_nested(inputs[:-1], inputs[-1]))


def _ranges(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`RaggedRange`: the splits and the values of ranges."""
    del frame
    found = ragged_range(*inputs, row_splits_dtype=step.attribute("Tsplits", None) or "int64")
    return [found.row_splits, found.values]


def _counted(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`RaggedBincount`: the counts of the numbers below a size in each row; those of other numbers are lost."""
    del frame
    splits, values, size, weights = map(convert_to_tensor, inputs)
    is_binary = step.attribute("binary_output", False)
    has_weights = not is_binary and weights._aval.size != 0
    found = bincount(
        RaggedTensor.from_row_splits(values, splits),
        weights if has_weights else None,
        minlength=size,
        maxlength=size,
        dtype=weights.dtype,
        axis=-1,
        binary_output=is_binary,
    )
    return [found]


RAGGED_KERNELS: dict[str, Kernel] = {
    "RaggedBincount": _counted,
    "RaggedRange": _ranges,
    "RaggedTensorToSparse": _sparse,
    "RaggedTensorToTensor": _padded,
    "StringNGrams": _runs,
    "StringSplit": _split_at_each,
    "StringSplitV2": _split,
    "UnicodeDecode": _decoded_only,
    "UnicodeDecodeWithOffsets": _decoded,
    "UnicodeEncode": _encoded,
}
