"""Names of modules and classes follow the conventions."""

from __future__ import annotations

import re
from pathlib import Path

from tests.architecture.source import ALL_FILES, ROOT, name_of

EMPTY_NAMES = re.compile(r"(^|_)(utils?|helpers?|common|misc|impl|v\d+)(_|$)")
# Classes that TensorFlow names so.
PUBLIC = {"CheckpointManager", "DelegatingTrackableMixin", "StateManager"}
CLASS = re.compile(r"^ *class (\w+)", re.MULTILINE)
EMPTY_WORDS = re.compile(r"Base|Mixin|Manager|Utils?|Helpers?")


def words(class_name: str) -> list[str]:
    """The words of a name in camel case."""
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", class_name)


def own_names(path: Path) -> tuple[str, ...]:
    """The names of a module and its packages, except TensorFlow's own name of a namespace."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[3:] if parts[:3] == ("tfcompat", "compat", "v1") else parts


def test_modules_are_named_after_their_subjects():
    assert not [name_of(path) for path in ALL_FILES if any(map(EMPTY_NAMES.search, own_names(path)))]


def test_classes_are_named_after_what_they_are():
    assert not [
        f"{name_of(path)}: {name}"
        for path in ALL_FILES
        for name in CLASS.findall(path.read_text())
        if name not in PUBLIC and any(map(EMPTY_WORDS.fullmatch, words(name)))
    ]


def test_empty_names_are_recognised():
    assert EMPTY_NAMES.search("array_utils")
    assert EMPTY_NAMES.search("tape_v2")
    assert not EMPTY_NAMES.search("implementation")
    assert words("LayerBaseHTTP2") == ["Layer", "Base", "HTTP", "2"]
