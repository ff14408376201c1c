"""Atrous (dilated) operations: by moving interleaved elements into the batch axis, and as dilated convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import integers
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import int32
from tfcompat._ops.array.block import batch_to_space, space_to_batch
from tfcompat._ops.sliding.convolution import conv2d
from tfcompat._ops.sliding.transposed_convolution import conv2d_transpose

Pairs = list[tuple[int, int]]


@by_row("input_shape", "block_shape", "base_paddings", specs=lambda block_shape, **_: _paddings(block_shape))
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings beyond `base_paddings` that make `input_shape` multiples of `block_shape`, and crops that undo them.

    Shapes: [n], [n], [n, 2] -> [n, 2] twice.
    Dtypes: int32 -> int32.
    Raises: ValueError if shapes don't fit, or for another dtype.
    Source: TF 2.21 `tf.required_space_to_batch_paddings`.
    """
    del name
    sizes, blocks = (np.asarray(convert_to_tensor(value, int32)) for value in (input_shape, block_shape))
    base = (
        np.zeros((blocks.size, 2), np.int32) if base_paddings is None else np.asarray(convert_to_tensor(base_paddings))
    )
    if sizes.shape != blocks.shape or base.shape != (*blocks.shape, 2):
        raise ValueError(
            f"tf.required_space_to_batch_paddings: block_shape must have the shape of input_shape, and base_paddings "
            f"a pair for each size; got {blocks.tolist()}, {sizes.tolist()} and {base.tolist()}."
        )
    extra = (-(sizes + base.sum(1)) % blocks).astype(np.int32)
    paddings = np.stack((base[:, 0], base[:, 1] + extra), 1).astype(np.int32)
    return Tensor(paddings), Tensor(np.stack((np.zeros_like(extra), extra), 1))


def _paddings(block_shape: Any) -> tuple[TensorSpec, TensorSpec]:
    pairs = TensorSpec([*convert_to_tensor(block_shape, int32).shape, 2], int32)
    return pairs, pairs


def _base_paddings(padding: Any, filter_shape: Any, rates: Sequence[int]) -> Pairs:
    """The explicit padding of `padding` for dilated windows of `filter_shape`."""
    if isinstance(padding, (list, tuple)):
        return [tuple(pair) for pair in padding]
    if padding == "VALID":
        return [(0, 0)] * len(rates)
    if padding != "SAME":
        raise ValueError(f"tf.nn.with_space_to_batch: padding must be 'SAME', 'VALID' or pairs, got {padding!r}.")
    if filter_shape is None:
        raise ValueError("tf.nn.with_space_to_batch: filter_shape must be given with padding 'SAME'.")
    extra = [(size - 1) * rate for size, rate in zip(integers(filter_shape), rates, strict=False)]
    return [(more // 2, more - more // 2) for more in extra]


def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Any, int, str], Any],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
) -> Any:
    """`op` applied to every `dilation_rate`-th element of `input` along its spatial axes, for every start position.

    `op` is called with a tensor, the number of spatial axes, and "VALID"; or, if every rate is 1, with `padding`.

    Shapes: those of `op`, whose results are interleaved again.
    Dtypes: those of `op`.
    Raises: ValueError if a rate isn't positive, `padding` is unknown, or `filter_shape` is missing.
    Source: TF 2.21 `tf.nn.with_space_to_batch`.
    """
    tensor = convert_to_tensor(input)
    rates = [int(rate) for rate in np.asarray(dilation_rate).reshape(-1)]
    if min(rates, default=1) < 1:
        raise ValueError(f"tf.nn.with_space_to_batch: every dilation_rate must be positive, got {rates}.")
    first = 2 if data_format is not None and data_format.startswith("NC") else 1
    axes = [first + k for k in range(len(rates))] if spatial_dims is None else list(integers(spatial_dims))
    if axes != sorted(set(axes)) or min(axes, default=1) < 1:
        raise ValueError(f"tf.nn.with_space_to_batch: spatial_dims must be positive and ascending, got {axes}.")
    if max(axes, default=0) >= tensor.ndim:
        raise ValueError(f"tf.nn.with_space_to_batch: spatial_dims must be axes of input, got {axes}.")
    if all(rate == 1 for rate in rates):
        return op(tensor, len(rates), padding)
    base = _base_paddings(padding, filter_shape, rates)
    blocks, paddings, crops = ([1] * axes[-1], [(0, 0)] * axes[-1], [(0, 0)] * axes[-1])
    for axis, rate, pair in zip(axes, rates, base, strict=True):
        extra = -(tensor._aval.shape[axis] + sum(pair)) % rate
        blocks[axis - 1], paddings[axis - 1], crops[axis - 1] = rate, (pair[0], pair[1] + extra), (0, extra)
    found = op(space_to_batch(tensor, blocks, paddings), len(rates), "VALID")
    return batch_to_space(found, blocks, crops)


def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Any:
    """The convolution of `value` with `filters`, whose elements are `rate` apart.

    Shapes: [batch, height, width, in], [rows, columns, in, out] -> [batch, rows of windows, columns of windows, out].
    Dtypes: those of `conv2d`.
    Raises: ValueError if `rate` isn't positive; else as `conv2d`.
    Source: TF 2.21 `tf.nn.atrous_conv2d`.
    """
    del name
    rates = np.broadcast_to(np.asarray(rate), (2,)).tolist()
    if min(rates) < 1:
        raise ValueError(f"tf.nn.atrous_conv2d: rate must be positive, got {rate}.")
    return conv2d(value, filters, 1, padding, dilations=rates)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, name: str | None = None
) -> Any:
    """The transpose of `atrous_conv2d` with `filters`, `rate` and `padding`, with `output_shape`.

    Shapes: [batch, rows of windows, columns of windows, in], [rows, columns, out, in] -> [batch, height, width, out].
    Dtypes: those of `conv2d_transpose`.
    Raises: ValueError if `rate` isn't positive or `padding` unknown; InvalidArgumentError if shapes don't fit.
    Source: TF 2.21 `tf.nn.atrous_conv2d_transpose`.
    """
    del name
    if rate < 1:
        raise ValueError(f"tf.nn.atrous_conv2d_transpose: rate must be positive, got {rate}.")
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"tf.nn.atrous_conv2d_transpose: padding must be 'SAME' or 'VALID', got {padding!r}.")
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate)
