"""Character classes of regular expressions, written for Python's `re`."""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from importlib.resources import files

_WORD, _SPACE = "0-9A-Z_a-z", r"\t\n\f\r "
# By the letter after the backslash.
PERL = {"d": "0-9", "w": _WORD, "s": _SPACE}
NAMED = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t-\r ",
    "upper": "A-Z",
    "word": _WORD,
    "xdigit": "0-9A-Fa-f",
}
CATEGORY = re.compile("C[cfo]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?|Any")
_SURROGATES = range(0xD800, 0xE000)


def quoted(character: str) -> str:
    """The character itself, inside or outside a set."""
    return re.escape(character) if character.isascii() else character


@functools.cache
def of_category(name: str, is_complement: bool) -> str:
    """The characters of a Unicode general category, such as "Lu", or "L" for all that begin with it; or all others."""
    begins = "" if name == "Any" else name
    codes = range(sys.maxunicode + 1)
    return _ranges([unicodedata.category(chr(code)).startswith(begins) != is_complement for code in codes])


@functools.cache
def _scripts() -> dict[str, list[str]]:
    """The ranges of characters of each script."""
    found: dict[str, list[str]] = {}
    for line in files("tfcompat._ops.text").joinpath("pattern_script.txt").read_text("ascii").splitlines():
        name, *ranges = line.split()
        if name != "#":
            found.setdefault(name, []).extend(ranges)
    return found


@functools.cache
def of_script(name: str, is_complement: bool) -> str | None:
    """The characters of a Unicode script, such as "Greek", or all others; None for an unknown name."""
    ranges = _scripts().get(name)
    if ranges is None:
        return None
    members = [is_complement] * (sys.maxunicode + 1)
    for each in ranges:
        first, _, last = each.partition("-")
        for code in range(int(first, 16), int(last or first, 16) + 1):
            members[code] = not is_complement
    return _ranges(members)


@functools.cache
def complement(members: str) -> str:
    """The characters that are not in the set of `members`, which are in ASCII."""
    matches = re.compile(f"[{members}]").match
    return _ranges([not matches(chr(code)) for code in range(128)]) + r"\x80-\ud7ff\ue000-\U0010ffff"


def _ranges(is_member: list[bool]) -> str:
    """A set by its ranges, always without surrogates, which represent invalid bytes."""
    found: list[str] = []
    start = None
    for code, belongs in enumerate((*is_member, False)):
        if belongs and code not in _SURROGATES:
            start = code if start is None else start
        elif start is not None:
            found.append(f"{quoted(chr(start))}-{quoted(chr(code - 1))}")
            start = None
    return "".join(found)
