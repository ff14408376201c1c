"""Whether two outcomes of a program agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.fuzz.machine import VALUE_CHECKS

# How far values may be apart, relative to themselves, and to the largest value of the whole program: what cancels out
# leaves an error of that size.
_RELATIVE = {"float64": 1e-6, "float32": 1e-3}
_OF_LARGEST = {"float64": 1e-10, "float32": 1e-4}
_END = float(np.finfo(np.float32).max)


def differences(got: dict[str, Any], want: dict[str, Any], is_single: bool = False) -> list[str]:
    """The differences, a line for each place. `is_single`: float64 numbers may have been float32 in between."""
    if _is_undecided(got, want):
        return []
    largest = max([1.0, *(_largest(values) for values in want.values() if isinstance(values, list))])
    complaints: list[str] = []
    for place in {**want, **got}:
        ours, theirs = got.get(place, "nothing"), want.get(place, "nothing")
        if not place.endswith("(said)") and not _agree(_without_poles(place, ours, theirs), theirs, largest, is_single):
            shown = f"  tfcompat   {_shown(place, got)}\n  tensorflow {_shown(place, want)}"
            complaints.append(f"{place}:\n{shown}")
    return complaints


def _is_undecided(got: dict[str, Any], want: dict[str, Any]) -> bool:
    """Whether TensorFlow has no result to compare with."""
    for place, outcome in want.items():
        # It has no kernel, or no gradient.
        if isinstance(outcome, str) and outcome in ("LookupError", "NotFoundError", "UnimplementedError"):
            return True
        # Its forward accumulator takes a sparse gradient for a tensor.
        if place.endswith("(said)") and "'IndexedSlices' object has no attribute" in outcome:
            return True
    # A decorated program refuses some things when it runs which tfcompat refuses when it is traced, and then what else
    # it has done is left to chance.
    if want.get("result") == "refused" and "refused" in got.values():
        return True
    # A program with a bad value undoes its assignments (migration_guide/differences.md), and later values follow.
    return _has_bad_value(got) and _has_bad_value(want) and not _agree_at("variables", got, want)


def _has_bad_value(told: dict[str, Any]) -> bool:
    return any(
        outcome == "InvalidArgumentError" and any(name in place for name in VALUE_CHECKS)
        for place, outcome in told.items()
        if isinstance(outcome, str)
    )


def _agree_at(place: str, got: dict[str, Any], want: dict[str, Any]) -> bool:
    return place in got and place in want and _agree(got[place], want[place], 1.0)


def _shown(place: str, told: dict[str, Any]) -> str:
    outcome = told.get(place, "nothing")
    values = outcome if isinstance(outcome, list) else [outcome]
    text = "; ".join(f"{x.dtype}{list(x.shape)} {x.tolist()!r}" if hasattr(x, "dtype") else repr(x) for x in values)
    return f"{text[:600]} {told.get(f'{place} (said)', '')}"


def _without_poles(place: str, got: Any, want: Any) -> Any:
    """`got` with nan where TensorFlow has it in a tangent and tfcompat has 0.

    TensorFlow's gradient of a square root at 0 is 0 where its cotangent is 0, but its tangent there is 0 / 0.
    """
    if place != "tangent" or not isinstance(got, list) or not isinstance(want, list) or len(got) != len(want):
        return got
    return [_without_pole(x, y) for x, y in zip(got, want, strict=True)]


def _without_pole(got: Any, want: Any) -> Any:
    if not hasattr(got, "shape") or not hasattr(want, "shape") or got.shape != want.shape or want.dtype.kind != "f":
        return got
    return np.where(np.isnan(want) & (got == 0), want, got)


def _largest(values: list[Any]) -> float:
    """The largest number, but for the ends of a type, which stand for the extremes of nothing."""
    arrays = [np.abs(np.asarray(x, np.float64)) for x in values if hasattr(x, "dtype") and x.dtype.kind in "fiu"]
    return max([0.0, *(float(x[x < _END].max(initial=0)) for x in arrays)])


def _agree(got: Any, want: Any, largest: float, is_single: bool = False) -> bool:
    if not isinstance(got, list) or not isinstance(want, list):
        # oneDNN, which runs some kernels of TensorFlow, aborts instead of refusing arguments.
        theirs = "InvalidArgumentError" if isinstance(want, str) and want == "AbortedError" else want
        # TensorFlow's Python reads the sizes of a scalar before it refuses that.
        if isinstance(want, str) and want == "IndexError" and isinstance(got, str):
            return got in ("ValueError", "InvalidArgumentError", "refused", "IndexError")
        return type(got) is type(theirs) and got == theirs
    return len(got) == len(want) and all(_same(x, y, largest, is_single) for x, y in zip(got, want, strict=True))


def _same(got: Any, want: Any, largest: float, is_single: bool) -> bool:
    if not hasattr(want, "dtype") or not hasattr(got, "dtype"):
        return type(got) is type(want) and got == want
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if want.dtype.name not in _RELATIVE:
        return bool(np.array_equal(got, want))
    precision = "float32" if is_single else want.dtype.name
    near = _OF_LARGEST[precision] * largest
    is_close = np.isclose(got, want, rtol=_RELATIVE[precision], atol=near, equal_nan=True)
    # A divisor that is 0 for the one may be an error of rounding for the other.
    is_pole = (np.isinf(got) | np.isinf(want)) & (np.minimum(np.abs(got), np.abs(want)) > 1 / np.finfo(want.dtype).eps)
    return bool(np.all(is_close | is_pole))
