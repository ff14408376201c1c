"""TensorFlow's kernels for the ops that the host computes: of strings, of files, and of values that decide shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import integer
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import DType, bool_, int32, int64, string
from tfcompat._data.function.graph import HostStep
from tfcompat._saved_model.messages.refusal import Unsaved
from tfcompat._saved_model.nodes.example_node import example_values
from tfcompat._saved_model.nodes.image_node import (
    centre,
    cropped,
    fitted,
    patches,
    resized,
    resized_with_pad,
    suppressed,
    suppressed_with_scores,
    surrounded,
)
from tfcompat._saved_model.nodes.node_writer import Attributes, NodeWriter, Value
from tfcompat._saved_model.nodes.ragged_node import padded, runs
from tfcompat._saved_model.nodes.size_node import counted, dense, masked, places, unique

Nodes = Callable[[NodeWriter, HostStep, list[Value]], Sequence[Value]]
# The kinds of attributes that are Python values, and the names of those whose kinds are others.
_KINDS = {bool: "b", int: "i", str: "s", bytes: "s"}
_NO_FIELDS: Mapping[str, str] = {}


def host_values(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> list[Value]:
    """The outputs of nodes that compute what `step` does. Raises Unsaved for other ops."""
    nodes = _NODES.get(step.name)
    if nodes is None:
        raise Unsaved(step.name)
    return list(nodes(writer, step, inputs))


def _attributes(step: HostStep, fields: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    """The attributes of a kernel, by name, that are arguments of the op, whose names are the values of `fields`."""
    found: dict[str, tuple[str, Any]] = {}
    for name, argument in fields.items():
        value = step.arguments[argument]
        if isinstance(value, DType):
            found[name] = "type", value
        elif isinstance(value, list):
            found[name] = "list_i", value
        else:
            found[name] = _KINDS[type(value)], value.encode() if isinstance(value, str) else value
    return found


def _kernel(op: str, fields: Mapping[str, str] = _NO_FIELDS, attributes: Attributes | None = None) -> Nodes:
    """The node of a kernel with the inputs of the op."""

    def nodes(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
        return writer.add(op, inputs, step.dtypes, {**_attributes(step, fields), **(attributes or {})})

    return nodes


def _joined(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    return writer.add("StringJoin", [inputs], [string], _attributes(step, {"separator": "separator"}))


def _joined_along(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    axes = writer.constant(list(step.arguments["axis"]), int32)
    attributes = {"keep_dims": ("b", step.arguments["keepdims"]), "separator": ("s", step.arguments["separator"])}
    return writer.add("ReduceJoin", [inputs[0], axes], step.dtypes, attributes)


def _numbers(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    return writer.add("StringToNumber", inputs, step.dtypes, {"out_type": ("type", step.dtypes[0])})


def _split(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.strings.split`, or `tf.split`."""
    if "sep" not in step.arguments:
        return _parts(writer, step, inputs)
    texts, *marks = inputs
    mark = step.arguments["sep"]
    separator = marks[0] if marks else writer.constant(np.asarray(convert_to_tensor(mark or "")))
    most = integer(step.arguments["maxsplit"])
    if texts.shape is None or len(texts.shape) > 1:
        raise Unsaved("strings.split of strings of more than one dimension")
    rows = writer.one("Reshape", [texts, writer.constant([-1], int32)], string)
    dtypes = [int64, string, int64]
    found = writer.add("StringSplitV2", [rows, separator], dtypes, {"maxsplit": ("i", -1 if most is None else most)})
    indices, values, shape = found
    if not texts.shape:
        return [values]
    return [values, _row_splits(writer, indices, shape)]


def _parts(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    sizes, axis = step.arguments["num_or_size_splits"], writer.constant(step.arguments["axis"], int32)
    attributes = {"num_split": ("i", len(step.dtypes))}
    if not isinstance(sizes, (int, list, tuple)):
        raise Unsaved("split into parts of computed sizes")
    if isinstance(sizes, int) or all(size is sizes[0] or size == sizes[0] for size in sizes):
        return writer.add("Split", [axis, inputs[0]], step.dtypes, attributes)
    if not all(isinstance(size, int) for size in sizes):
        raise Unsaved("split into parts of open sizes")
    return writer.add("SplitV", [inputs[0], writer.constant(list(sizes), int32), axis], step.dtypes, attributes)


def _split_bytes(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    del step
    [texts] = inputs
    if texts.shape is None or len(texts.shape) > 1:
        raise Unsaved("strings.bytes_split of strings of more than one dimension")
    rows = writer.one("Reshape", [texts, writer.constant([-1], int32)], string)
    mark = writer.constant(np.array(b"", object))
    indices, values, shape = writer.add(
        "StringSplit", [rows, mark], [int64, string, int64], {"skip_empty": ("b", False)}
    )
    return [values, _row_splits(writer, indices, shape)] if texts.shape else [values]


def _characters(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.strings.unicode_split`: each character is decoded, and encoded alone."""
    [texts] = inputs
    if texts.shape is None or len(texts.shape) > 1:
        raise Unsaved("strings.unicode_split of strings of more than one dimension")
    rows = writer.one("Reshape", [texts, writer.constant([-1], int32)], string)
    encoding = step.arguments["input_encoding"].encode()
    policy = _attributes(step, {"errors": "errors", "replacement_char": "replacement_char"})
    decoding = {**policy, "input_encoding": ("s", encoding), "Tsplits": ("type", int64)}
    splits, codes = writer.add("UnicodeDecode", [rows], [int64, int32], decoding)
    count = writer.one("Size", [codes], int64, {"out_type": ("type", int64)})
    end = writer.one("AddV2", [count, writer.constant(1, int64)], int64)
    every = writer.one("Range", [writer.constant(0, int64), end, writer.constant(1, int64)], int64)
    characters = writer.one("UnicodeEncode", [codes, every], string, {**policy, "output_encoding": ("s", encoding)})
    return [characters, splits] if texts.shape else [characters]


def _row_splits(writer: NodeWriter, indices: Value, shape: Value) -> Value:
    """The bounds of rows in sorted coordinates of a matrix of the shape `shape`."""
    first, place = writer.constant(0, int32), writer.constant(1, int32)
    flat, wide = writer.constant([-1], int32), writer.constant([1, -1], int32)
    rows = writer.one("Reshape", [writer.one("GatherV2", [indices, first, place], int64), wide], int64)
    count = writer.one("GatherV2", [shape, first, first], int64)
    one = writer.constant(1, int64)
    end = writer.one("AddV2", [count, one], int64)
    every = writer.one("Range", [writer.constant(0, int64), end, one], int64)
    bounds = [rows, writer.one("Reshape", [every, wide], int64)]
    found = writer.one("LowerBound", bounds, int64, {"out_type": ("type", int64)})
    return writer.one("Reshape", [found, flat], int64)


def _gathered(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    axis = writer.constant(step.arguments.get("axis", 0), int32)
    attributes = {"batch_dims": ("i", step.arguments.get("batch_dims", 0))}
    return writer.add("GatherV2", [*inputs, axis], step.dtypes, attributes)


def _concatenated(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    return writer.add("ConcatV2", [inputs, writer.constant(step.arguments["axis"], int32)], step.dtypes)


def _stacked(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    return writer.add("Pack", [inputs], step.dtypes, {"axis": ("i", step.arguments.get("axis", 0))})


def _reshaped(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    sizes = [size if isinstance(size, int) else -1 for size in step.arguments.get("shape", (None, None))]
    if sizes.count(-1) > 1:
        raise Unsaved("reshape to several open sizes")
    return writer.add("Reshape", [inputs[0], writer.constant(sizes, int32)], step.dtypes)


def _sliced(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`StridedSlice`: begins and ends of axes are numbers, or positions that are inputs."""
    places = iter(inputs[1:])

    def spelled(end: Any) -> Any:
        return writer.cast(next(places), int32) if isinstance(end, Tensor) else end

    begins: list[Value] = []
    ends: list[Value] = []
    strides: list[int] = []
    masks = dict.fromkeys(("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask"), 0)
    for place, item in enumerate(step.arguments["items"]):
        bit, begin, end, stride = 1 << place, None, None, 1
        if item is None:
            masks["new_axis_mask"] |= bit
        elif isinstance(item, slice):
            if isinstance(item.step, Tensor):
                raise Unsaved("a slice with a computed step")
            begin, end, stride = spelled(item.start), spelled(item.stop), item.step or 1
            masks["begin_mask"] |= bit if begin is None else 0
            masks["end_mask"] |= bit if end is None else 0
        elif isinstance(item, (Tensor, tuple)):
            width = item[1] if isinstance(item, tuple) else None
            begin = writer.cast(next(places), int32)
            end = writer.one("AddV2", [begin, writer.constant(width or 1, int32)], int32)
            masks["shrink_axis_mask"] |= bit if width is None else 0
        else:
            begin, end = item, item + 1
            masks["shrink_axis_mask"] |= bit
            masks["end_mask"] |= bit if item == -1 else 0
        for bounds, bound in ((begins, begin), (ends, end)):
            if not isinstance(bound, (int, Value, type(None))):
                raise Unsaved("a slice of strings up to an open size")
            bounds.append(bound if isinstance(bound, Value) else writer.constant(bound or 0, int32))
        strides.append(stride)
    vectors = [writer.one("Pack", [bounds], int32) for bounds in (begins, ends)]
    attributes = {name: ("i", mask) for name, mask in masks.items()}
    return writer.add("StridedSlice", [inputs[0], *vectors, writer.constant(strides, int32)], step.dtypes, attributes)


def _windowed(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`Slice`: a tensor, or tensors and numbers, say where the window begins, and how large it is."""
    places = iter(inputs[1:])
    bounds: list[Value] = []
    for given in (step.arguments["begin"], step.arguments["size"]):
        if isinstance(given, (list, tuple)):
            parts = [next(places) if isinstance(each, Tensor) else writer.constant(int(each), int32) for each in given]
            bounds.append(writer.one("Pack", [[writer.cast(part, int32) for part in parts]], int32))
        else:
            bounds.append(writer.cast(next(places) if isinstance(given, Tensor) else writer.constant(given), int32))
    return writer.add("Slice", [inputs[0], *bounds], step.dtypes)


def _unstacked(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    attributes = {"num": ("i", len(step.dtypes)), "axis": ("i", step.arguments["axis"])}
    return writer.add("Unpack", inputs, step.dtypes, attributes)


def _looked_up(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    table = step.arguments["self"]
    default = writer.constant(table.default_value.numpy(), table.value_dtype)
    return writer.add("LookupTableFindV2", [writer.handles[id(table)], inputs[0], default], step.dtypes)


def _numbered(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """The lookup in a vocabulary: the number of a known key, or one that the hash of the key selects."""
    table = step.arguments["self"]
    texts = inputs[0] if inputs[0].dtype is string else writer.one("AsString", inputs, string)
    buckets = {"num_buckets": ("i", table._buckets)}
    others = writer.one("StringToHashBucketFast", [texts], int64, buckets)
    if table._table is None:
        return [others]
    others = writer.one("AddV2", [others, writer.constant(table._known(), int64)], int64)
    keys, none = writer.cast(inputs[0], table._table.key_dtype), writer.constant(-1, int64)
    known = writer.one("LookupTableFindV2", [writer.handles[id(table._table)], keys, none], int64)
    is_unknown = writer.one("Equal", [known, none], bool_)
    return writer.add("SelectV2", [is_unknown, others, known], step.dtypes)


def _expanded(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    return writer.add("ExpandDims", [inputs[0], writer.constant(step.arguments["axis"], int32)], step.dtypes)


def _squeezed(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    axis = step.arguments["axis"]
    axes = [] if axis is None else [axis] if isinstance(axis, int) else list(axis)
    return writer.add("Squeeze", inputs, step.dtypes, {"squeeze_dims": ("list_i", axes)})


def _tiled(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    multiples = step.arguments["multiples"]
    if not all(isinstance(each, int) for each in multiples):
        raise Unsaved("tile by an open size")
    return writer.add("Tile", [inputs[0], writer.constant(list(multiples), int32)], step.dtypes)


def _encoded_png(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    level = step.arguments["compression"]
    if isinstance(level, Tensor):
        raise Unsaved("encode_png with a compression that is a tensor")
    return writer.add("EncodePng", inputs, step.dtypes, {"compression": ("i", level)})


def _encoded_jpeg(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    if any(isinstance(step.arguments[name], Tensor) for name in ("quality", "xmp_metadata")):
        raise Unsaved("encode_jpeg with a quality or metadata that are tensors")
    names = (*("format", "quality", "progressive", "optimize_size", "chroma_downsampling", "density_unit"),)
    fields = {name: name for name in (*names, "x_density", "y_density", "xmp_metadata")}
    return writer.add("EncodeJpeg", inputs, step.dtypes, _attributes(step, fields))


_IMAGE = {"channels": "channels"}
_TYPED = {"channels": "channels", "dtype": "dtype"}
_NODES: dict[str, Nodes] = {
    "_coordinates_of": places,
    "_extract": patches,
    "_copied": _kernel("Identity"),
    "add": _kernel("Add"),
    "as_string": _kernel("AsString", {key: key for key in ("precision", "scientific", "shortest", "width", "fill")}),
    "boolean_mask": masked,
    "bytes_split": _split_bytes,
    "central_crop": centre,
    "concat": _concatenated,
    "crop_to_bounding_box": cropped,
    "decode_bmp": _kernel("DecodeBmp", _IMAGE),
    "decode_gif": _kernel("DecodeGif"),
    "decode_image": _kernel("DecodeImage", {**_TYPED, "expand_animations": "expand_animations"}),
    "decode_jpeg": _kernel(
        "DecodeJpeg",
        {
            **_IMAGE,
            **{key: key for key in ("ratio", "fancy_upscaling", "try_recover_truncated", "dct_method")},
        },
    ),
    "decode_png": _kernel("DecodePng", _TYPED),
    "decode_raw": _kernel("DecodeRaw", {"out_type": "out_type", "little_endian": "little_endian"}),
    "encode_jpeg": _encoded_jpeg,
    "encode_png": _encoded_png,
    "equal": _kernel("Equal"),
    "expand_dims": _expanded,
    "gather": _gathered,
    "lookup.StaticHashTable.lookup": _looked_up,
    "lookup.StaticVocabularyTable.lookup": _numbered,
    "range": counted,
    "strided_slice": _sliced,
    "unstack": _unstacked,
    "identity": _kernel("Identity"),
    "image.resize": resized,
    "io.decode_base64": _kernel("DecodeBase64"),
    "io.encode_base64": _kernel("EncodeBase64", {"pad": "pad"}),
    "io.read_file": _kernel("ReadFile"),
    "ngrams": runs,
    "non_max_suppression": suppressed,
    "non_max_suppression_with_scores": suppressed_with_scores,
    "not_equal": _kernel("NotEqual"),
    "parse_example": example_values,
    "pad": _kernel("PadV2"),
    "pad_to_bounding_box": surrounded,
    "reshape": _reshaped,
    "resize_with_crop_or_pad": fitted,
    "resize_with_pad": resized_with_pad,
    "slice_": _windowed,
    "sparse.to_dense": dense,
    "split": _split,
    "squeeze": _squeezed,
    "stack": _stacked,
    "strings.join": _joined,
    "strings.reduce_join": _joined_along,
    "strings.length": _kernel("StringLength", {"unit": "unit"}),
    "strings.lower": _kernel("StringLower", {"encoding": "encoding"}),
    "strings.regex_full_match": _kernel("StaticRegexFullMatch", {"pattern": "pattern"}),
    "strings.regex_replace": _kernel(
        "StaticRegexReplace", {key: key for key in ("pattern", "rewrite", "replace_global")}
    ),
    "strings.strip": _kernel("StringStrip"),
    "strings.substr": _kernel("Substr", {"unit": "unit"}),
    "strings.to_hash_bucket": _kernel("StringToHashBucket", {"num_buckets": "num_buckets"}),
    "strings.to_hash_bucket_fast": _kernel("StringToHashBucketFast", {"num_buckets": "num_buckets"}),
    "strings.to_hash_bucket_strong": _kernel("StringToHashBucketStrong", {"num_buckets": "num_buckets", "key": "key"}),
    "strings.to_number": _numbers,
    "strings.upper": _kernel("StringUpper", {"encoding": "encoding"}),
    "tile": _tiled,
    "to_tensor": padded,
    "unicode_split": _characters,
    "unique": unique,
    "where": _kernel("SelectV2"),
}
