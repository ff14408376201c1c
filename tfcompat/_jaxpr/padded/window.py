"""Reductions of windows, and the derivative of those that select an element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._jaxpr.padded.equation import Rule, applied, sizes_in, sizes_out
from tfcompat._jaxpr.padded.extreme import highest, lowest
from tfcompat._jaxpr.padded.padding import Padding
from tfcompat._jaxpr.padded.placement import shifted, spread
from tfcompat._jaxpr.padded.reduction import Identity, zero
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.padded.sliding import Slide
from tfcompat._jaxpr.size import is_open


def _slides(padding: Padding, equation: Any, counts: tuple[Any, ...]) -> list[Slide]:
    """How the window slides along each axis, at `counts` places."""
    given = equation.params
    rank = len(counts)
    spacing = given.get("window_dilation") or (1,) * rank
    dilation = given.get("base_dilation") or (1,) * rank
    return [
        Slide(
            axis,
            given["padding"][axis][0],
            (_window_size(padding, equation, axis, counts[axis]) - 1) * spacing[axis] + 1,
            given["window_strides"][axis],
            dilation[axis],
            padding.physical(counts[axis]),
        )
        for axis in range(rank)
    ]


def _window_size(padding: Padding, equation: Any, axis: int, count: Any) -> int:
    """The padded size of the window, which may take in what lies behind an operand at its only place."""
    size = equation.params["window_dimensions"][axis]
    if is_open(size) and (is_open(count) or count != 1):
        raise NoRule(equation.primitive.name, f"a window of size {size} at {count} places")
    return padding.physical(size)


def _placed(padding: Padding, array: Any, slides: list[Slide], value: Any) -> Any:
    """`array`, dilated, with `value` in its margins."""
    for slide in slides:
        array, slide = slide.placed(padding, array, value)
        before, after = slide.margins(array.shape[slide.axis])
        array = spread(array, slide.axis, before, after, slide.dilation - 1, value)
    return array


def _plain(equation: Any, rank: int) -> dict[str, Any]:
    """The parameters of a window over an operand that has its margins."""
    found: dict[str, Any] = {"padding": ((0, 0),) * rank}
    if "base_dilation" in equation.params:
        found["base_dilation"] = (1,) * rank
    return found


def _window_shape(padding: Padding, equation: Any) -> tuple[int, ...]:
    return padding.shape(equation.params["window_dimensions"])


def _reduction(identity: Identity) -> Rule:
    def reduce(padding: Padding, equation: Any, array: Any) -> Any:
        return _general(padding, equation, array, identity(array.dtype), is_general=False)

    return reduce


def _general(padding: Padding, equation: Any, *operands: Any, is_general: bool = True) -> Any:
    """Reductions of windows of one or more arrays, followed by the identities of the computation."""
    count = len(operands) // 2
    slides = _slides(padding, equation, sizes_out(equation))
    placed: list[Any] = []
    for k, (array, value) in enumerate(zip(operands[:count], operands[count:], strict=True)):
        filled = padding.filled(array, sizes_in(equation, k), range(array.ndim), value)
        placed.append(_placed(padding, filled, slides, value))
    initial = operands[count:] if is_general else ()
    window = _window_shape(padding, equation)
    return applied(equation, *placed, *initial, window_dimensions=window, **_plain(equation, len(slides)))


def _selected(equation: Any) -> Callable[[Any], Any]:
    """The value that the equation never selects from a window."""
    return lowest if equation.params["select_prim"].name == "ge" else highest


def _select_and_gather_add(padding: Padding, equation: Any, tangents: Any, array: Any) -> Any:
    value = _selected(equation)(array.dtype)
    slides = _slides(padding, equation, sizes_out(equation))
    array = padding.filled(array, sizes_in(equation, 1), range(array.ndim), value)
    tangents = padding.filled(tangents, sizes_in(equation, 0), range(array.ndim), 0)
    placed = _placed(padding, tangents, slides, 0), _placed(padding, array, slides, value)
    window = _window_shape(padding, equation)
    return applied(equation, *placed, window_dimensions=window, **_plain(equation, len(slides)))


def _select_and_scatter_add(padding: Padding, equation: Any, source: Any, array: Any) -> Any:
    value = _selected(equation)(array.dtype)
    slides = _slides(padding, equation, sizes_in(equation, 0))
    source = padding.filled(source, sizes_in(equation, 0), range(array.ndim), 0)
    filled = padding.filled(array, sizes_in(equation, 1), range(array.ndim), value)
    placed = _placed(padding, filled, slides, value)
    window = _window_shape(padding, equation)
    found = applied(equation, source, placed, window_dimensions=window, **_plain(equation, len(slides)))
    for slide in slides:
        found = _taken_back(padding, found, slide, array.shape[slide.axis])
    return found


def _taken_back(padding: Padding, found: Any, slide: Slide, size: int) -> Any:
    """The part of `found` that stands where the operand stood before it was placed."""
    if not is_open(slide.low):
        before, after = slide.margins(size)
        return spread(found, slide.axis, -before, -after, 0)
    least, most = padding.bounds(slide.low)
    return shifted(found, slide.axis, -padding.value(slide.low), -most, -least, size)


RULES: dict[str, Rule] = {
    "reduce_window": _general,
    "reduce_window_max": _reduction(lowest),
    "reduce_window_min": _reduction(highest),
    "reduce_window_sum": _reduction(zero),
    "select_and_gather_add": _select_and_gather_add,
    "select_and_scatter_add": _select_and_scatter_add,
}
