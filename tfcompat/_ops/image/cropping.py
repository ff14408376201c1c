"""Cropping of images, and padding to larger images.

The start of a part is a value: a program that crops at a different position at each step is compiled once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.by_row import ElementTrace, by_row, element_trace
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, Shape, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UntraceableError
from tfcompat._core.tracing.constancy import known_sizes
from tfcompat._core.types.dtype import DENSE, INDEX, int32
from tfcompat._jaxpr.size import has_symbols, is_open
from tfcompat._ops.array.indexing import getitem
from tfcompat._ops.image.shape import as_image, extents, pixel_count

Size = tuple[int, int]
_TARGET = ("target_height", "target_width")


def positive_target(name: str, target_height: Any, target_width: Any) -> Size:
    """The size of the result. Raises ValueError unless it is positive; InvalidArgumentError for tensors."""
    target = _target(name, target_height, target_width)
    for parameter, value, size in zip(_TARGET, (target_height, target_width), target, strict=True):
        if size <= 0:
            raise _refusal(value, f"tf.{name}: {parameter} must be positive, got {size}.")
    return target


def _target(name: str, target_height: Any, target_width: Any) -> Size:
    return pixel_count(name, _TARGET[0], target_height), pixel_count(name, _TARGET[1], target_width)


def _refusal(value: Any, message: str) -> Exception:
    """The error for a wrong `value`: InvalidArgumentError for a tensor, which TensorFlow checks by an assertion."""
    return ValueError(message) if as_tensor(value) is None else InvalidArgumentError.of(message)


def _room(name: str, target: Size, given: Sequence[Any], smaller: Size, larger: Size) -> Size:
    """The difference of two sizes.

    Raises: the error of `_refusal` if `larger` is smaller than `smaller`; UntraceableError if that depends on a size
      that is computed for each element of a dataset, for which a symbol stands that is at least 2.
    """
    room = larger[0] - smaller[0], larger[1] - smaller[1]
    for parameter, value, size, rest in zip(_TARGET, given, target, room, strict=True):
        if rest < 0:
            if is_open(rest) and element_trace() is not None:
                raise UntraceableError(f"tf.{name}: whether the box lies inside depends on an element")
            limit = f"at least {size - rest}" if target is larger else f"at most {size + rest}"
            raise _refusal(value, f"tf.{name}: {parameter} must be {limit}, got {size}.")
    return room


def _offset(name: str, height: Any, width: Any, room: Size) -> Tensor:
    """The start of a box as a tensor. Python numbers are checked: the box must lie within the larger one."""
    if as_tensor(height) is not None or as_tensor(width) is not None:
        return convert_to_tensor([height, width])
    offset = [pixel_count(name, "offset_height", height), pixel_count(name, "offset_width", width)]
    for parameter, value, most in zip(("offset_height", "offset_width"), offset, room, strict=True):
        if not 0 <= value <= most:
            raise ValueError(
                f"tf.{name}: {parameter} must be in [0, {most}] for the smaller box to lie in the larger, got {value}."
            )
    return Tensor(np.array(offset, np.int32))


def _lies_outside(offset: Array, room: tuple[int, int]) -> Array:
    return (offset < 0) | (offset > np.array(room, np.int32))


_IS_INSIDE = Check(
    reads=("offset",),
    flag=lambda image, offset, height, width: _lies_outside(
        offset, (abs(image.shape[-3] - height), abs(image.shape[-2] - width))
    ),
    message="the offset must not be negative, and the smaller box must lie in the larger",
)
_DTYPES = {"image": DENSE, "offset": INDEX}


@op("image.crop_to_bounding_box", same=("image",), dtypes=_DTYPES, check=_IS_INSIDE)
def _cropped(image: Array, offset: Array, height: int, width: int) -> Array:
    """The box of size `height` by `width` that starts at `offset`."""
    start = _start(image, offset)
    return lax.dynamic_slice(image, start, (*image.shape[:-3], height, width, image.shape[-1]))


@op("image.pad_to_bounding_box", same=("image",), dtypes=_DTYPES, check=_IS_INSIDE)
def _surrounded(image: Array, offset: Array, height: int, width: int) -> Array:
    """`image` at `offset` in zeros of size `height` by `width`."""
    zeros = jnp.zeros((*image.shape[:-3], height, width, image.shape[-1]), image.dtype)
    return lax.dynamic_update_slice(zeros, image, _start(image, offset))


def _start(image: Array, offset: Array) -> list[Any]:
    zero = jnp.zeros((), offset.dtype)
    return [*[zero] * (image.ndim - 3), offset[0], offset[1], zero]


def _cropped_by_host(
    image: Array, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Array | None:
    """As `crop_to_bounding_box`, by NumPy. None if it raises an error."""
    top, left, height, width = map(int, (offset_height, offset_width, target_height, target_width))
    room = image.shape[-3] - height, image.shape[-2] - width
    if not image.size or min(height, width) <= 0 or not (0 <= top <= room[0] and 0 <= left <= room[1]):
        return None
    return image[..., top : top + height, left : left + width, :]


def _surrounded_by_host(
    image: Array, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Array | None:
    """As `pad_to_bounding_box`, by NumPy. None if it raises an error."""
    top, left, height, width = map(int, (offset_height, offset_width, target_height, target_width))
    room = height - image.shape[-3], width - image.shape[-2]
    if not image.size or not (0 <= top <= room[0] and 0 <= left <= room[1]):
        return None
    found = np.zeros((*image.shape[:-3], height, width, image.shape[-1]), image.dtype)
    found[..., top : top + image.shape[-3], left : left + image.shape[-2], :] = image
    return found


def _fitted_by_host(image: Array, target_height: Any, target_width: Any) -> Array | None:
    """As `resize_with_crop_or_pad`, by NumPy. None if it raises an error."""
    target = int(target_height), int(target_width)
    if not image.size or min(target) <= 0:
        return None
    extent = image.shape[-3:-1]
    height, width = (min(pair) for pair in zip(extent, target, strict=True))
    top, left = (max((now - size) // 2, 0) for now, size in zip(extent, target, strict=True))
    above, before = (max((size - now) // 2, 0) for now, size in zip(extent, target, strict=True))
    cropped = _cropped_by_host(image, top, left, height, width)
    return None if cropped is None else _surrounded_by_host(cropped, above, before, *target)


def _centre_by_host(image: Array, central_fraction: Any) -> Array | None:
    """As `central_crop`, by NumPy. None if it raises an error, or returns the image.

    TensorFlow computes with the fraction as float32 if it does not know the height or the width while it traces.
    """
    if not image.size or not 0 < central_fraction < 1:
        return None
    share = float(np.float32(central_fraction))
    height, width = image.shape[-3:-1]
    top, left = (int((float(extent) - float(extent) * share) / 2) for extent in (height, width))
    return image[..., top : height - top, left : width - left, :]


_BOX = ("image", "offset_height", "offset_width", "target_height", "target_width")


@by_row(*_BOX, specs=lambda **given: boxed(**given), if_refused=True, host=_cropped_by_host)
def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The box of `image` of `target_height` by `target_width` that starts at (`offset_height`, `offset_width`).

    Shapes: [batch, height, width, channels] -> [batch, target_height, target_width, channels]; the same without batch.
    Dtypes: any -> same.
    Raises: ValueError for another rank, no pixels, or a box that is not inside the image; InvalidArgumentError if the
      box is given by tensors.
    Source: TF 2.21 `tf.image.crop_to_bounding_box`.
    """
    name = "image.crop_to_bounding_box"
    tensor = as_image(name, image)
    target = positive_target(name, target_height, target_width)
    room = _room(name, target, (target_height, target_width), target, extents(tensor))
    return _cropped(tensor, _offset(name, offset_height, offset_width, room), *target)


@by_row(*_BOX, specs=lambda **given: boxed(**given), if_refused=True, host=_surrounded_by_host)
def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """`image` at (`offset_height`, `offset_width`) in zeros of size `target_height` by `target_width`.

    Shapes: [batch, height, width, channels] -> [batch, target_height, target_width, channels]; the same without batch.
    Dtypes: any -> same.
    Raises: ValueError for another rank, no pixels, or an image that is not inside the box; InvalidArgumentError if the
      box is given by tensors.
    Source: TF 2.21 `tf.image.pad_to_bounding_box`.
    """
    name = "image.pad_to_bounding_box"
    tensor = as_image(name, image)
    target = _target(name, target_height, target_width)
    room = _room(name, target, (target_height, target_width), extents(tensor), target)
    return _surrounded(tensor, _offset(name, offset_height, offset_width, room), *target)


@dispatched
@by_row(
    *("image", "target_height", "target_width"),
    specs=lambda **given: boxed(**given),
    if_refused=True,
    host=_fitted_by_host,
)
def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """The center of `image`, cropped or padded with zeros to `target_height` by `target_width`.

    Shapes: [batch, height, width, channels] -> [batch, target_height, target_width, channels]; the same without batch.
    Dtypes: any -> same.
    Raises: ValueError for another rank, no pixels, or a target that isn't positive (InvalidArgumentError for a tensor).
    Source: TF 2.21 `tf.image.resize_with_crop_or_pad`.
    """
    name = "image.resize_with_crop_or_pad"
    tensor = as_image(name, image)
    target = positive_target(name, target_height, target_width)
    missing = [size - extent for extent, size in zip(extents(tensor), target, strict=True)]
    if min(missing) < 0:
        offset = [max(-each // 2, 0) for each in missing]
        kept = [min(size, extent) for size, extent in zip(target, extents(tensor), strict=True)]
        tensor = crop_to_bounding_box(tensor, *offset, *kept)
    top, left = (max(each // 2, 0) for each in missing)
    return pad_to_bounding_box(tensor, top, left, *target)


@dispatched
@by_row(
    *("image", "central_fraction"),
    specs=lambda image, **_: boxed(image, None, None),
    if_refused=True,
    host=_centre_by_host,
)
def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """The center of `image` with `central_fraction` of its height and width; `image` itself for 1.

    Shapes: [batch, height, width, channels] -> [batch, less, less, channels]; the same without batch.
    Dtypes: any -> same.
    Raises: ValueError for another rank, or if the fraction is not in (0, 1].
    Source: TF 2.21 `tf.image.central_crop`.
    """
    tensor, fraction = convert_to_tensor(image), as_tensor(central_fraction)
    share = central_fraction if fraction is None else fraction._value()[()]
    if not 0 < share <= 1:
        raise ValueError(f"tf.image.central_crop: central_fraction must be in (0, 1], got {central_fraction}.")
    if share == 1:
        return tensor
    tensor = as_image("image.central_crop", tensor)
    if has_symbols(extents(tensor)):
        raise UntraceableError("the height and width of the image")
    starts = [int((float(extent) - float(extent) * share) / 2) for extent in extents(tensor)]
    cuts = tuple(slice(start, extent - start) for start, extent in zip(starts, extents(tensor), strict=True))
    return getitem(tensor, (..., *cuts, slice(None)))


def boxed(image: Any, target_height: Any, target_width: Any, **_: Any) -> TensorSpec:
    """The type of `image` cropped or padded to a size, which may be given by tensors without values."""
    tensor = as_image("image.crop_to_bounding_box", image)
    sizes = [size if isinstance(size, int) else None for size in (target_height, target_width)]
    return TensorSpec([*tensor.shape[:-3], *sizes, tensor.shape[-1]], tensor.dtype)


def random_window(name: str, value: Any, size: Any, draw: Any) -> Tensor:
    """A random part of `value` of `size`; it starts at integers below 2 ** 31 - 1 from `draw`, modulo the room."""
    tensor, wanted = convert_to_tensor(value), convert_to_tensor(size, int32)
    trace = element_trace()
    if trace is not None and (has_symbols(tensor._aval.shape) or wanted._is_symbolic()):
        return _window_by_row(trace, name, tensor, wanted, draw)
    shape, sizes = tensor._aval.shape, tuple(np.asarray(wanted._value()).tolist())
    if len(sizes) != len(shape) or any(not 0 <= size <= extent for size, extent in zip(sizes, shape, strict=True)):
        raise InvalidArgumentError.of(
            f"tf.{name}: size must have a number from 0 to the size of value for each axis, got {sizes} for {shape}."
        )
    return _at_random(tensor, draw((len(shape),)), sizes)


def _window_by_row(trace: ElementTrace, name: str, tensor: Tensor, size: Tensor, draw: Any) -> Tensor:
    """As `random_window`, for each element of a dataset."""
    known = known_sizes(size)

    def compute(values: Any, array: np.ndarray, drawn: np.ndarray, sizes: np.ndarray) -> list[np.ndarray]:
        del values
        if sizes.shape != (array.ndim,) or (sizes < 0).any() or (sizes > array.shape).any():
            raise InvalidArgumentError.of(
                f"tf.{name}: size must have a number from 0 to the size of value for each axis, got {sizes.tolist()} "
                f"for {array.shape}."
            )
        starts = drawn % (np.array(array.shape, drawn.dtype) - sizes + 1)
        return [array[tuple(slice(start, start + kept) for start, kept in zip(starts, sizes, strict=True))]]

    dims = [None] * tensor.ndim if known is None else known
    return trace.hosted(name, compute, [tensor, draw((tensor.ndim,)), size], [(dims, tensor.dtype)])[0]


@op("image.random_crop", same=("value",), dtypes={"value": DENSE, "drawn": INDEX})
def _at_random(value: Array, drawn: Array, size: Shape) -> Array:
    """The part of `value` of `size` that starts at `drawn` modulo the available room."""
    room = [extent - kept + 1 for extent, kept in zip(value.shape, size, strict=True)]
    return lax.dynamic_slice(value, drawn % np.array(room, drawn.dtype), size)
