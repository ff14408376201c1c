"""The unmodified examples print the same output as under TensorFlow 2.21 (`examples/*.txt` beside this file)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import forked
from tests.daily import thorough, without
from tests.printed import assert_printed_alike, printed_by

EXPECTED = Path(__file__).parent / "examples"
EXAMPLES = Path(__file__).parents[2] / "examples"
# Written only for tfcompat: it prints the number of compiled programs.
OWN = {"demo"}
# Their devices must be divided, or their processes connected, before the first computation.
FIRST_IN_PROCESS = ("mirrored_strategy", "two_workers")
# These take long, so they, or all but one of their forms, run in `make thorough`.
WORKERS = thorough("two_workers")
LONG = {"dcgan", "decorated_classifier", "exported_classifier", "image_records", "keras_digits", "lstm_text", "wgan_gp"}
KERAS = [*map(thorough, ("custom_train_step", "dcgan", "keras_digits", "lstm_text"))]
# `__array__` of Keras' variables has no argument `copy`, for which NumPy 2 asks.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def test_every_example_has_what_tensorflow_printed():
    assert {path.stem for path in EXPECTED.glob("*.txt")} == {path.stem for path in EXAMPLES.glob("*.py")} - OWN


@pytest.mark.parametrize(
    "name", without(LONG, sorted({path.stem for path in EXPECTED.glob("*.txt")}.difference(FIRST_IN_PROCESS)))
)
def test_example_prints_what_it_prints_under_tensorflow(name, monkeypatch):
    printed = printed_by(EXAMPLES / f"{name}.py", monkeypatch)
    assert_printed_alike(printed, (EXPECTED / f"{name}.txt").read_text())


@pytest.mark.parametrize("name", KERAS)
def test_keras_example_with_its_import_changed(name, monkeypatch, tmp_path):
    source = (EXAMPLES / f"{name}.py").read_text()
    changed = source.replace("import tensorflow as tf\n", "import tfcompat as tf\n")
    changed = changed.replace("from tensorflow.keras import", "from tfcompat.keras import")
    changed = changed.replace("from tensorflow import", "from tfcompat import")
    assert "import tfcompat as tf\n" in changed
    path = tmp_path / f"{name}.py"
    path.write_text(changed)
    assert_printed_alike(printed_by(path, monkeypatch), (EXPECTED / f"{name}.txt").read_text())


@pytest.mark.parametrize("name", [*KERAS, "mirrored_strategy", WORKERS])
def test_example_by_the_command_line(name):
    command = ["-m", "tfcompat", str(EXAMPLES / f"{name}.py")]
    done = forked.run(command, cwd=EXAMPLES, environment=os.environ | {"TFCOMPAT_COMPILATION_CACHE": "0"})
    assert done.returncode == 0, done.stderr
    assert_printed_alike(done.stdout, (EXPECTED / f"{name}.txt").read_text())


def test_demo_tells_the_spirals_apart_with_few_programs(monkeypatch):
    lines = printed_by(EXAMPLES / "demo.py", monkeypatch).splitlines()
    share = next(line for line in lines if line.endswith("of the points told apart"))
    assert float(share.split("%")[0]) > 99.0
    for line in (line for line in lines if line.endswith("compiled programs")):
        assert int(line.split()[-3]) <= 3
