"""Whether two outcomes of a program agree."""

from __future__ import annotations

from typing import Any

import numpy as np

# How far values may be apart, relative to themselves, and to the largest value of the whole program: what cancels out
# leaves an error of that size.
_RELATIVE = {"float64": 1e-6, "float32": 1e-3}
# What TensorFlow raises where it has no kernel, or no gradient.
_LACKS = {"LookupError", "NotFoundError", "UnimplementedError"}
_OF_LARGEST = {"float64": 1e-10, "float32": 1e-4}


def differences(got: dict[str, Any], want: dict[str, Any]) -> list[str]:
    """What differs, a line for each place. Nothing if TensorFlow lacks a kernel or a gradient for something."""
    if _LACKS.intersection(outcome for outcome in want.values() if isinstance(outcome, str)):
        return []
    largest = max([1.0, *(_largest(values) for values in want.values() if isinstance(values, list))])
    complaints: list[str] = []
    for place in {**want, **got}:
        ours, theirs = got.get(place, "nothing"), want.get(place, "nothing")
        if not place.endswith("(said)") and not _agree(ours, theirs, largest):
            shown = f"  tfcompat   {_shown(place, got)}\n  tensorflow {_shown(place, want)}"
            complaints.append(f"{place}:\n{shown}")
    return complaints


def _shown(place: str, told: dict[str, Any]) -> str:
    outcome = told.get(place, "nothing")
    values = outcome if isinstance(outcome, list) else [outcome]
    text = "; ".join(f"{x.dtype}{list(x.shape)} {x.tolist()!r}" if hasattr(x, "dtype") else repr(x) for x in values)
    return f"{text[:600]} {told.get(f'{place} (said)', '')}"


def _largest(values: list[Any]) -> float:
    arrays = [np.abs(np.asarray(x, np.float64)) for x in values if hasattr(x, "dtype") and x.dtype.kind in "fiu"]
    return max([0.0, *(float(x[np.isfinite(x)].max(initial=0)) for x in arrays)])


def _agree(got: Any, want: Any, largest: float) -> bool:
    if not isinstance(got, list) or not isinstance(want, list):
        return type(got) is type(want) and got == want
    return len(got) == len(want) and all(_same(x, y, largest) for x, y in zip(got, want, strict=True))


def _same(got: Any, want: Any, largest: float) -> bool:
    if not hasattr(want, "dtype") or not hasattr(got, "dtype"):
        return type(got) is type(want) and got == want
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if want.dtype.name not in _RELATIVE:
        return bool(np.array_equal(got, want))
    near = _OF_LARGEST[want.dtype.name] * largest
    return bool(np.allclose(got, want, rtol=_RELATIVE[want.dtype.name], atol=near, equal_nan=True))
