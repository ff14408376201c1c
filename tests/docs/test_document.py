"""The runner of documents finds errors in them."""

from __future__ import annotations

import pytest

from tests.docs.document import Session, blocks, is_alike

WRONG = {
    "a wrong answer": "```python\n>>> 1 + 1\n3\n\n```\n",
    "a wrong output": "```python\nprint(1.0)\n```\n\n```text\n1.01\n```\n",
    "a wrong word": "```python\nprint('one')\n```\n\n```text\ntwo\n```\n",
    "an unexpected error": "```python\n>>> 1 / 0\n\n```\n",
    "a command that prints something else": '```console\n$ python -c "print(1)"\n2\n```\n',
    "a program that is wrong later": "```python\nx = 1\n```\n\n```python\n>>> x\n2\n\n```\n",
}
RIGHT = {
    "an answer": "```python\n>>> 1 + 1\n2\n\n```\n",
    "a number that is near": "```python\n>>> 1 / 3\n0.3333\n\n```\n",
    "an output": "```python\nprint('a', 1.0)\n```\n\n```text\na 1.0\n```\n",
    "a file and a command": "```python two.py\nprint(2)\n```\n\n```console\n$ python two.py\n2\n```\n",
    "an error that is shown": "```python\n>>> int('a')\nTraceback (most recent call last):\nValueError: ...\n```\n",
    "a file that a program writes": "```python\nopen('two.txt', 'w').close()\n```\n\n```python\n"
    ">>> import os\n>>> sorted(os.listdir())\n['document.md', 'two.txt']\n\n```\n",
    "another language": "```cpp\nint x = ;\n```\n",
}


def failures(text, folder):
    path = folder / "document.md"
    path.write_text(text)
    session = Session(path, folder)
    session.run()
    return session.failures


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_found(text, tmp_path):
    assert len(failures(text, tmp_path)) == 1


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT.keys())
def test_what_is_right_passes(text, tmp_path):
    assert failures(text, tmp_path) == []


def test_blocks_know_their_lines():
    assert [(b.kind, b.name, b.line) for b in blocks("a\n```python\nx\n```\n\n```python f.py\ny\n```\n")] == [
        ("python", "", 3),
        ("python", "f.py", 7),
    ]


@pytest.mark.parametrize(
    ("got", "want", "answer"),
    [
        ("[ 0.1 -2.0]", "[0.1 -2.]", True),
        ("[0.1002]", "[0.1]", False),
        ("1 2", "1 3", False),
        ("1 2", "12", False),
        ("took 3 ms at x.py:7", "took ... ms at x.py:7", True),
        ("took 3 ms at x.py:8", "took ... ms at x.py:7", False),
        ("a\nb", "a b", True),
    ],
)
def test_alike_is_the_same_words_and_near_numbers(got, want, answer):
    assert is_alike(got, want) is answer
