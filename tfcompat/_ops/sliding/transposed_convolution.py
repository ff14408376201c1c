"""Transposed convolutions: a convolution's gradient for its input, as an operation of its own."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_derivatives import SymbolicZero

from tfcompat._core.calls.declare import Array, Ints, op, shape
from tfcompat._core.system.error import InvalidArgumentError, found_early, wrong_dtype
from tfcompat._core.types.dtype import int32
from tfcompat._jaxpr.platform import is_portable, on_platform
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.sliding import small_image
from tfcompat._ops.sliding.convolution import CONVOLVED, aligned, convolve, require_groups, require_rank
from tfcompat._ops.sliding.window import FORMATS, Window, empty, is_channels_first, padded, spatial

# On a CPU, images with at most this number of places are multiplied by filters of at least this number of elements, and
# the products added where they overlap. Otherwise XLA's convolution of images dilated by zeros is about as fast, and
# compiled in less time. (1x8x8x512 with 256 4x4 filters and strides of 2: 3.9 ms instead of 10, 8x5x5x256 with 256: 4.6
# instead of 7.2, 1x16x16x128 with 64: 1.3 instead of 1.5, 1x32x32x64 with 32: 1.3 instead of 0.9.)
_MOST_PLACES, _LEAST_WEIGHTS = 64, 1 << 17


class _Placing(NamedTuple):
    """How filters are laid over the result.

    Attributes:
      margins: the padding of the dilated input, for each spatial axis.
    """

    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    margins: tuple[tuple[int, int], ...]
    groups: int
    channels_first: bool


_Form = Callable[[Array, Array, _Placing], Array]


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _spread(input: Array, filters: Array, placing: _Placing) -> Array:
    """The sum of `filters`, [*window, out of a group, in], laid over the result and multiplied by their input."""
    if _is_product(input, filters, placing):
        return _on_a_cpu(input, filters, placing, _as_product)
    is_plain = _is_alone(input, filters, placing) and not placing.channels_first
    return _on_a_cpu(input, filters, placing, _along_input if is_plain else _direct)


def _on_a_cpu(input: Array, filters: Array, placing: _Placing, form: _Form) -> Array:
    """The transposed convolution: in the given form on a CPU, elsewhere a convolution of the dilated input."""
    if form is _direct:
        return _direct(input, filters, placing)
    default = functools.partial(_direct, placing=placing)
    return on_platform(input, filters, cpu=lambda x, w: form(x, w, placing), default=default)


def _is_alone(input: Array, filters: Array, placing: _Placing) -> bool:
    """Whether there is a form other than the direct one: there are no groups, and all sizes are known."""
    return placing.groups == 1 and not any(map(is_open, (*input.shape, *filters.shape)))


def _is_convolution(input: Array, filters: Array, placing: _Placing) -> bool:
    """Whether a convolution with the filters turned round is as fast: there are no strides, and few zeros are added."""
    if not _is_alone(input, filters, placing) or math.prod(placing.strides) > 1:
        return False
    places = _places(input, placing)
    is_mostly_filters = small_image.is_mostly_filters(filters, input.shape[0] * math.prod(places))
    return not is_mostly_filters and not small_image.is_exchanged(filters.shape[:-2], places)


def _is_product(input: Array, filters: Array, placing: _Placing) -> bool:
    """Whether the product of matrices is faster: for small images, three axes, and filters that don't overlap.

    XLA takes 10 to 200 times longer for other forms over three axes, and for images smaller than the window.
    """
    size, places = filters.shape[:-2], _places(input, placing)
    if not _is_alone(input, filters, placing) or not small_image.has_few_elements(size) or input.dtype.itemsize < 4:
        return False
    if len(size) == 3 or small_image.is_exchanged(size, places):
        return True
    is_small = math.prod(places) <= _MOST_PLACES and filters.size >= _LEAST_WEIGHTS
    return is_small or all(length <= stride for length, stride in zip(size, placing.strides, strict=True))


def _places(input: Array, placing: _Placing) -> tuple[int, ...]:
    return input.shape[2:] if placing.channels_first else input.shape[1:-1]


def _direct(input: Array, filters: Array, placing: _Placing) -> Array:
    ndim = len(placing.strides)
    space = "DHW"[-ndim:]
    layout = f"NC{space}" if placing.channels_first else f"N{space}C"
    return lax.conv_general_dilated(
        input,
        _with_groups_inside(jnp.flip(filters, range(ndim)), placing.groups),
        (1,) * ndim,
        placing.margins,
        lhs_dilation=placing.strides,
        rhs_dilation=placing.dilations,
        dimension_numbers=(layout, f"{space}OI", layout),
        feature_group_count=placing.groups,
        preferred_element_type=input.dtype,
    )


def _along_input(input: Array, filters: Array, placing: _Placing) -> Array:
    """`_direct` in the form that is fast in loops (see `canonical`), in which its transpose is not."""
    space = "DHW"[-len(placing.strides) :]
    return lax.conv_general_dilated(
        input,
        jnp.swapaxes(jnp.flip(filters, range(len(space))), -1, -2),
        (1,) * len(space),
        placing.margins,
        lhs_dilation=placing.strides,
        rhs_dilation=placing.dilations,
        dimension_numbers=(f"N{space}C", f"{space}IO", f"N{space}C"),
        preferred_element_type=input.dtype,
    )


def _as_product(input: Array, filters: Array, placing: _Placing) -> Array:
    """`_direct` as a product of matrices whose parts are added where they overlap."""
    if placing.channels_first:
        last = placing._replace(channels_first=False)
        return jnp.moveaxis(_as_product(jnp.moveaxis(input, 1, -1), filters, last), -1, 1)
    window = Window(filters.shape[:-2], placing.strides, placing.dilations, ())
    axes = zip(placing.margins, window.reach, placing.strides, input.shape[1:-1], strict=True)
    found = [(reach - 1 - low, low + high + (n - 1) * step + 2 - reach) for (low, high), reach, step, n in axes]
    window = dataclasses.replace(window, padding=tuple((low, 0) for low, _ in found))
    return small_image.transposed_convolution(input, filters, window, tuple(extent for _, extent in found))


def _over_filters(input: Array, filters: Array, placing: _Placing) -> Array:
    """`_direct` as a convolution of the filters with the input, dilated.

    Its transpose, the gradient for the filters, convolves the result's gradient with the dilated input, as that of a
    convolution does. XLA computes this many times faster on a CPU (16x14x14x32 with 4x4 filters: 1.4 ms instead of 53).
    The transpose has the form that is fast in loops, too (see `canonical`).
    """
    if placing.channels_first:
        last = placing._replace(channels_first=False)
        return jnp.moveaxis(_over_filters(jnp.moveaxis(input, 1, -1), filters, last), -1, 1)
    space = "DHW"[-len(placing.strides) :]
    # The first window begins, and the last one ends, as far outside of the filters as it reaches outside of the result.
    reach = [(count - 1) * stride for count, stride in zip(input.shape[1:-1], placing.strides, strict=True)]
    margins = [
        (span + low - size + 1, high - size + 1 + span)
        for span, (low, high), size in zip(reach, placing.margins, filters.shape, strict=False)
    ]
    found = lax.conv_general_dilated(
        jnp.moveaxis(filters, -2, 0),
        jnp.moveaxis(jnp.flip(input, range(1, input.ndim - 1)), 0, -2),
        (1,) * len(reach),
        margins,
        rhs_dilation=placing.strides,
        dimension_numbers=(f"N{space}C", f"{space}OI", f"N{space}C"),
        preferred_element_type=input.dtype,
    )
    return jnp.swapaxes(found, 0, -1)


def _spread_jvp(placing: _Placing, primals: tuple[Array, Array], tangents: tuple[Any, Any]) -> tuple[Array, Any]:
    (input, filters), (moved_input, moved_filters) = primals, tangents
    out = _spread(input, filters, placing)
    change: Any = None
    if not isinstance(moved_input, SymbolicZero):
        change = _on_a_cpu(moved_input, filters, placing, _form_of_input(input, filters, placing))
    if not isinstance(moved_filters, SymbolicZero):
        term = _on_a_cpu(input, moved_filters, placing, _form_of_filters(input, filters, placing))
        change = term if change is None else change + term
    return out, jnp.zeros_like(out) if change is None else change


def _form_of_input(input: Array, filters: Array, placing: _Placing) -> _Form:
    """The form whose transpose with respect to the input is fast."""
    size, places = filters.shape[:-2], _places(input, placing)
    is_slow = len(size) == 3 or small_image.is_exchanged(size, places)
    return _as_product if is_slow and _is_product(input, filters, placing) else _direct


def _form_of_filters(input: Array, filters: Array, placing: _Placing) -> _Form:
    """The form whose transpose with respect to the filters is fast."""
    is_dilated = math.prod(placing.dilations) > 1
    if _is_product(input, filters, placing):
        rows = input.shape[0] * math.prod(_places(input, placing))
        if len(placing.strides) == 3 or is_dilated or small_image.is_slope_of_filters(filters, rows):
            return _as_product
    return _direct if is_dilated or not _is_alone(input, filters, placing) else _over_filters


_spread.defjvp(_spread_jvp, symbolic_zeros=True)


@op("nn.conv_transpose", dtypes=CONVOLVED | {int32})
def _conv_transpose(
    input: Array,
    filters: Array,
    extents: Ints,
    out_channels: int,
    strides: Ints,
    dilations: Ints,
    padding: Ints,
    channels_first: bool,
) -> Array:
    """`conv_transpose` with resolved arguments; `extents` are the spatial dimensions of the result."""
    if 0 in (*filters.shape, *extents):
        sizes = (out_channels, *extents) if channels_first else (*extents, out_channels)
        whole = (input.shape[0], *sizes)
        return empty(whole, input, filters) if 0 in extents else jnp.zeros(whole, input.dtype)
    window = Window(filters.shape[:-2], strides, dilations, padding)
    places = input.shape[2:] if channels_first else input.shape[1:-1]
    groups = out_channels // filters.shape[-2]
    margins = [
        _transposed_padding(*axis)
        for axis in zip(extents, places, window.reach, strides, window.margins(extents), strict=True)
    ]
    # JAX takes no symbols for margins: these are cut off afterwards.
    is_whole = is_portable() and _nearly_reach(margins, window.reach)
    full = [
        (reach - 1, reach - 1) if is_whole or any(map(is_open, pair)) else pair
        for pair, reach in zip(margins, window.reach, strict=True)
    ]
    placing = _Placing(strides, dilations, tuple(full), groups, channels_first)
    if _is_convolution(input, filters, placing):
        turned = jnp.swapaxes(jnp.flip(filters, range(len(strides))), -1, -2)
        return convolve(input, turned, Window(window.size, strides, dilations, tuple(margins)), channels_first)
    out = _spread(input, filters, placing)
    config = [(before - low, after - high, 0) for (before, after), (low, high) in zip(margins, full, strict=True)]
    if not any(is_open(count) or count for each in config for count in each):
        return out
    if is_whole:
        for axis, (low, high, _) in enumerate(config, 2 if channels_first else 1):
            out = lax.slice_in_dim(out, -low, out.shape[axis] + high, axis=axis)
        return out
    batch, channels = [(0, 0, 0)], [(0, 0, 0)]
    config = [*batch, *channels, *config] if channels_first else [*batch, *config, *channels]
    return lax.pad(out, jnp.zeros((), out.dtype), config)


def _nearly_reach(margins: Sequence[tuple[int, int]], reach: Sequence[int]) -> bool:
    """Whether one of each pair of margins is as large as the windows reach.

    TensorFlow Lite's converter makes a larger result if the other one is not, so the rest is cut off by slices.
    """
    known = [pair for pair in margins if not any(map(is_open, pair))]
    return len(known) == len(margins) and all(max(pair) == each - 1 for pair, each in zip(known, reach, strict=True))


def _with_groups_inside(filters: Array, groups: int) -> Array:
    """[*window, out of a group, in] -> [*window, out, in of a group]: filters of the transposed grouped convolution."""
    if groups == 1:
        return filters
    *window, out, channels = filters.shape
    parts = filters.reshape(*window, out, groups, channels // groups)
    return jnp.moveaxis(parts, -2, -3).reshape(*window, groups * out, channels // groups)


def _transposed_padding(extent: int, places: int, reach: int, stride: int, margins: tuple[int, int]) -> tuple[int, int]:
    """The padding of the dilated input with which the windows cover exactly `extent` elements."""
    low = reach - 1 - margins[0]
    return low, extent - (places - 1) * stride - 2 - low + reach


def _transposed(
    name: str,
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any,
    channels_first: bool,
    dilations: Any,
    ndim: int,
    allows_explicit: bool = False,
) -> Any:
    """The transposed convolution for the arguments of a public function."""
    array, kernel = aligned(input, filters)
    # TensorFlow's shapes of transposed convolutions over three axes are found by the kernel.
    refuse = InvalidArgumentError.of if ndim < 3 else found_early
    require_rank(name, kernel, ndim, refuse)
    if ndim == 3 and kernel.dtype not in CONVOLVED:
        raise wrong_dtype(f"tf.{name}: filters must be floating, got {kernel.dtype.name}.")
    given, filter_shape = array._aval.shape, kernel._aval.shape
    if len(given) != ndim + 2:
        raise refuse(f"tf.{name}: input must have rank {ndim + 2}, got shape {given}.")
    full = _output_shape(name, output_shape, given, filter_shape[-2], channels_first)
    extents = full[2:] if channels_first else full[1:-1]
    if 0 in filter_shape and full[0] == given[0]:
        return _conv_transpose(array, kernel, extents, full[1 if channels_first else -1], (), (), (), channels_first)
    steps = spatial(name, "strides", strides, ndim, channels_first, is_for_kernel=True)
    rates = spatial(name, "dilations", dilations, ndim, channels_first, is_for_kernel=True)
    window = Window(filter_shape[:-2], steps, rates, ())
    window = padded(name, padding, extents, window, channels_first, allows_explicit)
    out_channels = full[1 if channels_first else -1]
    require_groups(name, out_channels, filter_shape, found_early)
    places = given[2:] if channels_first else given[1:-1]
    fits = full[0] == given[0] and filter_shape[-1] == given[1 if channels_first else -1]
    if not fits or window.counts(extents) != places:
        raise (found_early if fits and padding != "VALID" else refuse)(
            f"tf.{name}: a convolution of output_shape must give the shape of input, got output_shape {full}, filters "
            f"of shape {filter_shape} and input of shape {given}."
        )
    return _conv_transpose(
        array, kernel, extents, out_channels, window.strides, window.dilations, window.padding, channels_first
    )


def _output_shape(
    name: str, output_shape: Any, given: tuple[int, ...], out: int, channels_first: bool
) -> tuple[int, ...]:
    """`output_shape` completed with batch and channels, which may be omitted."""
    if output_shape is None:
        raise (TypeError if len(given) == 3 else ValueError)(f"tf.{name}: output_shape must be given, got None.")
    full = shape(output_shape) or ()
    if len(full) == len(given) - 2:
        full = (given[0], out, *full) if channels_first else (given[0], *full, out)
    if len(full) != len(given):
        raise InvalidArgumentError.of(f"tf.{name}: output_shape must have length {len(given)}, got {output_shape}.")
    return full


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The transposed convolution of `input` with `filters` along one axis, with `output_shape`.

    Shapes: [batch, windows, in], [window, out, in] -> [batch, width, out]; "NCW": channels before width.
    Dtypes: bfloat16, float16, float32, float64, int32 -> same dtype.
    Raises: InvalidArgumentError if a convolution of `output_shape` wouldn't give the shape of `input`.
    Source: TF 2.21 `tf.nn.conv1d_transpose`.
    """
    del name
    place = "nn.conv1d_transpose"
    if data_format not in (None, "NWC", "NCW"):
        raise ValueError(f"tf.{place}: data_format must be 'NWC' or 'NCW', got {data_format!r}.")
    channels_first = is_channels_first(place, data_format, 1)
    return _transposed(place, input, filters, output_shape, strides, padding, channels_first, dilations, 1)


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The transposed convolution of `input` with `filters` over two axes, with `output_shape`.

    Shapes: [batch, rows of windows, columns of windows, in], [rows, columns, out, in] -> [batch, height, width, out];
      "NCHW": channels before height.
    Dtypes: bfloat16, float16, float32, float64, int32 -> same dtype.
    Raises: InvalidArgumentError if a convolution of `output_shape` wouldn't give the shape of `input`.
    Source: TF 2.21 `tf.nn.conv2d_transpose`.
    """
    del name
    place = "nn.conv2d_transpose"
    channels_first = is_channels_first(place, data_format, 2)
    return _transposed(
        place, input, filters, output_shape, strides, padding, channels_first, dilations, 2, allows_explicit=True
    )


def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The transposed convolution of `input` with `filters` over three axes, with `output_shape`.

    Shapes: [batch, *windows, in], [*window, out, in] -> [batch, *spatial, out]; "NCDHW": channels before spatial.
    Dtypes: bfloat16, float16, float32, float64 -> same dtype.
    Raises: InvalidArgumentError if a convolution of `output_shape` wouldn't give the shape of `input`.
    Source: TF 2.21 `tf.nn.conv3d_transpose`.
    """
    del name
    place = "nn.conv3d_transpose"
    channels_first = is_channels_first(place, data_format, 3)
    return _transposed(place, input, filters, output_shape, strides, padding, channels_first, dilations, 3)


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The transposed convolution of `input` with `filters` over as many axes as `output_shape` has spatial axes.

    Shapes: [batch, *windows, in], [*window, out, in] -> `output_shape`; channels first by `data_format`.
    Dtypes: bfloat16, float16, float32, float64 -> same dtype.
    Raises: ValueError if `output_shape` does not have length 3, 4 or 5; InvalidArgumentError if a convolution of it
      wouldn't give the shape of `input`.
    Source: TF 2.21 `tf.nn.conv_transpose`.
    """
    del name
    place = "nn.conv_transpose"
    ndim = len(shape(output_shape) or ()) - 2
    if ndim not in FORMATS:
        raise ValueError(f"tf.{place}: output_shape must have length 3, 4 or 5, got {output_shape}.")
    channels_first = is_channels_first(place, data_format, ndim)
    return _transposed(place, input, filters, output_shape, strides, padding, channels_first, dilations, ndim)
