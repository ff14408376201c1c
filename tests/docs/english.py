"""Finds phrases in the prose of the repository that read as if translated.

    python -m tests.docs.english              prints each place and the total
    python -m tests.docs.english tfcompat     only below the given folders or files

Prose is the text of docstrings, comments and messages in Python files, and of Markdown outside of code blocks.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
# Their strings are the phrases themselves.
OWN_FILES = {ROOT / "tests/docs/english.py", ROOT / "tests/docs/test_english.py"}
PARTS = ("README.md", "CONTRIBUTING.md", "migration_guide", "tfcompat", "tests", "benchmarks", "examples")
CODE_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`[^`\n]*`")

# Phrase -> reason for its place in the table.
PHRASES = {
    r"\b[Tt](?:old|ells?)\b(?! .{0,30}\bapart\b)": "report, state, log and determine are exact verbs",
    r"\b(?:is|are) none\b": "a noun says which thing is missing",
    r"\b(?:[Ii]f|[Ww]here|[Ww]hen) there (?:is|are) (?:one|any)\b": "a noun says which thing may be missing",
    r"\b[Ss]o many\b": "a number, or the name of the argument that holds it, is exact",
    r"\b[Tt]h(?:at|ose) which\b": "a noun names the thing",
    r"\b[Ww]hat (?:is|are|was|were|it|they|an?|the|there)\b(?![^.:]*\?)": "a noun names the thing: 'the value of slot'",
    r"\b[Aa]new\b": "'again', or 'a new ...'",
    r"\b(?:[Nn]obody|[Ss]omebody)\b": "code is not a person",
    r"(?<!here )\b(?:is|are|was|were) no (?!longer|larger|smaller|more|less|fewer)": "'is not a ...'",
    r"\b(?:[Cc]omes?|[Cc]ame) (?:back|round)\b": "'runs again', 'returns', 'occurs again'",
    r"\b(?:is|are|was|were|been|has|have) met\b": "'found', 'visited', 'recorded'",
    r"\b[Gg]o(?:es)? on\b": "'continues'",
    r"\b[Ss]tands? (?:in|by|at)\b": "'is in', 'is listed in'",
    r"\b(?:[Bb]esides|as far as)\b": "'in addition to', 'also', 'according to'",
}
ANY_PHRASE = re.compile("|".join(PHRASES))
# The same for the beginning of a docstring.
BEGINNINGS = {
    r"\AWhat ": "a docstring begins with a noun or a verb",
    r"\AWhether what ": "a docstring begins with a noun or a verb",
}


class Place(NamedTuple):
    """A phrase that was found: its file, its line and its words."""

    path: Path
    line: int
    words: str


def places(path: Path) -> Iterator[Place]:
    """The places of the phrases in a Python or Markdown file."""
    if path.suffix == ".md":
        text = INLINE_CODE.sub(_blank, CODE_BLOCK.sub(_blank, path.read_text()))
        return _found(path, 1, text, PHRASES)
    return _places_in_python(path)


def all_places(parts: tuple[str, ...] = PARTS) -> list[Place]:
    """The places below `parts`, relative to the root of the repository, without the files of this script."""
    return [place for part in parts for path in _files(ROOT / part) if path not in OWN_FILES for place in places(path)]


def _files(part: Path) -> list[Path]:
    return [part] if part.is_file() else sorted([*part.rglob("*.py"), *part.rglob("*.md")])


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _places_in_python(path: Path) -> Iterator[Place]:
    source = path.read_text()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            docstring = node.body[0]
            assert isinstance(docstring, ast.Expr)
            yield from _found(path, docstring.lineno, ast.get_docstring(node) or "", BEGINNINGS)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _found(path, node.lineno, node.value, PHRASES)
    # A comment is a part of a line; most files need no search for its beginning.
    if any(ANY_PHRASE.search(line) for line in source.splitlines() if "#" in line):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield from _found(path, token.start[0], token.string, PHRASES)


def _found(path: Path, line: int, text: str, phrases: dict[str, str]) -> Iterator[Place]:
    for phrase in phrases:
        for match in re.finditer(phrase, text):
            yield Place(path, line + text.count("\n", 0, match.start()), match[0])


def main() -> None:
    """Prints the places below the parts named on the command line, or below all."""
    found = all_places(tuple(sys.argv[1:]) or PARTS)
    print(
        *(f"{place.path.relative_to(ROOT)}:{place.line}: {place.words}" for place in found),
        f"{len(found)} phrases",
        sep="\n",
    )


if __name__ == "__main__":
    main()
