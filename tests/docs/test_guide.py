"""The blocks of the pages, and the examples in docstrings, have the output shown."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import tfcompat
from tests import forked
from tests.docs.document import FENCE, ROOT, Checker, blocks

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "migration_guide").glob("*.md"))]
# These take long, so they run in `make thorough`.
LONG = {"distribution.md", "varying_shapes.md", "checkpoints.md", "command_line.md", "saved_models.md"}
LONG |= {"debugging_performance.md", "how_it_works.md", "summaries.md", "CONTRIBUTING.md"}
LONG |= {"jax_interop.md", "pipelines.md", "tf_function.md"}
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#([^)]+))?\)")


def has_code(path):
    """Whether the document has blocks that are run, or written to files."""
    return any(block.name or block.kind in ("python", "console") for block in blocks(path.read_text()))


def names(paths):
    return [str(path.relative_to(ROOT)) for path in paths]


def marked(name):
    return pytest.param(name, marks=pytest.mark.thorough) if Path(name).name in LONG else name


@pytest.mark.parametrize("document", [marked(name) for name in names(path for path in DOCUMENTS if has_code(path))])
def test_document_shows_what_happens(document):
    # A separate process, since programs compiled before would change the counters.
    done = forked.run(["-m", "tests.docs.document", document], cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("document", names(DOCUMENTS))
def test_links_of_document_lead_somewhere(document):
    path = ROOT / document
    for target, section in LINK.findall(FENCE.sub("", path.read_text())):
        found = path.parent / target
        assert found.exists(), target
        if section:
            headings = re.findall(r"^#+ (.*)$", FENCE.sub("", found.read_text()), re.MULTILINE)
            assert section in map(anchor, headings), (target, section)


def test_guide_lists_all_its_pages():
    folder = ROOT / "migration_guide"
    listed = {target for target, _ in LINK.findall((folder / "README.md").read_text())}
    assert listed >= {path.name for path in folder.glob("*.md")} - {"README.md"}


def test_differences_and_their_tests_name_each_other():
    page = (ROOT / "migration_guide" / "differences.md").read_text()
    files = (ROOT / "tests").rglob("test_*differences.py")
    tests = "\n".join(file.read_text() for file in files)
    assert set(re.findall(r"`(test_\w+)`", page)) == set(re.findall(r"^def (test_\w+)", tests, re.MULTILINE))


def modules():
    for found in pkgutil.walk_packages(tfcompat.__path__, "tfcompat."):
        if found.name != "tfcompat.__main__":
            yield importlib.import_module(found.name)


def test_examples_in_docstrings_answer_what_they_show():
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(Checker())
    for module in modules():
        if ">>> " not in Path(module.__file__).read_text():
            continue
        for test in finder.find(module):
            test.globs |= {"tf": tfcompat}
            assert runner.run(test).failed == 0, test.name
