"""Image resizing: `tf.image.resize` with each of its methods, and resizing with padding."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import ElementTrace, by_row, element_trace, is_within_elements
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, integers, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UntraceableError, found_early
from tfcompat._core.tracing.constancy import constant_at, size_value, step_at
from tfcompat._core.types.dtype import (
    bfloat16,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
)
from tfcompat._jaxpr.size import has_symbols
from tfcompat._ops.image import resampling
from tfcompat._ops.image.cropping import boxed, pad_to_bounding_box, positive_target
from tfcompat._ops.image.host_resampling import resampled_by_host
from tfcompat._ops.image.resampling import Taps
from tfcompat._ops.image.shape import as_image, extents

PIXELS = frozenset((uint8, int8, uint16, int16, int32, int64, float16, bfloat16, float32, float64))


class ResizeMethod:
    """The names of the methods of `tf.image.resize`.

    Source: TF 2.21 `tf.image.ResizeMethod`.
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


@dispatched
def resize(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """`images` resized to the height and width in `size`, or to fit in it if `preserve_aspect_ratio`.

    `method` is one of `ResizeMethod`. With `antialias`, the methods that use a kernel blur when shrinking; as in
    TensorFlow, it has no effect on "nearest" and "area".

    Shapes: [batch, height, width, channels] -> [batch, *size, channels]; the same without batch.
    Dtypes: uint8 to int64 except uint32, and floating -> float32; the same for "nearest".
    Gradient: LookupError for "area", None for "bicubic" of 16-bit types. Second derivative: None for "bilinear" without
      antialias, LookupError for the other methods.
    Raises: ValueError for another rank or method, or a size other than two int32; InvalidArgumentError unless it is >
      0.
    Source: TF 2.21 `tf.image.resize`.
    """
    tensor = convert_to_tensor(images)
    if tensor.ndim not in (3, 4):
        raise ValueError(f"tf.image.resize: images must have rank 3 or 4, got shape {tensor._aval.shape}.")
    trace = element_trace()
    if trace is not None and (has_symbols(tensor._aval.shape) or _differs(size)):
        return _resize_by_row(trace, tensor, size, method, bool(preserve_aspect_ratio), bool(antialias))
    if has_symbols(tensor._aval.shape) and is_within_elements():
        raise UntraceableError("tf.image.resize of an open size is computed by the host")
    height, width = size_of(size)
    if preserve_aspect_ratio:
        height, width = fitting(extents(tensor), (height, width))
    if method == "nearest":
        return _resize_nearest(tensor, height, width, name=name)
    if method == "area":
        return _resize_area(tensor, height, width, name=name)
    if method == "bilinear" and not antialias:
        return _resize_bilinear(tensor, height, width, name=name)
    if method == "bicubic" and not antialias:
        is_short = tensor.dtype.size == 2
        return (_resize_bicubic_short if is_short else _resize_bicubic)(tensor, height, width, name=name)
    return _resize_by_kernel(tensor, height, width, _kernel(method), antialias, name=name)


def _differs(size: Any) -> bool:
    """Whether `size`, or a part of it, is computed from the values or the open sizes of an element."""
    parts = [part for part in (size if isinstance(size, (list, tuple)) else (size,)) if isinstance(part, Tensor)]
    values = [size_value(part) for part in parts if part._is_symbolic()]
    return any(value is None or value.dtype == object for value in values)


def _fixed(size: Tensor) -> Sequence[int | None]:
    """The height and the width in `size`, None for those that differ from element to element."""
    if not size._is_symbolic():
        return np.asarray(size).tolist()
    step = step_at(size._trace, size._slot)
    if step.op is None or step.op.name != "stack" or step.op.label:
        return [None, None]
    values = [constant_at(size._trace, part) for part in step.inputs]
    return [None if value is None or value.dtype == object else value.item() for value in values]


def size_of(size: Any) -> tuple[int, int]:
    """A height and a width. Raises ValueError unless they are a vector of two int32."""
    try:
        vector = convert_to_tensor(size, int32)
    except (TypeError, ValueError) as refused:
        raise ValueError(f"tf.image.resize: size must be two int32, got {size!r}.") from refused
    if vector._aval.shape != (2,):
        raise ValueError(f"tf.image.resize: size must be two int32, got {size!r}.")
    return integers(vector)


def fitting(now: tuple[int, int], limit: tuple[int, int]) -> tuple[int, int]:
    """The largest size with the proportions of `now` that is no larger than `limit`."""
    current = np.array(now, np.float32)
    scale = (np.array(limit, np.float32) / current).min()
    height, width = np.rint(scale * current).astype(np.int32).tolist()
    return height, width


def require_pixels_and_size(images: Any, height: int, width: int, **_: Any) -> None:
    if height <= 0 or width <= 0:
        raise found_early(f"tf.image.resize: size must be positive, got ({height}, {width}).")
    if 0 in images.shape[-3:]:
        raise InvalidArgumentError.of(f"tf.image.resize: images must have pixels, got shape {images.shape}.")


def resized(images: Array, height: int, width: int, rule: Callable[[int, int], Taps]) -> Array:
    """`images`, one or a batch, with sums along both axes; `rule` gives the sums for an old and a new size."""
    batch = images.reshape((-1, *images.shape[-3:]))
    done = resampling.resample(batch, rule(batch.shape[1], height), rule(batch.shape[2], width))
    return done.reshape((*images.shape[:-3], *done.shape[1:]))


@op("image.resize", dtypes=PIXELS, validate=require_pixels_and_size, no_second="")
def _resize_bilinear(images: Array, height: int, width: int) -> Array:
    return resized(images.astype(np.float32), height, width, resampling.bilinear)


@op("image.resize", dtypes=PIXELS, validate=require_pixels_and_size, no_second="ResizeNearestNeighborGrad")
def _resize_nearest(images: Array, height: int, width: int) -> Array:
    return resized(images, height, width, resampling.nearest)


@op("image.resize", dtypes=PIXELS, validate=require_pixels_and_size, no_second="ResizeBicubicGrad")
def _resize_bicubic(images: Array, height: int, width: int) -> Array:
    return resized(images.astype(np.float32), height, width, resampling.bicubic)


@op("image.resize", dtypes=PIXELS, validate=require_pixels_and_size, differentiable=False)
def _resize_bicubic_short(images: Array, height: int, width: int) -> Array:
    """TensorFlow's gradient supports float32 and float64 only."""
    return resized(images.astype(np.float32), height, width, resampling.bicubic)


@op("image.resize", dtypes=PIXELS, validate=require_pixels_and_size, no_gradient="ResizeArea")
def _resize_area(images: Array, height: int, width: int) -> Array:
    return resized(images.astype(np.float32), height, width, resampling.area)


@op("image.resize", dtypes=PIXELS, validate=require_pixels_and_size, no_second="ScaleAndTranslateGrad")
def _resize_by_kernel(images: Array, height: int, width: int, kernel: str, antialias: bool) -> Array:
    rule = functools.partial(resampling.kernel, name=kernel, antialias=antialias)
    return resized(images.astype(np.float32), height, width, rule)


def _resize_by_row(
    trace: ElementTrace, images: Tensor, size: Any, method: Any, keeps_ratio: bool, antialias: bool
) -> Tensor:
    """As `resize`, if the sizes of images or of results differ from element to element of a dataset: by NumPy."""
    wanted = convert_to_tensor(size, int32)
    if wanted._aval.shape != (2,):
        raise ValueError(f"tf.image.resize: size must be two int32, got {size!r}.")
    rule = _rule(method, antialias)

    def compute(values: Any, array: np.ndarray, target: np.ndarray) -> list[np.ndarray]:
        del values
        height, width = target.tolist()
        require_pixels_and_size(array, height, width)
        if keeps_ratio:
            height, width = fitting(array.shape[-3:-1], (height, width))
            require_pixels_and_size(array, height, width)
        done = resampled_by_host(array, rule(array.shape[-3], height), rule(array.shape[-2], width))
        return [done if method == "nearest" else done.astype(np.float32, copy=False)]

    sizes = [None, None] if keeps_ratio else _fixed(wanted)
    dims = [*images._aval.shape[:-3], *sizes, images._aval.shape[-1]]
    dtype = images.dtype if method == "nearest" else float32
    given = {"method": method, "keeps_ratio": keeps_ratio, "antialias": antialias}
    inputs, outputs = [images, wanted], [(dims, dtype)]

    def resized_to(array: Tensor, target: Tensor) -> Tensor:
        return resize(array, target, method, keeps_ratio, antialias)

    return trace.hosted("image.resize", compute, inputs, outputs, is_long=True, arguments=given, op=resized_to)[0]


def _rule(method: Any, antialias: bool) -> Callable[[int, int], Taps]:
    """The sums of a method for an old and a new size. Raises ValueError for another method."""
    plain = {"nearest": resampling.nearest, "area": resampling.area}
    if not antialias:
        plain |= {"bilinear": resampling.bilinear, "bicubic": resampling.bicubic}
    if method in plain:
        return plain[method]
    return functools.partial(resampling.kernel, name=_kernel(method), antialias=antialias)


def _kernel(method: Any) -> str:
    """The kernel of a method. Raises ValueError for another one."""
    kernel = {"bilinear": "triangle", "bicubic": "keyscubic"}.get(method, method)
    if kernel not in resampling.KERNELS or method == kernel in ("triangle", "keyscubic"):
        raise ValueError(f"tf.image.resize: method must be one of tf.image.ResizeMethod, got {method!r}.")
    return kernel


def _padded_spec(image: Any, method: Any, **given: Any) -> TensorSpec:
    found = boxed(image, **given)
    keeps = method in (ResizeMethod.NEAREST_NEIGHBOR, "nearest")
    return found if keeps else TensorSpec(found.shape, float32)


@dispatched
@by_row("image", "target_height", "target_width", specs=lambda **given: _padded_spec(**given), if_refused=True)
def resize_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """`image` resized to fit `target_height` and `target_width` with its aspect ratio, and centered in zeros.

    Shapes: [batch, height, width, channels] -> [batch, target_height, target_width, channels]; the same without batch.
    Dtypes: as `tf.image.resize`.
    Raises: ValueError for another rank, no pixels, or a target that isn't positive (InvalidArgumentError for a tensor).
    Source: TF 2.21 `tf.image.resize_with_pad`.
    """
    name = "image.resize_with_pad"
    tensor = as_image(name, image)
    target = np.array(positive_target(name, target_height, target_width))
    if has_symbols(extents(tensor)):
        raise UntraceableError("the height and width of the image")
    current = np.array(extents(tensor), np.float32)
    size = current / (current / target.astype(np.float32)).max()
    margin = np.maximum(np.floor((target.astype(np.float32) - size) / 2), 0).astype(np.int32).tolist()
    done = resize(tensor, np.floor(size).astype(np.int32), method, antialias=antialias)
    return pad_to_bounding_box(done, *margin, *target.tolist())
