"""TensorFlow's kernels for ops of images of open sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import float32, float64, int32
from tfcompat._data.function.graph import HostStep
from tfcompat._saved_model.messages.refusal import Unsaved
from tfcompat._saved_model.nodes.node_writer import NodeWriter, Value

_HEIGHT, _WIDTH = -3, -2


def operands(writer: NodeWriter, step: HostStep, inputs: Sequence[Value], names: Sequence[str]) -> list[Value]:
    """The arguments `names` of the op, in the order of its inputs: numbers among them are constants."""
    given = iter(inputs)
    values = [step.arguments[name] for name in names]
    return [next(given) if isinstance(value, Tensor) else writer.constant(value) for value in values]


class _Sizes:
    """Arithmetic with the sizes of images, as nodes."""

    def __init__(self, writer: NodeWriter) -> None:
        self.writer = writer

    def number(self, value: Value | int) -> Value:
        """`value` as an int32."""
        return self.writer.constant(value, int32) if isinstance(value, int) else self.writer.cast(value, int32)

    def of(self, op: str, x: Value | int, y: Value | int) -> Value:
        """The kernel `op` of two int32."""
        return self.writer.one(op, [self.number(x), self.number(y)], int32, shape=())

    def half(self, x: Value, y: Value | int) -> Value:
        """Half of `x - y`, rounded down, and 0 at least."""
        return self.of("Maximum", self.of("FloorDiv", self.of("Sub", x, y), 2), 0)

    def extents(self, images: Value) -> tuple[Value, Value]:
        """The height and the width of images."""
        rank, shape = _rank(images), self.writer.one("Shape", [images], int32, {"out_type": ("type", int32)})
        axis = self.writer.constant(0, int32)
        height, width = [
            self.writer.one("GatherV2", [shape, self.writer.constant(rank + place, int32), axis], int32, shape=())
            for place in (_HEIGHT, _WIDTH)
        ]
        return height, width

    def vector(self, parts: Sequence[Value | int]) -> Value:
        """The int32 `parts` as a vector."""
        return self.writer.one("Pack", [list(map(self.number, parts))], int32, shape=(len(parts),))

    def floats(self, sizes: Sequence[Value]) -> Value:
        """Sizes as a vector of float32."""
        return self.writer.cast(self.vector(sizes), float32)

    def pair(self, sizes: Value) -> tuple[Value, Value]:
        """The two elements of a vector."""
        height, width = self.writer.add("Unpack", [sizes], [int32, int32], {"num": ("i", 2), "axis": ("i", 0)})
        return height, width

    def cropped(self, images: Value, top: Any, left: Any, height: Any, width: Any) -> Value:
        """A box of images."""
        before = [0] * (_rank(images) - 3)
        begin = self.vector([*before, top, left, 0])
        size = self.vector([*[-1 for _ in before], height, width, -1])
        return self.writer.one("Slice", [images, begin, size], images.dtype, shape=images.shape)

    def surrounded(self, images: Value, top: Any, left: Any, height: Any, width: Any) -> Value:
        """Images at a place in zeros of `height` by `width`."""
        above = [self.number(each) for each in (top, left)]
        below = [
            self.of("Sub", self.of("Sub", whole, first), extent)
            for whole, first, extent in zip((height, width), above, self.extents(images), strict=True)
        ]
        pairs = [[0, 0] for _ in range(_rank(images) - 3)]
        rows = [*pairs, [above[0], below[0]], [above[1], below[1]], [0, 0]]
        paddings = self.writer.one("Pack", [list(map(self.vector, rows))], int32)
        return self.writer.one("Pad", [images, paddings], images.dtype, shape=images.shape)

    def resized(self, images: Value, size: Value, method: str, antialias: bool) -> Value:
        """Images resized to the vector `size`."""
        is_one = _rank(images) == 3
        if is_one:
            images = self.writer.one("ExpandDims", [images, self.writer.constant(0, int32)], images.dtype)
        found = _resized(self.writer, images, size, method, antialias)
        axes = {"squeeze_dims": ("list_i", [0])}
        return self.writer.one("Squeeze", [found], found.dtype, axes) if is_one else found


_KERNELS = {
    "bilinear": "ResizeBilinear",
    "nearest": "ResizeNearestNeighbor",
    "bicubic": "ResizeBicubic",
    "area": "ResizeArea",
}


def _resized(writer: NodeWriter, images: Value, size: Value, method: str, antialias: bool) -> Value:
    """The node that resizes a batch of images."""
    op = _KERNELS.get(method)
    if op is None or (antialias and method in ("bilinear", "bicubic")):
        raise Unsaved("image.resize of open sizes with another method, or antialias")
    centred = {} if op == "ResizeArea" else {"half_pixel_centers": ("b", True)}
    return writer.one(op, [images, size], images.dtype if method == "nearest" else float32, centred)


def _rank(images: Value) -> int:
    if images.shape is None:
        raise Unsaved("images of unknown rank")
    return len(images.shape)


def resized(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.image.resize`."""
    images, size = inputs
    sizes, method = _Sizes(writer), step.arguments["method"]
    if step.arguments["keeps_ratio"]:
        now = sizes.floats(sizes.extents(images))
        ratios = writer.one("RealDiv", [writer.cast(size, float32), now], float32)
        scale = writer.one("Min", [ratios, writer.constant(0, int32)], float32, {"keep_dims": ("b", False)})
        wanted = writer.one("Round", [writer.one("Mul", [scale, now], float32)], float32)
        size = writer.cast(wanted, int32)
    return [sizes.resized(images, size, method, step.arguments["antialias"])]


def resized_with_pad(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.image.resize_with_pad`."""
    images, *target = operands(writer, step, inputs, ("image", "target_height", "target_width"))
    sizes = _Sizes(writer)
    now, whole = sizes.floats(sizes.extents(images)), sizes.floats(target)
    ratios = writer.one("RealDiv", [now, whole], float32)
    most = writer.one("Max", [ratios, writer.constant(0, int32)], float32, {"keep_dims": ("b", False)})
    size = writer.one("RealDiv", [now, most], float32)
    half = writer.one("RealDiv", [writer.one("Sub", [whole, size], float32), writer.constant(2.0, float32)], float32)
    margin = writer.one("Maximum", [writer.one("Floor", [half], float32), writer.constant(0.0, float32)], float32)
    method, antialias = step.arguments["method"], step.arguments["antialias"]
    floor = writer.cast(writer.one("Floor", [size], float32), int32)
    done = sizes.resized(images, floor, method, antialias)._replace(shape=images.shape)
    return [sizes.surrounded(done, *sizes.pair(writer.cast(margin, int32)), *target)]


_BOX = ("image", "offset_height", "offset_width", "target_height", "target_width")


def cropped(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.image.crop_to_bounding_box`."""
    return [_Sizes(writer).cropped(*operands(writer, step, inputs, _BOX))]


def surrounded(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.image.pad_to_bounding_box`."""
    return [_Sizes(writer).surrounded(*operands(writer, step, inputs, _BOX))]


def fitted(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.image.resize_with_crop_or_pad`."""
    images, *target = operands(writer, step, inputs, ("image", "target_height", "target_width"))
    sizes = _Sizes(writer)
    pairs = list(zip(sizes.extents(images), target, strict=True))
    starts = [sizes.half(extent, size) for extent, size in pairs]
    kept = [sizes.of("Minimum", extent, size) for extent, size in pairs]
    margins = [sizes.half(size, extent) for extent, size in pairs]
    return [sizes.surrounded(sizes.cropped(images, *starts, *kept), *margins, *target)]


def centre(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.image.central_crop`: the fraction is rounded to float32, as TensorFlow does for open sizes."""
    images, fraction = operands(writer, step, inputs, ("image", "central_fraction"))
    share = writer.cast(writer.cast(fraction, float32), float64)
    sizes = _Sizes(writer)
    starts: list[Value] = []
    kept: list[Value] = []
    for extent in sizes.extents(images):
        whole = writer.cast(extent, float64)
        rest = writer.one("Sub", [whole, writer.one("Mul", [whole, share], float64)], float64)
        start = writer.cast(writer.one("RealDiv", [rest, writer.constant(2.0, float64)], float64), int32)
        starts.append(start)
        kept.append(sizes.of("Sub", extent, sizes.of("Mul", start, 2)))
    return [sizes.cropped(images, *starts, *kept)]


def patches(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.image.extract_patches`, whose padding is that of "VALID" or of "SAME"."""
    names = {"ksizes": "size", "strides": "strides", "rates": "dilations"}
    attributes = {key: ("list_i", [1, *step.arguments[name], 1]) for key, name in names.items()}
    padding = b"VALID" if all(pair == (0, 0) for pair in step.arguments["padding"]) else b"SAME"
    return writer.add("ExtractImagePatches", inputs, step.dtypes, {**attributes, "padding": ("s", padding)})


def suppressed(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.image.non_max_suppression`."""
    return writer.add("NonMaxSuppressionV3", _boxes(writer, step, inputs), step.dtypes)


def suppressed_with_scores(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.image.non_max_suppression_with_scores`."""
    given = [*_boxes(writer, step, inputs), _known(writer, step, "soft_nms_sigma")]
    return writer.add("NonMaxSuppressionV5", given, [*step.dtypes, int32])[:2]


def _boxes(writer: NodeWriter, step: HostStep, inputs: Sequence[Value]) -> list[Value]:
    """Boxes, scores, the greatest number of results, and the thresholds."""
    boxes, scores, count = operands(writer, step, inputs, ("boxes", "scores", "max_output_size"))
    thresholds = [_known(writer, step, name) for name in ("iou_threshold", "score_threshold")]
    return [boxes, scores, writer.cast(count, int32), *thresholds]


def _known(writer: NodeWriter, step: HostStep, name: str) -> Value:
    value = step.arguments[name]
    if isinstance(value, Tensor) and value._is_symbolic():
        raise Unsaved(f"{step.name} with a computed {name}")
    return writer.constant(value.numpy() if isinstance(value, Tensor) else value, float32)
