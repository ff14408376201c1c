"""Convolutions and their derivatives, which JAX writes as convolutions with symbolic margins."""

from __future__ import annotations

from typing import Any

from tfcompat._jaxpr.padded.equation import Rule, applied, sizes_in, sizes_out
from tfcompat._jaxpr.padded.padding import Padding
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.padded.sliding import Slide
from tfcompat._jaxpr.size import is_open


def _convolution(padding: Padding, equation: Any, image: Any, kernel: Any) -> Any:
    """Zeros behind both operands along the axes that are summed over.

    If a kernel's spatial sizes are open, as in the derivative for a kernel, its zeros meet elements of the image that
    the exact program would not multiply: an infinity among them makes nan of more elements than there.
    """
    given = equation.params
    numbers = given["dimension_numbers"]
    image_sizes, kernel_sizes = sizes_in(equation, 0), sizes_in(equation, 1)
    _refuse_open_steps(given)
    _refuse_open_groups(equation, image_sizes, kernel_sizes)
    image = padding.filled(image, image_sizes, numbers.lhs_spec[1:], 0)
    kernel = padding.filled(kernel, kernel_sizes, numbers.rhs_spec[1:], 0)
    margins: list[tuple[int, int]] = []
    dilations: list[int] = []
    for k, (low, _) in enumerate(given["padding"]):
        axis = numbers.lhs_spec[2 + k]
        slide = Slide(
            axis,
            low,
            (kernel.shape[numbers.rhs_spec[2 + k]] - 1) * given["rhs_dilation"][k] + 1,
            given["window_strides"][k],
            given["lhs_dilation"][k],
            padding.physical(sizes_out(equation)[numbers.out_spec[2 + k]]),
        )
        image, slide = slide.placed(padding, image, 0)
        low, high = slide.margins(image.shape[axis])
        margins.append((low, max(high, 0)))
        dilations.append(slide.dilation)
    return applied(equation, image, kernel, padding=tuple(margins), lhs_dilation=tuple(dilations))


def _refuse_open_steps(given: Any) -> None:
    """Strides and dilations are fixed in a convolution of XLA."""
    for name in ("window_strides", "rhs_dilation"):
        if any(map(is_open, given[name])):
            raise NoRule("conv_general_dilated", f"{name} {given[name]}")


def _refuse_open_groups(equation: Any, image_sizes: Any, kernel_sizes: Any) -> None:
    """Groups divide an axis by place, so its size must be known."""
    numbers = equation.params["dimension_numbers"]
    batches, features = equation.params["batch_group_count"], equation.params["feature_group_count"]
    is_split = (features, image_sizes[numbers.lhs_spec[1]]), (batches, image_sizes[numbers.lhs_spec[0]])
    for groups, size in (*is_split, (features, kernel_sizes[numbers.rhs_spec[0]])):
        if is_open(groups) or (groups != 1 and is_open(size)):
            raise NoRule("conv_general_dilated", f"{groups} groups of an axis of size {size}")


RULES: dict[str, Rule] = {"conv_general_dilated": _convolution}
