"""The prose of the repository avoids phrases that read as if translated."""

from __future__ import annotations

import pytest

from tests.docs.english import all_places, places

# For places where one of the phrases is right.
BOUND = 2

FOUND = {
    'def f():\n    """What f computes."""\n': 1,
    "# The user is told of it.\n": 1,
    'raise ValueError("there is none")\n': 1,
    "x = 1  # So there are so many\n": 1,
    "# A key is no tensor. The rest is made anew where it goes on.\n": 3,
}
PASSED = {
    'def f():\n    """The result of the call."""\n    return what_is_told\n': 0,
    'name = "What is it?"\n': 0,
    "# The number tells views apart.\n": 0,
    "# There is no loop, and it is no longer than that.\n": 0,
}


def test_few_phrases_read_as_if_translated():
    found = all_places()
    print(f"{len(found)} phrases; python -m tests.docs.english lists them")
    assert len(found) <= BOUND


@pytest.mark.parametrize(("text", "count"), [*FOUND.items(), *PASSED.items()])
def test_phrases_are_found_in_docstrings_comments_and_messages(text, count, tmp_path):
    path = tmp_path / "module.py"
    path.write_text(text)
    assert len(list(places(path))) == count


def test_code_in_markdown_is_not_prose(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("The user is told.\n\n```python\ntold = 1\n```\n\n`is told`\n")
    assert [(place.line, place.words) for place in places(path)] == [(1, "told")]
