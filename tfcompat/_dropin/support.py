"""The support of TensorFlow's symbols in tfcompat: supported, differs, missing, refused, or removed by Keras 3."""

from __future__ import annotations

import functools
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Literal, NamedTuple

from tfcompat._dropin.difference import differences
from tfcompat._dropin.keras import uses_keras_2
from tfcompat._dropin.keras_removal import replaced_symbol
from tfcompat._dropin.private.facade import longest_facade, make_facade
from tfcompat._dropin.refused import Refused

_OURS = __name__.partition(".")[0]
Status = Literal["supported", "differs", "missing", "refused", "removed"]


class Support(NamedTuple):
    """The support of a TensorFlow symbol.

    Attributes:
      status: "supported"; "differs", in a known way; "missing"; "refused", if the name exists but raises
        NotImplementedError when it is used; "removed", if Keras 3 has it no longer.
      namespace: its namespace, or the namespace that is missing as a whole, without `tf.`; empty for `tf` itself.
      advice: the difference, or an alternative; empty if none is known.
      link: the section of the guide, for a difference.
    """

    status: Status
    namespace: str
    advice: str = ""
    link: str = ""


def support_of(symbol: str) -> Support:
    """The support of `symbol`, a dotted name without `tf.`."""
    if not uses_keras_2() and (replacement := replaced_symbol(symbol)):
        return removed(symbol, replacement)
    parts = symbol.split(".") if symbol else []
    private = longest_facade(symbol)
    # A private module is resolved without an import of TensorFlow, which may be installed beside tfcompat.
    found: object = make_facade(ModuleSpec(f"tensorflow.{private}", None)) if private else sys.modules[_OURS]
    known = len(private.split(".")) if private else 0
    for count, part in enumerate(parts[known:], known + 1):
        above, name = ".".join(parts[: count - 1]), ".".join(parts[:count])
        if not isinstance(found, ModuleType | type):
            break
        try:
            is_there = hasattr(found, part)
        except ModuleNotFoundError as missing:
            return Support("missing", name, f"{missing}.")
        is_private = part.startswith("_") and not part.startswith("__") and not private
        if is_private or not is_there:
            return Support("missing", name if name != symbol else above)
        found = getattr(found, part)
        if isinstance(found, Refused):
            return Support("refused", above, found.way_out)
    return _different(symbol, found) or Support("supported", symbol.rpartition(".")[0])


def removed(symbol: str, replacement: str) -> Support:
    """The support of a name that Keras 3 has no longer."""
    return Support("removed", symbol.rpartition(".")[0], f"{replacement[0].upper()}{replacement[1:]}.")


def _different(symbol: str, found: object) -> Support | None:
    """The known differences of the object `found` at `symbol`; None if it has none."""
    rows = differences().get(symbol) or differences().get(_differing().get(id(found), ""), ())
    if not rows:
        return None
    texts = [row.text for row in rows]
    links = dict.fromkeys(row.link for row in rows)
    return Support("differs", symbol.rpartition(".")[0], " ".join(texts), " ".join(links))


@functools.cache
def _differing() -> dict[int, str]:
    """The symbols with known differences, by the identity of the function or class, since it may have other names."""
    found: dict[int, str] = {}
    for symbol in differences():
        target: object = sys.modules[_OURS]
        for part in symbol.split("."):
            target = getattr(target, part, None)
        if callable(target):
            found[id(target)] = symbol
    return found
