"""`python -m tfcompat check`: counts and output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tfcompat._dropin.check import check
from tfcompat._dropin.way_out import WAYS_OUT

USE = "import tensorflow as tf\n"


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
        (f"{USE}tf.add, tf.foo", "1 file names 2 symbols of TensorFlow: 1 supported, 1 missing."),
        (f"{USE}tf.bar, tf.foo, tf.foo", "1 file names 2 symbols of TensorFlow: 2 missing."),
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
            f"{path}:2: tf.foo: missing",
            f"{path}:3: tf.part.D: missing",
            f"{path}:3: tf.part.b.C: missing",
            f"{path}:4: tf.nn.foo: missing",
            f"{path}:5: tf.part.D: missing",
            f"{path}:6: tf.Graph: refused",
            "1 file names 5 symbols of TensorFlow: 4 missing, 1 refused.",
            "missing:",
            "  tf.part: 2 symbols",
            "  tf: 1 symbol",
            "  tf.nn: 1 symbol",
            "refused, with an alternative:",
            f"  tf.Graph: {WAYS_OUT['Graph']}",
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
    place = {"path": str(path), "cell": None, "line": 3, "status": "missing", "link": None}
    assert status == 1
    assert found == {
        "files": 1,
        "symbols": 3,
        "counts": {"supported": 1, "missing": 2, "refused": 0, "removed": 0, "differs": 0},
        "uses": [
            {**place, "symbol": "tf.foo", "namespace": "tf", "advice": None},
            {**place, "symbol": "tf.part.D", "namespace": "tf.part", "advice": None},
        ],
        "namespaces": {"tf": 1, "tf.part": 1},
        "unread": [{"path": str(broken)}],
    }


def test_known_differences_are_explained_with_a_link_and_are_no_failure(tmp_path, said):
    path = tmp_path / "program.py"
    path.write_text(f"{USE}tf.add\ntf.nn.max_pool\n")
    status, lines = said(path)
    assert status == 0
    assert lines[:3] == [
        f"{path}:3: tf.nn.max_pool: differs",
        "1 file names 2 symbols of TensorFlow: 1 supported, 1 differs.",
        "differs from TensorFlow:",
    ]
    assert lines[3].startswith("  tf.nn.max_pool: TensorFlow: ")
    assert " Here: A window with nan gives nan" in lines[3]
    assert lines[3].endswith(" (differences.md#numbers)")


def test_supported_symbols_are_listed_on_request(tmp_path, said):
    path = tmp_path / "program.py"
    path.write_text(f"{USE}tf.add\n")
    assert said("--all", path)[1][0] == f"{path}:2: tf.add: supported"
    assert json.loads("\n".join(said("--all", "--json", path)[1]))["uses"][0]["status"] == "supported"


@pytest.mark.parametrize(
    ("code", "symbol", "replacement"),
    [
        ("optimizer = tf.keras.optimizers.Adam()\noptimizer.lr = 0.1", ".lr", "`learning_rate`"),
        ("metric = tf.keras.metrics.Mean()\nmetric.reset_states()", ".reset_states", "`reset_state`"),
        ("class Model(tf.keras.Model):\n  def f(self): self.compiled_loss(1, 2)", ".compiled_loss", "`compute_loss"),
        ("\ntf.keras.experimental.LinearModel()", "tf.keras.experimental.LinearModel", "TF_USE_LEGACY_KERAS=1"),
        ("\ntf.keras.optimizers.legacy.Adam()", "tf.keras.optimizers.legacy.Adam", "tf.keras.optimizers"),
        ("\ntf.keras.optimizers.Adam(lr=0.1)", "tf.keras.optimizers.Adam(lr=)", "`learning_rate`"),
        ("\nmodel.fit(x, y, workers=2)", ".fit(workers=)", "PyDataset"),
        ("\nself.model.optimizer.minimize(f, v)", ".minimize", "`apply_gradients`"),
    ],
)
def test_names_that_keras_3_has_removed_have_a_replacement(code, symbol, replacement, tmp_path, said, monkeypatch):
    monkeypatch.delenv("TF_USE_LEGACY_KERAS", raising=False)
    path = tmp_path / "program.py"
    path.write_text(USE + code)
    status, lines = said(path)
    assert status == 1
    assert f"{path}:3: {symbol}: removed" in lines
    heading = lines.index("removed by Keras 3, also under TensorFlow 2.16 and later:")
    assert lines[heading + 1].startswith(f"  {symbol}: ")
    assert replacement in lines[heading + 1]


def test_attributes_of_other_libraries_are_left_alone(tmp_path, said):
    path = tmp_path / "program.py"
    path.write_text("import other\nother.f().reset_states()\noptimizer.lr = 3\nother.fit(workers=2)\n")
    assert said(path) == (0, ["1 file names no symbols of TensorFlow."])
    path.write_text(f"{USE}args.lr, scheduler.lr, other.optimizers.Adam(lr=1), search.fit(n_jobs=2)\n")
    assert said(path)[0] == 0


def test_notebooks_in_folders_are_read(tmp_path, said):
    cells = [
        {"cell_type": "markdown", "source": ["Text"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", USE]},
        {"cell_type": "code", "source": ["\n", "tf.foo"]},
    ]
    path = tmp_path / "book.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}))
    assert said(tmp_path)[1][0] == f"{path}:cell 3:2: tf.foo: missing"
    assert json.loads("\n".join(said("--json", path)[1]))["uses"][0]["cell"] == 3


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
    assert not [line for line in lines if line.endswith((": missing", ": refused", ": removed"))]


def test_check_without_paths_prints_its_usage(capsys):
    with pytest.raises(SystemExit, match="2"):
        check([])
    assert "usage: python -m tfcompat check [-h] [--all] [--json] PATH" in capsys.readouterr().err
