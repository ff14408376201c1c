"""Runs the code in a Markdown document, from its first line to its last, as one session.

    python -m tests.docs.document README.md

The words after the fence determine the kind of a fenced block:

    python            is run in a new folder; examples with >>> must have the results shown; a program must print the
                      text in a following `text` block
    python NAME.py    is written to that file
    console           lines that begin with `$ ` are run in the folder of those files, and must print the lines that
                      follow

Numbers need only agree to a thousandth, so that a document can be tested on any machine; `...` matches any text. The
exit status is the number of blocks that fail.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import linecache
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.printed import NUMBER, is_near

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(?P<kind>\S*) *(?P<name>\S*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
# A line of a program.
LINE = re.compile(r"\.py:\d+")


class Block(NamedTuple):
    """A fenced block: the words after the fence, its text, and its line in the document."""

    kind: str
    name: str
    text: str
    line: int


def blocks(document: str) -> list[Block]:
    """The fenced blocks of `document`."""
    return [
        Block(found["kind"], found["name"], found["text"], document.count("\n", 0, found.start("text")) + 1)
        for found in FENCE.finditer(document)
    ]


def pattern_of(want: str) -> re.Pattern[str]:
    """A pattern for texts that differ from `want` only in numbers, its groups, in blanks, and in place of `...`.

    Numbers of lines do not differ: of several lines of a file, the pattern finds the one that is shown.
    """
    parts = re.split(rf"({LINE.pattern}|{NUMBER.pattern}|\.\.\.|\s+)", want.strip())
    return re.compile("".join(map(_part_of, parts)), re.DOTALL)


def _part_of(part: str) -> str:
    if part == "...":
        return ".*?"
    if NUMBER.fullmatch(part):
        return r"\s*([-+]?(?:\d++\.\d*+|\.\d++|\d++)(?:e[-+]?\d++)?)\s*"
    return re.escape(part) if part.strip() else r"\s*"


def is_alike(got: str, want: str) -> bool:
    """Whether `got` matches `want`."""
    found = pattern_of(want).fullmatch(got.strip())
    return found is not None and is_near(found.groups(), NUMBER.findall(LINE.sub(" ", want).replace("...", " ")))


class Checker(doctest.OutputChecker):
    """Accepts numbers that agree to a thousandth."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """Whether `got` matches `want`."""
        return super().check_output(want, got, optionflags) or is_alike(got, want)


class Session:
    """A run of one document."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path = path
        self._folder = folder
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self.failures: list[str] = []

    def run(self) -> None:
        """Runs every block in the folder; `failures` lists those that fail."""
        shown = blocks(self._path.read_text())
        # AutoGraph reads the source of functions, for which Python may look in the folder of the run.
        lines = self._path.read_text().splitlines(keepends=True)
        linecache.cache[str(self._path)] = (sum(map(len, lines)), None, lines, str(self._path))
        with contextlib.chdir(self._folder):
            self._run(shown)

    def _run(self, shown: list[Block]) -> None:
        for block, following in zip(shown, [*shown, None][1:], strict=True):
            if block.name:
                (self._folder / block.name).write_text(block.text)
            elif block.kind == "python" and ">>> " in block.text:
                self._examples(block)
            elif block.kind == "python":
                self._program(block, following.text if following is not None and following.kind == "text" else None)
            elif block.kind == "console":
                self._commands(block)

    def _examples(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, {}, self._path.name, str(self._path), block.line - 1)
        test.globs = self._names
        said = io.StringIO()
        options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        runner = doctest.DocTestRunner(Checker(), optionflags=options)
        if runner.run(test, out=said.write, clear_globs=False).failed:
            self.failures.append(said.getvalue())

    def _program(self, block: Block, wanted: str | None) -> None:
        said = io.StringIO()
        # Errors and explanations refer to lines of the document.
        program = compile("\n" * (block.line - 1) + block.text, str(self._path), "exec")
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            exec(program, self._names)
        if wanted is not None:
            self._compare(block, said.getvalue(), wanted)

    def _commands(self, block: Block) -> None:
        for command, wanted in commands(block.text):
            setting, _, call = command.rpartition("python ")
            environment = dict(pair.split("=") for pair in setting.split()) | {"PYTHONPATH": str(ROOT)}
            done = subprocess.run(
                [sys.executable, *call.split()],
                capture_output=True,
                text=True,
                cwd=self._folder,
                env=os.environ | environment,
                check=False,
            )
            self._compare(block, done.stdout + done.stderr, wanted)

    def _compare(self, block: Block, got: str, wanted: str) -> None:
        if not is_alike(got, wanted):
            self.failures.append(f"{self._path}:{block.line}: shown\n{wanted}\nbut it is\n{got}")


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands in a console block, each with its expected output."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, wanted = part.partition("\n")
        yield command.partition("  #")[0], wanted


def main() -> None:
    """Runs the document named on the command line."""
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Path(sys.argv[1]), Path(folder))
        session.run()
    print("\n".join(session.failures))
    sys.exit(len(session.failures))


if __name__ == "__main__":
    main()
