"""Characters and the bytes that encode them."""

from __future__ import annotations

import codecs
from typing import NamedTuple

from tfcompat._core.system.error import InvalidArgumentError, found_early

# A run of invalid bytes is decoded to the surrogate that encodes their number.
_FIRST_SURROGATE, _LAST_SURROGATE = 0xD800, 0xDFFF
_MOST = 0x10FFFF
FIRST_PRINTABLE = 32
# Without a byte order mark, the byte order is big-endian.
_MARKED = {"utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)}


class Policy(NamedTuple):
    """The handling of invalid bytes and of control characters.

    `errors` is "strict", "replace" (by the character `replacement`) or "ignore".
    """

    errors: str
    replacement: int
    has_controls_replaced: bool = False


def _mark(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return chr(_FIRST_SURROGATE + error.end - error.start), error.end


codecs.register_error("tfcompat.mark", _mark)


def codec(name: str, encoding: str) -> str:
    """Python's name of `encoding`. Raises InvalidArgumentError if the encoding is unknown."""
    try:
        found = codecs.lookup(encoding).name
        b"".decode(found)
    except (LookupError, ValueError):
        message = f"tf.strings.{name}: Could not create converter for input encoding: {encoding}."
        raise found_early(message) from None
    return found


def decoded(name: str, text: bytes, encoding: str, policy: Policy) -> tuple[list[int], list[int]]:
    """The characters of `text`, and the start of each. `encoding` is Python's name.

    Raises: InvalidArgumentError if bytes are invalid, and the policy is strict.
    """
    if encoding in _MARKED:
        text, encoding = _unmarked(text, encoding)
    characters = text.decode(encoding, "tfcompat.mark")
    if characters.isascii() and not policy.has_controls_replaced and len(characters) == len(text):
        return list(map(ord, characters)), list(range(len(text)))
    codes: list[int] = []
    places: list[int] = []
    place = 0
    for character in characters:
        code = ord(character)
        is_bad = _FIRST_SURROGATE <= code <= _LAST_SURROGATE
        size = code - _FIRST_SURROGATE if is_bad else len(character.encode(encoding))
        if is_bad and policy.errors == "strict":
            raise found_early(f"tf.strings.{name}: Invalid formatting on input string {text!r}.")
        is_bad |= policy.has_controls_replaced and code < FIRST_PRINTABLE
        if not is_bad or policy.errors != "ignore":
            codes.append(policy.replacement if is_bad else code)
            places.append(place)
        place += size
    return codes, places


def _unmarked(text: bytes, encoding: str) -> tuple[bytes, str]:
    """`text` without its byte order mark, and the encoding with that byte order."""
    low, high = _MARKED[encoding]
    if text.startswith(low):
        return text[len(low) :], f"{encoding}-le"
    return text.removeprefix(high), f"{encoding}-be"


def encoded(name: str, codes: list[int], encoding: str, policy: Policy) -> bytes:
    """The bytes that encode the characters `codes`.

    Raises: InvalidArgumentError if a number is not a character, and the policy is strict.
    """
    found: list[str] = []
    for code in codes:
        if 0 <= code < _FIRST_SURROGATE or _LAST_SURROGATE < code <= _MOST:
            found.append(chr(code))
        elif policy.errors == "strict":
            raise found_early(f"tf.strings.{name}: Code point {code} is out of range, or is a surrogate.")
        elif policy.errors == "replace":
            found.append(chr(policy.replacement))
    return "".join(found).encode(encoding)


def require_character(name: str, replacement: int) -> int:
    """`replacement`. Raises InvalidArgumentError if it is out of the range of characters."""
    if not 0 <= replacement <= _MOST:
        raise InvalidArgumentError.of(f"tf.strings.{name}: replacement_char out of unicode codepoint range.")
    return replacement
