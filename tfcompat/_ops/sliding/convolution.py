"""Convolutions over one, two and three spatial axes, and the addition of a bias."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_derivatives import SymbolicZero

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Ints, integers, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early, wrong_dtype
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._core.types.dtype import NUMERIC, bfloat16, float16, float32, float64, int32
from tfcompat._jaxpr import lean
from tfcompat._jaxpr.platform import on_platform
from tfcompat._jaxpr.size import has_symbols, is_open
from tfcompat._ops.sliding import small_image
from tfcompat._ops.sliding.canonical import along_array, along_filters
from tfcompat._ops.sliding.window import FORMATS, Window, adds, empty, is_channels_first, padded, spatial

CONVOLVED = frozenset((bfloat16, float16, float32, float64))
# On a CPU, a convolution of few channels without strides, or with 1x1 filters, is faster as one matrix product, and so
# is its gradient for the filters (16x32x32x3 with 3x3 filters: 1.5 ms instead of 2.3; 32x28x28x3 with 5x5: 6 instead
# of 10; 8x28x28x256 with 512 1x1 filters and strides of 2: 5.3 instead of 18). With larger filters and 1 channel, 8 or
# more channels, strides, or three axes, it is not.
_FEW_CHANNELS = range(2, 8)
# On a CPU, a convolution in groups is computed in blocks of about this number of channels. The filters of a block are
# extended by zeros to those of a convolution without groups. (8x14x14x256 in 32 groups with 3x3 filters: 3.4 ms instead
# of 6.1, the gradient for the filters 5.7 instead of 2000.)
_CHANNELS_OF_A_BLOCK = 32
_Form = Callable[[Array, Array, Window], Array]


def _direct(array: Array, filters: Array, window: Window, channels_first: bool = False) -> Array:
    space = "DHW"[-len(window.size) :]
    layout = f"NC{space}" if channels_first else f"N{space}C"
    return lax.conv_general_dilated(
        array,
        filters,
        window.strides,
        window.margins(array.shape[2:] if channels_first else array.shape[1:-1]),
        rhs_dilation=window.dilations,
        dimension_numbers=(layout, f"{space}IO", layout),
        feature_group_count=array.shape[1 if channels_first else -1] // filters.shape[-2],
        preferred_element_type=array.dtype,
    )


def _as_product(array: Array, filters: Array, window: Window) -> Array:
    """The convolution of an array with channels last, as a product of its patches and the filters."""
    patches = list(window.over_all(False).elements(array, 0))
    rows = patches[0] if len(patches) == 1 else jnp.concatenate(patches, -1)
    if has_symbols(rows.shape):
        # Whether the number of rows is positive may be undecided.
        return jnp.matmul(rows, filters.reshape(-1, filters.shape[-1]), preferred_element_type=array.dtype)
    product = jnp.matmul(
        rows.reshape(-1, rows.shape[-1]),
        filters.reshape(-1, filters.shape[-1]),
        preferred_element_type=array.dtype,
    )
    return product.reshape(*rows.shape[:-1], filters.shape[-1])


def _is_product(array: Array, window: Window) -> bool:
    if math.prod(window.size) == 1:
        return not any(map(adds, window.margins(array.shape[1:-1])))
    return array.shape[-1] in _FEW_CHANNELS and math.prod(window.strides) == 1 and len(window.size) < 3


def convolve(array: Array, filters: Array, window: Window, channels_first: bool) -> Array:
    """The convolution of `array`, [batch, *spatial, channels], with `filters`, [*window, channels of a group, out]."""
    whole = window.over_all(channels_first)
    array, whole = whole.closed(array)
    window = whole.spatial(channels_first)
    direct = functools.partial(_direct, window=window, channels_first=channels_first)
    form = _form_on_a_cpu(array, filters, window, channels_first)
    if form is not _as_product and any(map(is_open, (*array.shape, *filters.shape))):
        return direct(array, filters)
    if form is None:
        return _convolve(array, filters, window)
    return on_platform(array, filters, cpu=lambda x, w: form(x, w, window), default=direct)


def _form_on_a_cpu(array: Array, filters: Array, window: Window, channels_first: bool) -> _Form | None:
    """The function that computes the convolution on a CPU; None if that is XLA's, as elsewhere."""
    if channels_first:
        return _with_channels_last
    if array.shape[-1] != filters.shape[-2]:
        return _in_blocks
    if _is_product(array, window):
        return _as_product
    return _in_planes if len(window.size) == 3 else None


def _with_channels_last(array: Array, filters: Array, window: Window) -> Array:
    return jnp.moveaxis(convolve(jnp.moveaxis(array, 1, -1), filters, window, False), -1, 1)


def _in_blocks(array: Array, filters: Array, window: Window) -> Array:
    """The convolution in groups as convolutions without, each of the channels of some groups."""
    depth, out = filters.shape[-2:]
    groups = array.shape[-1] // depth
    size = max(n for n in range(1, groups + 1) if groups % n == 0 and (n == 1 or n * depth <= _CHANNELS_OF_A_BLOCK))
    count = groups // size

    # The filters with zeros are computed again for the transpose, so that they aren't stored.
    @functools.partial(jax.checkpoint, prevent_cse=False)
    def block(part: Array, weights: Array) -> Array:
        of_groups = weights.reshape(*window.size, 1, depth, size, out // groups)
        full = jnp.where(jnp.eye(size, dtype=bool)[:, None, :, None], of_groups, 0)
        return convolve(part, full.reshape(*window.size, size * depth, -1), window, False)

    parts = jnp.moveaxis(array.reshape(*array.shape[:-1], count, -1), -2, 0)
    weights = jnp.moveaxis(filters.reshape(*filters.shape[:-1], count, out // count), -2, 0)
    found = jnp.moveaxis(lax.map(lambda pair: block(*pair), (parts, weights)), 0, -2)
    return found.reshape(*found.shape[:-2], out)


def _in_planes(array: Array, filters: Array, window: Window) -> Array:
    """The convolution over three axes as one over two: XLA's over three is 3 to 100 times slower on a CPU.

    The elements of a window along the first axis become channels.
    """
    batch, _, height, width, _ = array.shape
    depth, *size = filters.shape[:-2]
    (count, *_), (margin, *margins) = window.counts(array.shape[1:-1]), window.margins(array.shape[1:-1])
    if math.prod(size) * math.prod(window.strides[1:]) == 1 and not any(map(adds, margins)):
        flat = Window((depth, 1), (window.strides[0], 1), (window.dilations[0], 1), (margin, (0, 0)))
        found = convolve(array.reshape(batch, -1, height * width, array.shape[-1]), filters[:, 0], flat, False)
        return found.reshape(batch, count, height, width, -1)
    along = Window((depth,), window.strides[:1], window.dilations[:1], (margin,))
    slices = list(_alone(along).elements(array, 0))
    planes = slices[0] if depth == 1 else jnp.concatenate(slices, -1)
    weights = jnp.moveaxis(filters, 0, 2).reshape(*size, -1, filters.shape[-1])
    plane = Window(tuple(size), window.strides[1:], window.dilations[1:], tuple(margins))
    found = convolve(planes.reshape(-1, *planes.shape[2:]), weights, plane, False)
    return found.reshape(batch, count, *found.shape[1:])


def _alone(along: Window) -> Window:
    """The window over the five axes of an array of which it has the entries for the second one."""

    def extended(entries: tuple[Any, ...], one: Any) -> tuple[Any, ...]:
        return (one, *entries, one, one, one)

    size, strides, dilations = (extended(entries, 1) for entries in (along.size, along.strides, along.dilations))
    return Window(size, strides, dilations, extended(along.padding, (0, 0)))


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _convolve(array: Array, filters: Array, window: Window) -> Array:
    if small_image.is_exchanged(window.size, array.shape[1:-1]) and array.dtype.itemsize >= 4:
        return _on_a_cpu(array, filters, window, small_image.convolution)
    return _direct(array, filters, window)


def _on_a_cpu(array: Array, filters: Array, window: Window, form: _Form) -> Array:
    default = functools.partial(_direct, window=window)
    return on_platform(array, filters, cpu=lambda x, w: form(x, w, window), default=default)


def _convolve_jvp(window: Window, primals: tuple[Array, Array], tangents: tuple[Any, Any]) -> tuple[Array, Any]:
    out = _convolve(*primals, window)
    change: Any = None
    for which, form in enumerate(_forms_of_derivatives(primals[1], out, window)):
        if isinstance(tangents[which], SymbolicZero):
            continue
        array, filters = (*primals[:which], tangents[which], *primals[which + 1 :])
        term = _on_a_cpu(array, filters, window, form)
        change = term if change is None else change + term
    return out, jnp.zeros_like(out) if change is None else change


def _forms_of_derivatives(filters: Array, out: Array, window: Window) -> tuple[_Form, _Form]:
    """The convolutions whose transposes with respect to the array and to the filters are fast on a CPU."""
    rows = math.prod(out.shape[:-1])
    if out.dtype.itemsize < 4:
        return along_array, along_filters
    is_product = small_image.is_exchanged(window.size, out.shape[1:-1]) or small_image.is_mostly_filters(filters, rows)
    is_copied = small_image.is_slope_of_filters(filters, rows)
    return (
        small_image.convolution if is_product else along_array,
        small_image.convolution if is_copied else along_filters,
    )


_convolve.defjvp(_convolve_jvp, symbolic_zeros=True)


def _infer_convolution(
    input: Aval, filters: Aval, strides: Ints, dilations: Ints, padding: Ints, channels_first: bool
) -> Aval | None:
    """The result's type; None if JAX has to say it, which takes some milliseconds for each new shape."""
    ndim = filters.ndim - 2
    batch, space = input.shape[: -ndim - 1], input.shape[-ndim - 1 :]
    channels, *extents = space if channels_first else (space[-1], *space[:-1])
    depth, out = filters.shape[-2:]
    if has_symbols((*input.shape, *filters.shape)) or 0 in (*input.shape, *filters.shape):
        return None
    counts = Window(filters.shape[:-2], strides, dilations, padding).counts(tuple(extents))
    if input.dtype != filters.dtype or channels % depth or out % (channels // depth) or min(counts) < 1:
        return None
    return aval_of((*batch, out, *counts) if channels_first else (*batch, *counts, out), input.dtype)


@op("nn.convolution", dtypes=CONVOLVED | {int32}, infers=_infer_convolution)
def _convolution(
    input: Array, filters: Array, strides: Ints, dilations: Ints, padding: Ints, channels_first: bool
) -> Array:
    """`convolution` with resolved arguments; `input` may have several batch axes."""
    window = Window(filters.shape[:-2], strides, dilations, padding)
    ndim = len(window.size) + 1
    space = input.shape[-ndim:]
    if 0 in (counts := window.found(space[1:] if channels_first else space[:-1])):
        sizes = (filters.shape[-1], *counts) if channels_first else (*counts, filters.shape[-1])
        return empty((*input.shape[:-ndim], *sizes), input, filters)
    flat = input.reshape(-1, *space)
    out = convolve(flat, filters, window, channels_first)
    return out.reshape(*input.shape[:-ndim], *out.shape[1:])


def aligned(*values: Any) -> list[Tensor]:
    """`values` as tensors; those that aren't tensors take the dtype of the first one that is."""
    tensors = [as_tensor(value) for value in values]
    dtype = next((tensor.dtype for tensor in tensors if tensor is not None), None)
    pairs = zip(tensors, values, strict=True)
    return [convert_to_tensor(value, dtype) if tensor is None else tensor for tensor, value in pairs]


def _convolved(
    name: str,
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    channels_first: bool,
    dilations: Any,
    ndim: int,
    allows_explicit: bool = False,
) -> Any:
    """The convolution for the arguments of a public function."""
    array, kernel = aligned(input, filters)
    shape, filter_shape = array._aval.shape, kernel._aval.shape
    require_filters(name, kernel, ndim)
    if len(shape) < ndim + 2:
        raise InvalidArgumentError.of(f"tf.{name}: input must have rank {ndim + 2} or more, got shape {shape}.")
    channels = shape[-ndim - 1 if channels_first else -1]
    require_groups(name, channels, filter_shape)
    extents = shape[-ndim:] if channels_first else shape[-ndim - 1 : -1]
    window = Window(
        filter_shape[:-2],
        spatial(name, "strides", strides, ndim, channels_first),
        spatial(name, "dilations", dilations, ndim, channels_first),
        (),
    )
    window = padded(name, padding, extents, window, channels_first, allows_explicit)
    require_room(name, window, extents)
    return _convolution(array, kernel, window.strides, window.dilations, window.padding, channels_first)


def require_filters(name: str, filters: Tensor, ndim: int) -> None:
    """Raises InvalidArgumentError unless `filters` has no empty dimension and rank `ndim` + 2."""
    require_rank(name, filters, ndim)
    if 0 in filters.shape:
        raise found_early(f"tf.{name}: filters must have no dimension of 0, got shape {filters.shape}.")


def require_rank(
    name: str, filters: Tensor, ndim: int, refuse: Callable[[str], Exception] = InvalidArgumentError.of
) -> None:
    """Raises `refuse` of a message unless `filters` has rank `ndim` + 2."""
    if filters.ndim != ndim + 2:
        raise refuse(f"tf.{name}: filters must have rank {ndim + 2}, got shape {filters.shape}.")


def require_groups(
    name: str,
    channels: int,
    filters: tuple[int, ...],
    refuse: Callable[[str], Exception] = InvalidArgumentError.of,
) -> None:
    """Raises `refuse` of a message unless the channels and the filters have the same number of groups."""
    depth, out = filters[-2:]
    if channels % depth:
        raise refuse(
            f"tf.{name}: the channels of input must be a multiple of those of filters, got {channels} and filters of "
            f"shape {filters}."
        )
    if out % max(channels // depth, 1):
        raise refuse(
            f"tf.{name}: the output channels must be a multiple of the {channels // depth} groups of input channels, "
            f"got {out}."
        )


def require_room(name: str, window: Window, extents: tuple[int, ...]) -> None:
    """Raises InvalidArgumentError unless TensorFlow accepts the window for `extents`."""
    if not window.has_room(extents):
        raise InvalidArgumentError.of(
            f"tf.{name}: the window {window.size} must fit into the input, got spatial dimensions {extents}."
        )


def _is_channels_first_1d(name: str, data_format: str | None) -> bool:
    if data_format not in (None, "NWC", "NCW", "NHWC", "NCHW"):
        raise ValueError(f"tf.{name}: data_format must be 'NWC' or 'NCW', got {data_format!r}.")
    return data_format in ("NCW", "NCHW")


def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The convolution of `input` with `filters` along one axis.

    Shapes: [*batch, width, in], [window, in, out] -> [*batch, windows, out]; "NCW": channels before width; `in` of
      input may be a multiple of that of `filters` (groups).
    Dtypes: bfloat16, float16, float32, float64, int32 -> same dtype.
    Raises: InvalidArgumentError if shapes don't fit; ValueError if `data_format` or a length is wrong.
    Source: TF 2.21 `tf.nn.conv1d`.
    """
    del name
    channels_first = _is_channels_first_1d("nn.conv1d", data_format)
    return _convolved("nn.conv1d", input, filters, stride, padding, channels_first, dilations, 1)


def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The convolution of `input` with `filters` over two axes.

    Shapes: [*batch, height, width, in], [rows, columns, in, out] -> [*batch, rows of windows, columns of windows, out];
      "NCHW": channels before height; `in` of input may be a multiple of that of `filters` (groups).
    Dtypes: bfloat16, float16, float32, float64, int32 -> same dtype.
    Raises: InvalidArgumentError if shapes don't fit, or `padding` is neither "SAME", "VALID" nor pairs for every axis;
      ValueError if a list has a wrong length.
    Source: TF 2.21 `tf.nn.conv2d`.
    """
    del name
    channels_first = is_channels_first("nn.conv2d", data_format, 2)
    return _convolved("nn.conv2d", input, filters, strides, padding, channels_first, dilations, 2, allows_explicit=True)


def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The convolution of `input` with `filters` over three axes; `strides` and `dilations` are lists of five.

    Shapes: [*batch, depth, height, width, in], [*window, in, out] -> [*batch, *windows, out]; "NCDHW": channels before
      depth.
    Dtypes: bfloat16, float16, float32, float64 -> same dtype.
    Raises: InvalidArgumentError if shapes don't fit; TypeError if `strides` or `dilations` is not a list.
    Source: TF 2.21 `tf.nn.conv3d`.
    """
    del name
    for what, value in (("strides", strides), ("dilations", [1] if dilations is None else dilations)):
        if isinstance(value, int):
            raise TypeError(f"tf.nn.conv3d: {what} must be a list of 5 integers, got {value}.")
    array, kernel = aligned(input, filters)
    is_grouped = min(array.ndim, kernel.ndim) == 5 and _depth(array, data_format) != kernel.shape[-2]
    if kernel.dtype not in CONVOLVED or is_grouped:
        raise (InvalidArgumentError.of if kernel.dtype in CONVOLVED else wrong_dtype)(
            "tf.nn.conv3d: input and filters must be floating and have the same channels, got "
            f"{array._aval} and {kernel._aval}."
        )
    channels_first = is_channels_first("nn.conv3d", data_format, 3)
    return _convolved("nn.conv3d", array, kernel, strides, padding, channels_first, dilations, 3)


def _depth(array: Tensor, data_format: str | None) -> int:
    return array._aval.shape[-4 if data_format == "NCDHW" else -1]


@dispatched
def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The convolution of `input` with `filters` over as many axes as `filters` has spatial axes.

    With `dilations`, `padding` may be a list of pairs.

    Shapes: [*batch, *spatial, in], [*window, in, out] -> [*batch, *windows, out]; channels first by `data_format`.
    Dtypes: bfloat16, float16, float32, float64; int32 with one or two spatial axes -> same dtype.
    Raises: InvalidArgumentError if shapes don't fit; ValueError if `filters` does not have one to three spatial axes,
      or `strides` and `dilations` are both above 1.
    Source: TF 2.21 `tf.nn.convolution`.
    """
    del name
    ndim = convert_to_tensor(filters).ndim - 2
    if ndim not in FORMATS:
        raise ValueError(f"tf.nn.convolution: filters must have rank 3, 4 or 5, got {ndim + 2}.")
    channels_first = is_channels_first("nn.convolution", data_format, ndim)
    is_dilated = _is_dilated(strides, dilations, ndim, channels_first)
    return _convolved("nn.convolution", input, filters, strides, padding, channels_first, dilations, ndim, is_dilated)


def _is_dilated(strides: Any, dilations: Any, ndim: int, channels_first: bool) -> bool:
    """Whether a dilation is above 1. Raises ValueError if a stride is, too, or a dilation is not positive."""
    rates = integers(1 if dilations is None else dilations)
    if min((rates,) if isinstance(rates, int) else rates) < 1:
        raise ValueError(f"tf.nn.convolution: all values of dilations must be positive, got {dilations}.")
    is_dilated = max(spatial("nn.convolution", "dilations", rates, ndim, channels_first)) > 1
    if is_dilated and max(spatial("nn.convolution", "strides", strides, ndim, channels_first)) > 1:
        raise ValueError(
            "tf.nn.convolution: `strides > 1` not supported in conjunction with `dilations > 1`, got "
            f"strides={strides} and dilations={dilations}; tf.nn.conv{ndim}d takes both."
        )
    return is_dilated


def _validate_bias_add(value: Any, bias: Any, data_format: str | None) -> None:
    axis = _bias_axis(data_format)
    if value.ndim < 2 or bias.ndim != 1 or value.shape[axis] != bias.shape[0]:
        raise InvalidArgumentError.of(
            "tf.nn.bias_add: value must have rank 2 or more, and bias one element for each channel, got shapes "
            f"{value.shape} and {bias.shape}."
        )


def _bias_axis(data_format: str | None) -> int:
    if data_format is None or (data_format.startswith("N") and data_format.endswith("C") and data_format != "NC"):
        return -1
    if not data_format.startswith("NC"):
        raise ValueError(f"tf.nn.bias_add: data_format must be like 'N...C' or 'NC...', got {data_format!r}.")
    return 1


@op("nn.bias_add", dtypes=NUMERIC, validate=_validate_bias_add, gradient_reads=False, passes=True)
def bias_add(value: Array, bias: Array, data_format: str | None = None) -> Array:
    """`value` with `bias` added to its channels, which are the last axis, or axis 1 if `data_format` begins with "NC".

    Shapes: [batch, ..., channels], [channels] -> that of `value`.
    Dtypes: NUMERIC -> same dtype.
    Raises: InvalidArgumentError if the rank is below 2 or shapes don't fit; ValueError if `data_format` is unknown.
    Source: TF 2.21 `tf.nn.bias_add`.
    """
    if _bias_axis(data_format) == 1:
        bias = bias.reshape(-1, *(1,) * (value.ndim - 2))
    if bias.dtype == jnp.float16:
        # The gradient, a sum over the other axes, is rounded once, as in TensorFlow.
        bias = jnp.broadcast_to(bias.astype(jnp.float32), value.shape).astype(jnp.float16)
    return lean.add(value, bias)
