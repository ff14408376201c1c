"""Symbols whose behaviour differs from TensorFlow's, from the page of known differences."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from tfcompat._dropin.guide import pages

PAGE = "differences"
_HEADING = re.compile(r"#+ (.*)")
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
_ROW = re.compile(r"\| (?P<theirs>.*?) \| (?P<ours>.*?) \| `test_.*\|")
# A symbol: `tf.boolean_mask`, also at the beginning with arguments; elsewhere `tf.zeros([n])` is only an example.
_SYMBOL = re.compile(r"`tf\.([\w.]+)`|^`tf\.([\w.]+)\(")


class Difference(NamedTuple):
    """A row of the page of differences, or a section that is about one symbol.

    Attributes:
      text: the behaviour of TensorFlow, and that of tfcompat.
      link: the page and its section: `differences.md#strings`.
    """

    text: str
    link: str


@functools.cache
def differences() -> dict[str, tuple[Difference, ...]]:
    """The differences of each symbol, written without `tf.`."""
    found: dict[str, tuple[Difference, ...]] = {}
    sections: dict[str, tuple[Difference, ...]] = {}
    link = ""
    for line in pages()[PAGE].read_text(encoding="utf-8").splitlines():
        if heading := _HEADING.fullmatch(line):
            title = heading[1].strip()
            link = f"{PAGE}.md#{_NOT_IN_ANCHORS.sub('', title.lower()).replace(' ', '-')}"
            if title.startswith("tf."):
                sections[title.removeprefix("tf.")] = (Difference(f"The section {title} lists the cases.", link),)
        elif row := _ROW.fullmatch(line):
            difference = Difference(f"TensorFlow: {row['theirs']} Here: {row['ours']}", link)
            for symbol in dict.fromkeys(plain or called for plain, called in _SYMBOL.findall(row["theirs"])):
                found[symbol] = (*found.get(symbol, ()), difference)
    return found | sections
