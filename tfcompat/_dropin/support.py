"""Finds symbols of TensorFlow that tfcompat does not support, and advice for each."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import NamedTuple

from tfcompat._dropin.refused import Refused
from tfcompat._dropin.until_then import UNTIL_THEN, advice

_OURS = __name__.partition(".")[0]


class Gap(NamedTuple):
    """A TensorFlow symbol that tfcompat lacks or refuses.

    Attributes:
      namespace: its namespace, or the namespace that is missing as a whole, without `tf.`; empty for `tf` itself.
      advice: an alternative; empty if no alternative is known.
      is_refused: whether the name exists but raises NotImplementedError when it is used.
    """

    namespace: str
    advice: str
    is_refused: bool


def gap_at(symbol: str) -> Gap | None:
    """The gap at `symbol`, a dotted name without `tf.`; None if tfcompat supports it."""
    parts = symbol.split(".") if symbol else []
    found: object = sys.modules[_OURS]
    for count, part in enumerate(parts, 1):
        above, name = ".".join(parts[: count - 1]), ".".join(parts[:count])
        if not isinstance(found, ModuleType | type):
            return None
        try:
            is_there = hasattr(found, part)
        except ModuleNotFoundError as missing:
            return Gap(name, f"{missing}.", is_refused=False)
        if (part.startswith("_") and not part.startswith("__")) or not is_there:
            return Gap(name if name != symbol or name in UNTIL_THEN else above, advice(name), is_refused=False)
        found = getattr(found, part)
        if isinstance(found, Refused):
            return Gap(above, found.way_out, is_refused=True)
    return None
