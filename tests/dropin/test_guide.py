"""`python -m tfcompat guide`, and the messages that refer to it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import tfcompat
from tfcompat._dropin import guide

ROOT = Path(__file__).resolve().parents[2]
CALL = re.compile(r"`python -m tfcompat guide(?: (\w+))?`")


def test_pages_are_those_of_the_checkout():
    assert guide.pages() == {path.stem: path for path in (ROOT / "migration_guide").glob("*.md")}


def test_wheel_holds_the_pages_where_they_are_looked_for(tmp_path, monkeypatch):
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = configuration["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    page = tmp_path / included["migration_guide"] / "page.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Page\n")
    monkeypatch.setattr(guide, "_PACKAGE", tmp_path / "tfcompat")
    assert guide.pages() == {"page": page}


def test_list_of_contents_says_how_to_go_on(capsys):
    assert guide.show_guide([]) == 0
    said = capsys.readouterr().out
    assert said.startswith("# Migration guide\n")
    assert said.endswith(
        f"`python -m tfcompat guide PAGE` prints a page. The files are in {ROOT / 'migration_guide'}.\n"
    )


@pytest.mark.parametrize("name", ["errors", "errors.md"])
def test_page_is_printed(name, capsys):
    assert guide.show_guide([name]) == 0
    assert capsys.readouterr().out == (ROOT / "migration_guide" / "errors.md").read_text() + "\n"


@pytest.mark.parametrize("arguments", [["no_such_page"], ["errors", "random"], ["../README"]])
def test_other_arguments_are_refused(arguments, capsys):
    assert guide.show_guide(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "name one page of README, checkpoints" in said.err


def test_messages_name_pages_that_exist():
    texts = [path.read_text() for path in Path(tfcompat.__file__).parent.rglob("*.py")]
    named = {page for text in texts for page in CALL.findall(text)}
    assert "supported" in named
    assert named <= {"", "PAGE", *guide.pages()}
