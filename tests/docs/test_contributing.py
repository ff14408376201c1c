"""CONTRIBUTING.md names what exists: files, tests, targets, layers, and the lines of the op that it shows."""

from __future__ import annotations

import re

import pytest

from tests.docs.document import ROOT, blocks

PAGE = (ROOT / "CONTRIBUTING.md").read_text()
CODE = re.findall(r"`([^`\n]+)`", PAGE)
(DIFF,) = [block.text for block in blocks(PAGE) if block.kind == "diff"]
PATHS = [code for code in CODE if re.fullmatch(r"(tfcompat|tests)/[\w/.]+", code)]
TESTS = [code for code in CODE if re.fullmatch(r"test_\w+", code)]
# Those of the table of gradients begin in tests.
FILES = [f"tests/{code}" for code in CODE if re.fullmatch(r"(conformance|ops|function)/test_\w+\.py", code)]


@pytest.mark.parametrize("path", sorted({*PATHS, *FILES}))
def test_files_exist(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize("name", TESTS)
def test_tests_exist(name):
    files = (ROOT / "tests").rglob("test_*.py")
    assert any(f"def {name}(" in path.read_text() for path in files)


@pytest.mark.parametrize("path", re.findall(r"^\+\+\+ b/(.*)$", DIFF, re.MULTILINE))
def test_shown_lines_are_those_of_the_code(path):
    shown = DIFF.partition(f"+++ b/{path}\n")[2].partition("+++ ")[0]
    lines = (ROOT / path).read_text().splitlines()
    assert [line for line in shown.splitlines() if line.removeprefix("+") not in lines] == []


def test_targets_exist():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"make (\w+)", PAGE)) <= targets


def test_every_layer_is_named():
    layers = {path.parent.name for path in (ROOT / "tfcompat").glob("_*/__init__.py")}
    assert {layer for layer in layers if f"`tfcompat/{layer}`" not in PAGE} == set()
