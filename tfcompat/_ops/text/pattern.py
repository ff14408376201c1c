"""Regular expressions in RE2's syntax, translated for Python's `re`.

A text is decoded from UTF-8; an invalid byte becomes a surrogate, which no pattern matches. (RE2 treats the three bytes
that would encode a surrogate as a character.) The effect of flags is written into each atom, so flags may change at
any place.
"""

from __future__ import annotations

import functools
import re
from typing import NoReturn

from tfcompat._core.system.error import found_early
from tfcompat._ops.text.character import CATEGORY, NAMED, PERL, complement, of_category, of_script, quoted

_CONTROLS = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
_NO_CHARACTER = r"\ud800-\udfff"
_FLAGS = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_REPETITION = re.compile(r"\{([0-9]+)(,?)([0-9]*)\}")
_MOST_REPETITIONS = 1000
# Escapes for positions. (In Python, \B does not match in an empty text.)
_PLACES = {"A": r"\A", "z": r"\Z", "b": r"(?a:\b)", "B": r"(?:(?a:\B)|\A\Z)"}


@functools.lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern for texts decoded by `decoded`.

    Raises: InvalidArgumentError for invalid patterns; NotImplementedError for single bytes.
    """
    return re.compile(_Translation(pattern).whole())


def decoded(text: bytes) -> str:
    """A text decoded for searching."""
    return text.decode(errors="surrogateescape")


def encoded(text: str) -> bytes:
    """The bytes of a decoded text."""
    return text.encode(errors="surrogateescape")


class _Translation:
    """A parser of a pattern: `at` is its position, `flags` are those that apply there."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.flags: frozenset[str] = frozenset()

    def whole(self) -> str:
        translated = self.alternatives()
        if self.at < len(self.pattern):
            self.refuse("unexpected )")
        return translated

    def refuse(self, problem: str) -> NoReturn:
        raise found_early(f"tf.strings: Invalid pattern: {self.pattern}, error: {problem}.")

    def next(self, count: int = 1) -> str:
        """The next characters, which are not consumed."""
        return self.pattern[self.at : self.at + count]

    def take(self, count: int = 1) -> str:
        taken = self.next(count)
        self.at += count
        return taken

    def alternatives(self) -> str:
        """The translation up to the end of the group. Flags set inside end with the group."""
        outside = self.flags
        parts: list[str] = []
        while self.next() not in ("", ")"):
            if self.next() == "|":
                parts.append(self.take())
                continue
            atom = self.atom()
            parts.append(self.repeated(atom) if atom is not None else "")
        self.flags = outside
        return "".join(parts)

    def repeated(self, atom: str) -> str:
        """The atom with the repetition that follows it."""
        start = self.at
        operator = self.repetition()
        if not operator:
            return atom
        is_lazy = self.next() == "?" and bool(self.take())
        if self.repetition():
            self.refuse(f"bad repetition operator: {self.pattern[start : self.at]}")
        return f"(?:{atom}){operator}{'?' if is_lazy != ('U' in self.flags) else ''}"

    def repetition(self) -> str:
        """The repetition at the current position, consumed; "" if no repetition follows."""
        if self.next() in ("*", "+", "?"):
            return self.take()
        found = _REPETITION.match(self.pattern, self.at)
        if found is None:
            return ""
        least = int(found[1])
        most = int(found[3]) if found[3] else least
        if least > most or most > _MOST_REPETITIONS or (found[3] and not found[2]):
            self.refuse(f"invalid repetition size: {found[0]}")
        return self.take(len(found[0]))

    def atom(self) -> str | None:
        """The next atom; None for flags."""
        character = self.take()
        if character == "(":
            return self.group()
        if character == "[":
            return self.cased(self.set())
        if character == "\\":
            return self.escape()
        if character in "*+?":
            self.refuse(f"no argument for repetition operator: {character}")
        if character == ".":
            return f"[^{_NO_CHARACTER}]" if "s" in self.flags else rf"[^\n{_NO_CHARACTER}]"
        if character == "^":
            return "(?m:^)" if "m" in self.flags else r"\A"
        if character == "$":
            return "(?m:$)" if "m" in self.flags else r"\Z"
        if character == "{" and _REPETITION.match(self.pattern, self.at - 1):
            self.refuse("no argument for repetition operator: {")
        return self.cased(quoted(character))

    def cased(self, atom: str) -> str:
        return f"(?i:{atom})" if "i" in self.flags else atom

    def group(self) -> str | None:
        opening = "("
        outside = self.flags
        if self.next() == "?":
            found = _FLAGS.match(self.pattern, self.at - 1)
            named = re.compile(r"\?P<\w+>").match(self.pattern, self.at)
            if named:
                self.take(len(named[0]))
            elif found:
                self.take(len(found[0]) - 1)
                self.flags = (self.flags | set(found[1])) - set(found[2] or "")
                if found[3] == ")":
                    return None
                opening = "(?:"
            else:
                self.refuse(f"invalid perl operator: ({self.next(2)}")
        inside = self.alternatives()
        self.flags = outside
        if self.take() != ")":
            self.refuse("missing )")
        return f"{opening}{inside})"

    def escape(self) -> str:
        """The translation of a backslash and the characters after it, outside a set."""
        kind = self.next()
        if kind == "Q":
            return self.quotation()
        if kind in tuple(_PLACES):
            self.take()
            return _PLACES[kind]
        if kind == "C":
            raise NotImplementedError(r"tf.strings: \C, a single byte, is not supported in patterns; use (?s:.).")
        members = self.members()
        return self.cased(f"[{members}]" if members is not None else quoted(self.character()))

    def quotation(self) -> str:
        self.take()
        text, _, _ = self.pattern[self.at :].partition(r"\E")
        self.take(len(text) + 2)
        # A repetition applies to the last character.
        parts = [self.cased(quoted(character)) for character in text]
        return "".join(parts[:-1]) + (self.repeated(parts[-1]) if parts else "")

    def members(self) -> str | None:
        """The characters of \\d, \\w, \\s, \\p and their complements; None if no such class follows."""
        kind = self.next()
        if kind.lower() in PERL and kind:
            self.take()
            members = PERL[kind.lower()]
            return members if kind.islower() else complement(members)
        return self.category() if kind in ("p", "P") else None

    def category(self) -> str:
        is_complement = self.take() == "P"
        name = self.take()
        if name == "{":
            name, closing, _ = self.pattern[self.at :].partition("}")
            self.take(len(name) + 1)
            name = name if closing else ""
        if name.startswith("^"):
            is_complement, name = not is_complement, name[1:]
        if not CATEGORY.fullmatch(name):
            members = of_script(name, is_complement)
            if members is None:
                self.refuse(rf"invalid character class range: \p{{{name}}}")
            return members
        return of_category(name, is_complement)

    def character(self) -> str:
        """The character of an escape sequence."""
        kind = self.take()
        if kind in _CONTROLS:
            return _CONTROLS[kind]
        if kind == "x":
            return self.code(re.compile(r"([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\}"), 16)
        if kind == "0" or (kind in "1234567" and kind and self.next() in tuple("01234567")):
            self.at -= 1
            return self.code(re.compile("([0-7]{1,3})"), 8)
        if not kind:
            self.refuse("trailing \\")
        if not kind.isascii() or kind.isalnum():
            self.refuse(f"invalid escape sequence: \\{kind}")
        return kind

    def code(self, digits: re.Pattern[str], base: int) -> str:
        found = digits.match(self.pattern, self.at)
        number = int(found[found.lastindex or 0], base) if found else -1
        if found is None or number > 0x10FFFF:
            self.refuse(f"invalid escape sequence: \\x{self.next(7)}")
        self.take(len(found[0]))
        return chr(number)

    def set(self) -> str:
        """A set in brackets, after the opening bracket."""
        is_complement = self.next() == "^" and bool(self.take())
        parts: list[str] = []
        while self.next() != "]" or not parts:
            if not self.next():
                self.refuse("missing ]")
            parts.append(self.item())
        self.take()
        return f"[^{''.join(parts)}{_NO_CHARACTER}]" if is_complement else f"[{''.join(parts)}]"

    def item(self) -> str:
        """The next part of a set: a class, a range or a character."""
        if self.next(2) == "[:" and ":]" in self.pattern[self.at :]:
            return self.named_class()
        if self.next() == "\\":
            self.take()
            members = self.members()
            if members is not None:
                return members
            self.at -= 1
        first = self.bound()
        if self.next() != "-" or self.next(2) in ("-", "-]"):
            return quoted(first)
        self.take()
        last = self.bound()
        if last < first:
            self.refuse(f"invalid character class range: {first}-{last}")
        return f"{quoted(first)}-{quoted(last)}"

    def bound(self) -> str:
        character = self.take()
        return self.character() if character == "\\" else character

    def named_class(self) -> str:
        text = self.pattern[self.at :].partition(":]")[0][2:]
        members = NAMED.get(text.removeprefix("^"))
        if members is None:
            self.refuse(f"invalid character class range: [:{text}:]")
        self.take(len(text) + 4)
        return complement(members) if text.startswith("^") else members
