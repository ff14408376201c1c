"""Regular expressions: matching and replacing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import bool_
from tfcompat._ops.text.element import mapped, strings
from tfcompat._ops.text.pattern import compiled, decoded, encoded


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Any:
    """Whether each string of `input` as a whole matches the regular expression `pattern`.

    Shapes: [*dims], [] -> dims.
    Dtypes: string, string -> bool.
    Gradient: None.
    Raises: InvalidArgumentError if pattern is not a scalar, or invalid in RE2; NotImplementedError for Unicode scripts
      in
      it.
    Source: TF 2.21 `tf.strings.regex_full_match`.
    """
    del name
    given = _scalar("regex_full_match", "pattern", pattern)
    found = re.compile(f"(?:{compiled(given).pattern})")

    def matches(text: bytes) -> bool:
        return found.fullmatch(decoded(text)) is not None

    return mapped("strings.regex_full_match", matches, input, bool_, {"pattern": encoded(given)})


def regex_replace(input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None) -> Any:
    r"""The strings of `input` with matches of the regular expression `pattern` replaced by `rewrite`.

    In rewrite, `\1` to `\9` are the texts of groups, `\0` the whole match. Without `replace_global`, only the first
    match
    is replaced.

    Shapes: [*dims], [], [] -> dims.
    Dtypes: string, string, string -> string.
    Raises: InvalidArgumentError if pattern or rewrite is not a scalar, or pattern is invalid in RE2;
      NotImplementedError
      for Unicode scripts in it.
    Source: TF 2.21 `tf.strings.regex_replace`.
    """
    del name
    given, new = _scalar("regex_replace", "pattern", pattern), _scalar("regex_replace", "rewrite", rewrite)
    found = compiled(given)
    parts, is_whole = _parts(new)
    can_match = max((part for part in parts if isinstance(part, int)), default=0) <= found.groups

    def replaced(text: bytes) -> bytes:
        if not can_match or not (is_whole or replace_global):
            return text
        return encoded("".join(_replaced(found, decoded(text), parts, bool(replace_global))))

    arguments = {"pattern": encoded(given), "rewrite": encoded(new), "replace_global": bool(replace_global)}
    return mapped("strings.regex_replace", replaced, input, arguments=arguments)


def _scalar(name: str, what: str, value: Any) -> str:
    tensor = strings(f"strings.{name}", value, what)
    if tensor.ndim:
        raise InvalidArgumentError.of(f"tf.strings.{name}: {what} must be a scalar, got shape {tensor.shape}.")
    return decoded(tensor.numpy())


def _parts(rewrite: str) -> tuple[list[str | int], bool]:
    """The texts and group numbers up to the first invalid escape, and whether all escapes are valid."""
    parts: list[str | int] = []
    for found in re.finditer(r"\\(.?)|[^\\]+", rewrite, re.DOTALL):
        escaped = found[1]
        if escaped is None or escaped == "\\":
            parts.append("\\" if escaped else found[0])
        elif escaped in tuple("0123456789"):
            parts.append(int(escaped))
        else:
            return parts, False
    return parts, True


def _replaced(pattern: re.Pattern[str], text: str, parts: list[str | int], is_global: bool) -> Iterator[str]:
    """The pieces of `text` after replacing. As in RE2, an empty match directly after another match is ignored."""
    place, end = 0, -1
    while place <= len(text) and (found := pattern.search(text, place)):
        yield text[place : found.start()]
        place = found.end()
        if found.start() == found.end() == end:
            yield text[place : place + 1]
            place += 1
            continue
        for part in parts:
            yield part if isinstance(part, str) else found[part] or ""
        if not is_global:
            break
        end = place
    yield text[place:]
