"""`python -m tfcompat check`: counts and output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tfcompat._dropin import until_then
from tfcompat._dropin.check import check
from tfcompat._dropin.way_out import WAYS_OUT

USE = "import tensorflow as tf\n"


@pytest.fixture(autouse=True)
def _a_part_that_is_missing(monkeypatch):
    monkeypatch.setitem(until_then.UNTIL_THEN, "part", "Do without.")


@pytest.fixture
def said(capsys):
    """A function that checks paths, and returns the exit status and the printed lines."""

    def run(*arguments):
        status = check([str(argument) for argument in arguments])
        return status, capsys.readouterr().out.splitlines()

    return run


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        ("import numpy", "1 file names no symbols of TensorFlow."),
        (f"{USE}tf.add", "1 file names 1 symbol of TensorFlow, and tfcompat has all of them."),
        (f"{USE}tf.add, tf.abs, tf.add", "1 file names 2 symbols of TensorFlow, and tfcompat has all of them."),
        (f"{USE}tf.add, tf.foo", "1 file names 2 symbols of TensorFlow; tfcompat lacks 1:"),
        (f"{USE}tf.bar, tf.foo, tf.foo", "1 file names 2 symbols of TensorFlow; tfcompat lacks 2:"),
    ],
)
def test_numbers_and_nouns_agree(code, verdict, tmp_path, said):
    (tmp_path / "program.py").write_text(code)
    assert verdict in said(tmp_path)[1]


def test_several_files_are_plural_and_read_once(tmp_path, said):
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(f"{USE}tf.add")
    status, lines = said(tmp_path / "one.py", tmp_path, tmp_path / "two.py")
    assert (status, lines) == (0, ["2 files name 1 symbol of TensorFlow, and tfcompat has all of them."])


def test_missing_symbols_are_summed_up_by_namespace(tmp_path, said):
    path = tmp_path / "program.py"
    path.write_text(f"{USE}tf.foo\ntf.part.b.C, tf.part.D\ntf.nn.foo\ntf.part.D\ntf.Graph()\n")
    assert said(path) == (
        1,
        [
            f"{path}:2: tf.foo",
            f"{path}:3: tf.part.D",
            f"{path}:3: tf.part.b.C",
            f"{path}:4: tf.nn.foo",
            f"{path}:5: tf.part.D",
            f"{path}:6: tf.Graph: {WAYS_OUT['Graph']}",
            "1 file names 5 symbols of TensorFlow; tfcompat lacks 5:",
            "  tf: 2 symbols",
            "  tf.part: 2 symbols. Do without.",
            "  tf.nn: 1 symbol",
        ],
    )


def test_json_says_the_same(tmp_path, said):
    path, broken = tmp_path / "program.py", tmp_path / "broken.py"
    path.write_text(f"{USE}tf.add\ntf.part.D, tf.foo\n")
    broken.write_text("x = (")
    status, lines = said("--json", path, broken)
    found = json.loads("\n".join(lines))
    reason = found["unread"][0].pop("reason")
    assert "'(' was never closed" in reason
    place = {"path": str(path), "cell": None, "line": 3}
    assert status == 1
    assert found == {
        "files": 1,
        "symbols": 3,
        "missing": [
            {**place, "symbol": "tf.foo", "namespace": "tf", "advice": None},
            {**place, "symbol": "tf.part.D", "namespace": "tf.part", "advice": "Do without."},
        ],
        "namespaces": {"tf": 1, "tf.part": 1},
        "unread": [{"path": str(broken)}],
    }


def test_notebooks_in_folders_are_read(tmp_path, said):
    cells = [
        {"cell_type": "markdown", "source": ["Text"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", USE]},
        {"cell_type": "code", "source": ["\n", "tf.foo"]},
    ]
    path = tmp_path / "book.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}))
    assert said(tmp_path)[1][0] == f"{path}:cell 3:2: tf.foo"
    assert json.loads("\n".join(said("--json", path)[1]))["missing"][0]["cell"] == 3


def test_hidden_folders_and_virtual_environments_are_left_out(tmp_path, said):
    for folder in (".ipynb_checkpoints", "environment/lib", "source"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "program.py").write_text(f"{USE}tf.add")
    (tmp_path / "environment" / "pyvenv.cfg").write_text("")
    assert said(tmp_path)[1] == ["1 file names 1 symbol of TensorFlow, and tfcompat has all of them."]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("broken.py", "x = (", "'(' was never closed"),
        ("broken.ipynb", "[]", "it is not a notebook of format 4"),
        ("missing.py", None, "No such file or directory"),
        ("empty", None, "it holds no .py or .ipynb file"),
    ],
)
def test_path_that_cannot_be_read_is_named(name, content, reason, tmp_path, said):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    elif not path.suffix:
        path.mkdir()
    status, lines = said(path)
    assert status == 1
    assert lines[0].startswith(f"{path}: cannot be read: ")
    assert reason in lines[0]
    assert lines[1] == "0 files name no symbols of TensorFlow."


def test_supported_programs_pass(said):
    status, lines = said(Path(__file__).resolve().parents[2] / "examples")
    assert status == 0
    assert lines[0].endswith("and tfcompat has all of them.")


def test_check_without_paths_prints_its_usage(capsys):
    with pytest.raises(SystemExit, match="2"):
        check([])
    assert "usage: python -m tfcompat check [-h] [--json] PATH" in capsys.readouterr().err
