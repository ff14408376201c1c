"""Names of modules and classes follow the conventions."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path for folder in ("tfcompat", "tests", "examples", "benchmarks") for path in (ROOT / folder).rglob("*.py")
)
EMPTY_NAMES = re.compile(r"(^|_)(utils?|helpers?|common|misc|impl|v\d+)(_|$)")
# Classes that TensorFlow names so.
PUBLIC = {"CheckpointManager", "DelegatingTrackableMixin", "StateManager"}
EMPTY_WORDS = re.compile(r"Base|Mixin|Manager|Utils?|Helpers?")


def words(class_name: str) -> list[str]:
    """The words of a name in camel case."""
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", class_name)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_module_is_named_after_its_subject(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    # TensorFlow's own name of a namespace.
    own = parts[3:] if parts[:3] == ("tfcompat", "compat", "v1") else parts
    assert not any(EMPTY_NAMES.search(part) for part in own)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_class_is_named_after_what_it_is(path):
    classes = [node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)]
    assert not [name for name in classes if name not in PUBLIC and any(map(EMPTY_WORDS.fullmatch, words(name)))]


def test_empty_names_are_recognised():
    assert EMPTY_NAMES.search("array_utils")
    assert EMPTY_NAMES.search("tape_v2")
    assert not EMPTY_NAMES.search("implementation")
    assert words("LayerBaseHTTP2") == ["Layer", "Base", "HTTP", "2"]
