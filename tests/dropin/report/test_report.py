"""`python -m tfcompat --report`: the contents of the report on a program."""

from __future__ import annotations

import re

import pytest

from tests.dropin.test_main import run

PROGRAM = """\
import time
import tensorflow as tf

def slowly():
    for i in range(5):
        time.sleep(0.1)
        yield float(i)

v = tf.Variable([3.0, 4.0])
for x in tf.data.Dataset.from_generator(slowly, output_signature=tf.TensorSpec([], tf.float32)):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v * x)
    v.assign_sub(0.1 * tape.gradient(loss, v))
    print(float(loss))

@tf.function
def distinct(x):
    return tf.unique(x).y

distinct(v)
hasattr(tf.io, "serialize_sparse")
time.sleep(0.6)
"""


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    """The folder of the program, and the output of a run with a report."""
    folder = tmp_path_factory.mktemp("reported")
    (folder / "train.py").write_text(PROGRAM)
    return folder, run("--report", "train.py", cwd=folder)


def test_output_of_the_program_is_unchanged(reported):
    folder, done = reported
    assert done.returncode == 0
    assert done.stdout == run("train.py", cwd=folder).stdout


def test_time_is_divided_among_activities(reported):
    said = reported[1].stderr
    total = float(re.search(r"^tfcompat report: train.py\nseconds: (\S+), sampled as$", said, re.MULTILINE)[1])
    parts = {name: float(number) for name, number in re.findall(r"^  ([a-zA-Z ]+?) +(\d+\.\d\d)$", said, re.MULTILINE)}
    assert list(parts) == [
        "importing",
        "compiling",
        "running",
        "waiting for input",
        "recording ops",
        "other Python code",
    ]
    assert parts["waiting for input"] > 0.2
    assert parts["other Python code"] > 0.25
    assert 0.9 * total < sum(parts.values()) < 1.02 * total


def test_lines_that_took_longest_are_named(reported):
    said = reported[1].stderr
    assert re.search(r"^ +0\.\d\d  train.py:6: waiting for input 0\.\d\d", said, re.MULTILINE)
    assert re.search(r"^ +0\.\d\d  train.py:22: other Python code 0\.\d\d", said, re.MULTILINE)


def test_compilations_and_runs_are_counted(reported):
    said = reported[1].stderr
    assert re.search(r"^compiled: [1-9]\d* programs in \d+\.\d\d s$", said, re.MULTILINE)
    assert re.search(r"^ +\d+\.\d\d  train.py:1[0-4]: [1-9]", said, re.MULTILINE)
    assert re.search(r"^runs: \d+ \(.*1 compiled first.*\); caused by .*read \d", said, re.MULTILINE)


def test_unsupported_parts_are_named(reported):
    unsupported = reported[1].stderr.partition("not supported:\n")[2]
    assert "  train.py:20: distinct runs its Python code at " in unsupported
    assert "  train.py:21: tf.io.serialize_sparse is missing\n" in unsupported


def test_report_follows_the_traceback_and_names_the_error(tmp_path):
    (tmp_path / "train.py").write_text("import tensorflow as tf\ntf.Graph()\n")
    done = run("--report", "train.py", cwd=tmp_path)
    assert done.returncode == 1
    trace, _, report = done.stderr.partition("tfcompat report: ")
    assert "NotImplementedError: tf.Graph is not supported." in trace
    assert len(re.findall(r"  train.py:2: tf.Graph is not supported\. .*\.\n", report)) == 1


def test_report_goes_to_a_file(tmp_path):
    done = run("--report=report.txt", "-c", "import tensorflow as tf; print(tf.add(1, 2).numpy())", cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("3\n", "")
    said = (tmp_path / "report.txt").read_text()
    assert said.startswith("tfcompat report: -c import")
    assert said.endswith("not supported: nothing was asked for that tfcompat lacks\n")


@pytest.mark.thorough
def test_report_needs_a_program():
    assert run("--report").returncode == 2
