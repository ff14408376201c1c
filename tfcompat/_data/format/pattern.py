"""Paths that match a pattern, in which `*`, `?` and `[...]` stand for letters other than `/`."""

from __future__ import annotations

import re

from tfcompat._data.format.file_error import translated
from tfcompat._data.format.file_system import FileSystem, scheme_of, system_of

_SPECIAL = re.compile(r"[*?\[\\]")


def matching(pattern: str) -> list[str]:
    """The paths of the files and directories that match `pattern`, sorted; those of this folder begin with `./`."""
    scheme = scheme_of(pattern)
    prefix = f"{scheme}://" if scheme else ""
    system, _ = system_of(pattern)
    path = pattern[len(prefix) :]
    special = _SPECIAL.search(path)
    if special is None:
        return [pattern] if path and _exists(system, prefix, path) else []
    fixed, separator, rest = path[: special.start()].rpartition("/")
    start = fixed + separator if separator else "./"
    tail = path[len(fixed + separator) :] if separator else rest + path[special.start() :]
    found = [start]
    for part in filter(None, tail.split("/")):
        found = [place + name for place in found for name in _names(system, prefix, place, part)]
        found = [f"{place}/" for place in found]
    return sorted(prefix + place[:-1] for place in found)


def _exists(system: FileSystem, prefix: str, path: str) -> bool:
    try:
        system.stat(_inside(prefix, path))
    except (OSError, ValueError):
        return False
    return True


def _inside(prefix: str, path: str) -> str:
    """The path that the file system takes."""
    return path if prefix in ("", "file://") else prefix + path


def _names(system: FileSystem, prefix: str, folder: str, part: str) -> list[str]:
    """The names in `folder` that match `part` of a pattern; an empty list if it is not a folder."""
    expression = _expression(part)
    if expression is None:
        return []
    path = _inside(prefix, folder)
    try:
        return [name for name in system.list(path) if expression.fullmatch(name)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError:
        with translated(path):
            raise


def _expression(part: str) -> re.Pattern[str] | None:
    """The regular expression for a part of a pattern; None for a part that is not closed."""
    found, place = "", 0
    while place < len(part):
        letter, place = part[place], place + 1
        if letter == "*":
            found += ".*"
        elif letter == "?":
            found += "."
        elif letter == "\\":
            if place == len(part):
                return None
            found, place = found + re.escape(part[place]), place + 1
        elif letter == "[":
            # A bracket directly after the beginning belongs to the list.
            first = place + (part[place : place + 1] in ("!", "^"))
            end = part.find("]", first + 1)
            if end < 0:
                return None
            listed = part[first:end].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
            found += f"[{'^' if first > place else ''}{listed}]"
            place = end + 1
        else:
            found += re.escape(letter)
    try:
        return re.compile(found, re.DOTALL)
    except re.error:
        return None
