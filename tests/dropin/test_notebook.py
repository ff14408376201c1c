"""The Python code in the cells of a notebook."""

from __future__ import annotations

import ast
import json

import pytest

from tfcompat._dropin.notebook import trees_in


def written(folder, *sources, kind="code"):
    path = folder / "book.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": kind, "source": source} for source in sources]}))
    return path


def python(folder, source):
    """The names that the cell `source` reads, each with its line."""
    [(_, tree)] = trees_in(written(folder, source))
    return sorted((node.id, node.lineno) for node in ast.walk(tree) if isinstance(node, ast.Name))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x", [("x", 1)]),
        (["x\n", "y"], [("x", 1), ("y", 2)]),
        ("%matplotlib inline\nx", [("x", 2)]),
        ("!pip install \\\n  one \\\n  two\nx", [("x", 4)]),
        ("if a:\n    %time f()\nx", [("a", 1), ("x", 3)]),
        ("files = !ls\nx", [("x", 2)]),
        ("f?\n?g\nf.g??\nx", [("x", 4)]),
        ("(a\n % b)", [("a", 1), ("b", 2)]),
        ("%%time\n(a\n % b)", [("a", 2), ("b", 3)]),
        ("%%capture out\n%time\nx", [("x", 3)]),
        ("%%bash\nls -la | grep x", []),
        ("%%html\n<p>x</p>", []),
        ("await x", [("x", 1)]),
        ("", []),
    ],
)
def test_magics_are_left_out(source, expected, tmp_path):
    assert python(tmp_path, source) == expected


def test_cells_count_from_1_and_text_cells_are_counted(tmp_path):
    path = written(tmp_path, "x", "y")
    notebook = json.loads(path.read_text())
    notebook["cells"].insert(1, {"cell_type": "markdown", "source": "# Not Python"})
    path.write_text(json.dumps(notebook))
    assert [number for number, _ in trees_in(path)] == [1, 3]


def test_cell_that_is_not_python_is_named(tmp_path):
    with pytest.raises(SyntaxError, match=r"book\.ipynb:cell 2, line 1"):
        list(trees_in(written(tmp_path, "x", "y = (")))


@pytest.mark.parametrize("text", ["[]", "{}", '{"cells": 3}', "no JSON"])
def test_other_files_are_refused(text, tmp_path):
    path = tmp_path / "book.ipynb"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"notebook of format 4|Expecting value"):
        list(trees_in(path))
