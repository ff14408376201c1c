"""`python -m tfcompat compare`: scripts that agree, and scripts that differ on purpose.

An interpreter whose TensorFlow is tfcompat takes the place of TensorFlow. Only it sets the environment variable SIDE,
which the scripts read. With TFCOMPAT_TENSORFLOW=PYTHON an interpreter with the real TensorFlow takes its place.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from tests.dropin.test_main import ROOT, run
from tfcompat._dropin.comparison.command import compare

TRAINING = """\
import os
import numpy as np
import tensorflow as tf

is_there = "SIDE" in os.environ
data = np.random.default_rng().normal(size=[16, 3]).astype(np.float32)
w = tf.Variable(tf.random.normal([3, 1]), name="w")

@tf.function
def loss_of(x):
    return tf.reduce_mean(tf.square(x @ w - 1.0))

for step in range(6):
    with tf.GradientTape() as tape:
        loss = loss_of(data)
    gradient = tape.gradient(loss, w)
    w.assign_sub(0.1 * gradient)
    print(f"step {step}: {loss.numpy():.4f}")
"""


@pytest.fixture
def python(tmp_path):
    """An interpreter that has TensorFlow, or one whose TensorFlow is tfcompat."""
    real = os.environ.get("TFCOMPAT_TENSORFLOW")
    path = tmp_path / "bin" / "python"
    path.parent.mkdir()
    command = shlex.quote(real) if real else f"{shlex.quote(sys.executable)} -m tfcompat"
    path.write_text(
        f'#!/bin/sh\nexport SIDE=there PYTHONPATH={shlex.quote("" if real else str(ROOT))}\nexec {command} "$@"\n'
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def compared(python, tmp_path):
    """A function that compares the runs of a program; the exit status, and the lines of the output."""

    def call(program, *options):
        path = tmp_path / "train.py"
        path.write_text(program)
        done = run("compare", "--tensorflow", python, *options, path, cwd=tmp_path)
        return done.returncode, done.stdout.splitlines() or done.stderr.splitlines()

    return call


def test_same_results_agree(compared):
    status, lines = compared(TRAINING)
    assert status == 0, lines
    table = [line.split()[:4] for line in lines if line.startswith("train.py:")]
    assert table == [
        ["train.py:15", "function", "6", "0"],
        ["train.py:16", "gradient", "6", "0"],
        ["train.py:18", "print", "6", "0"],
    ]
    assert next(line for line in lines if line.startswith("at the end")).split()[3:6] == ["variables", "1", "0"]
    assert any(line.startswith("seconds a step (train.py:15): ") for line in lines)
    assert lines[-1] == "result: they agree within 0.001"


@pytest.mark.thorough
def test_another_learning_rate_is_found_at_the_second_step(compared):
    status, lines = compared(TRAINING.replace("0.1 * gradient", "(0.1 if is_there else 0.11) * gradient"))
    assert status == 1
    assert lines[1].startswith("differs: train.py:15, step 2 (function): element 0: ")
    assert "result: they differ first at train.py:15, step 2 (function)" in lines
    assert lines[-1].startswith("advice: one step before, the difference was ")
    assert any(line.startswith("  variable 0 (w): element") for line in lines)


@pytest.mark.thorough
def test_another_seed_is_found_at_once(compared):
    status, lines = compared(TRAINING.replace("w = tf", "tf.random.set_seed(1 if is_there else 2)\nw = tf"))
    assert status == 1
    assert lines[1].startswith("differs: train.py:16, step 1 (function)")
    assert lines[-1].startswith("advice: the first values at this line differ already: random numbers")


@pytest.mark.thorough
def test_unseeded_numbers_differ_without_a_seed(compared):
    status, lines = compared(TRAINING, "--seed", "none")
    assert status == 1
    assert "step 1" in lines[1]


@pytest.mark.thorough
def test_crash_of_one_run_is_a_difference(compared):
    program = TRAINING.replace(
        "    print(", "    if step == 3 and not is_there: raise ValueError('no more')\n    print("
    )
    status, lines = compared(program)
    assert status == 1
    assert any(line.startswith("tfcompat ended with status 1 ") and "ValueError: no more" in line for line in lines)
    assert any(line.startswith("not in both runs: train.py:19 (print): 6 times under TensorFlow, 3") for line in lines)
    assert "they ended in different ways" in lines[-1]


@pytest.mark.thorough
def test_same_crash_of_both_runs_agrees(compared):
    assert compared(f"{TRAINING}\nraise ValueError('done')\n")[0] == 0


@pytest.mark.thorough
@pytest.mark.parametrize("side", ["is_there", "not is_there"])
def test_endless_output_of_one_run_ends(compared, side):
    status, lines = compared(f"{TRAINING}\nwhile {side}:\n    print('more', step)\n", "--timeout", "12")
    assert status == 1
    assert "was stopped after 12 s, the timeout" in lines[-1]
    name = "TensorFlow" if side == "is_there" else "tfcompat"
    assert any(line.startswith(f"{name} was stopped after 12 s, the timeout") for line in lines)


@pytest.mark.thorough
def test_nan_agrees_with_nan_only(compared):
    both = TRAINING.replace("x @ w - 1.0", "x @ w - 1.0 + float('nan')")
    assert compared(both)[0] == 0
    status, lines = compared(both.replace("float('nan')", "(0.0 if is_there else float('nan'))"))
    assert status == 1
    assert lines[1].endswith(" under TensorFlow, nan here")


@pytest.mark.thorough
def test_additional_lines_of_one_run_are_reported_but_are_no_difference(compared):
    status, lines = compared(TRAINING.replace("    print(", "    if is_there: print('here')\n    print("))
    assert status == 0
    assert "not in both runs: train.py:18 (print): 6 times under TensorFlow, 0 times here" in lines


@pytest.mark.thorough
def test_tolerance_and_lines_can_be_chosen(compared):
    program = f"{TRAINING}\nprint(2.0 if is_there else 2.1)\n"
    assert compared(program)[0] == 1
    assert compared(program, "--rtol", "0.1")[0] == 0
    assert compared(program, "--ignore", "train.py:20")[0] == 0


@pytest.mark.thorough
def test_runs_stop_at_the_first_difference_on_request(compared):
    program = f"{TRAINING}\nprint(is_there)\nimport time; time.sleep(60)\n"
    status, lines = compared(program, "--stop")
    assert status == 1
    assert "they differ first at train.py:20, step 1 (print)" in lines[-2]


@pytest.mark.thorough
def test_json_holds_the_results(compared):
    status, lines = compared(f"{TRAINING}\nprint(is_there)\n", "--json")
    found = json.loads("\n".join(lines))
    assert status == 1
    assert found["agree"] is False
    last = [line for line in found["lines"] if line["line"] == "train.py:20"]
    assert [(line["differing"], line["first_step"], line["reason"]) for line in last] == [(1, 1, "other words")]
    assert found["runs"]["tensorflow"]["status"] == 0


@pytest.mark.thorough
def test_script_without_results_is_not_said_to_agree(compared):
    status, lines = compared("import tensorflow")
    assert status == 1
    assert "nothing was compared" in lines[-1]


@pytest.mark.thorough
def test_arguments_and_modules(python, tmp_path):
    (tmp_path / "program.py").write_text(
        "import sys\nimport tensorflow as tf\nprint(sys.argv[1:], float(tf.add(1, 2)))\n"
    )
    assert run("compare", "--tensorflow", python, "-m", "program", "--rate", "3", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tensorflow", "/no/such/python", "train.py"], "name a Python interpreter that has TensorFlow"),
        (["--tensorflow", sys.executable, "train.py"], "has no package tensorflow"),
    ],
)
def test_interpreter_has_to_have_tensorflow(arguments, message, capsys, tmp_path):
    (tmp_path / "train.py").write_text("")
    assert compare([*arguments[:-1], str(tmp_path / arguments[-1])]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.thorough
def test_script_has_to_exist(python, capsys):
    assert compare(["--tensorflow", str(python), "no_such_script.py"]) == 2
    assert "can't open file 'no_such_script.py'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        compare(["--tensorflow", str(python)])


@pytest.mark.thorough
def test_programs_of_the_repository_agree(python):
    program = Path(__file__).parents[2] / "program" / "tape_basics.py"
    assert run("compare", "--tensorflow", python, program).returncode == 0
