"""Replicas that are computed on several devices, in one program. Each test runs in a new process with such devices."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests import forked

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 600
pytestmark = pytest.mark.skipif(
    os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow",
    reason="counts tfcompat's steps; the other files test TensorFlow",
)


def run(*arguments, **environment):
    """The output of Python with these arguments."""
    given = {**os.environ, "JAX_PLATFORMS": "cpu", **environment}
    done = forked.run(arguments, cwd=ROOT, environment=given, timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done


@pytest.fixture(scope="module")
def found():
    """The results of the programs of `several_devices`."""
    names = (
        "curves",
        "values",
        "uneven",
        "checked",
        "raised",
        "parted",
        "unequal",
        "calls",
        "launched",
        "awaited",
        "interrupted",
        "keras_steps",
        "made",
        "chosen",
    )
    return json.loads(run("-m", "tests.distribute.several_devices", *names).stdout.splitlines()[-1])


@pytest.mark.parametrize("form", ["float32 decorated", "float32 eager", "float64 decorated"])
def test_losses_are_those_of_one_device(found, form):
    (alone, spread), *others = found["curves"][form]
    assert spread == 0
    for losses, spread in others:
        assert losses == pytest.approx(alone, rel=1e-12 if "64" in form else 1e-5)
        assert spread == len(losses)


def test_each_step_of_a_keras_model_runs_on_several_devices(found):
    for (alone, _), (losses, spread) in found["keras_steps"]:
        assert losses == pytest.approx(alone, rel=1e-4)
        assert spread == len(losses)


def test_first_values_of_variables_are_not_compiled(found):
    assert found["made"] == {"compiles": 0, "sum": 24.0}


def test_programs_choose_only_values_that_differ_between_replicas(found):
    assert found["chosen"] == [0]


def test_values_of_replicas_differ(found):
    values = found["values"]
    assert values["own"] == [[5.0 * k, 5.0] for k in range(8)]
    assert values["total"] == 5.0 * sum(range(8))
    assert values["shared"] == [1.0 + 5 * 3.5] * 8
    assert values["product"] == [18.5 * k for k in range(8)]
    assert values["gathered"] == values["own"]
    assert values["sum"] == 18.5 * 10.0 + 40.0
    assert values["mean"] == 18.5 * 3.5
    assert values["spread"] > 0


def test_random_numbers_are_drawn_in_the_order_of_the_replicas(found):
    values = found["values"]
    for drawn, successive in zip(values["drawn"], values["successive"], strict=True):
        assert drawn == pytest.approx(successive)


def test_uneven_batches_run_on_one_device(found):
    rows = [[sum(row * 3 + k for row in range(end)) for k in range(3)] for end in (16, 32, 38)]
    again = [[a + b for a, b in zip(rows[-1], row, strict=True)] for row in rows]
    assert found["uneven"]["sums"] == rows + again
    assert found["uneven"]["spread"] == 4


def test_uneven_batches_are_compiled_when_they_come_again(found):
    assert found["uneven"]["compiles"] == [1, 1]


def test_an_error_in_one_replica_changes_no_variable(found):
    good = [[[float(k)]] for k in range(8)]
    assert found["checked"] == [good, 1.0, good, 2.0, "InvalidArgumentError", 2.0, good, 3.0]


def test_gradients_after_an_error_in_all_replicas(found):
    assert found["raised"] == pytest.approx([0.0] * 4, abs=1e-3)


def test_replicas_part_with_a_variable_that_was_the_same_in_all(found):
    assert found["parted"] == [[1.0] * 4, [2.0] * 4, [3.0, 3.0, 2.0, 2.0], [4.0, 4.0, 2.0, 2.0]] + [
        [5.0 + k, 5.0 + k, 3.0 + k, 3.0 + k] for k in (0, 1)
    ]


def test_a_step_reads_a_variable_in_replicas_and_for_all_of_them():
    found = json.loads(run("-m", "tests.distribute.several_devices", "shared").stdout.splitlines()[-1])["shared"]
    assert found == [[1.0, 2.0, 3.0, 4.0], [5.0] * 4, 1.0]


def test_values_that_replicas_share_are_compared_on_request(found):
    assert found["unequal"].startswith("replicas differ in a value that they share: ")
    assert "several_devices.py" in found["unequal"]


def test_decorated_steps_find_their_program_once(found):
    # At the first step the components of a variable have arrays of their own; later they share one.
    assert found["launched"][2:] == [0] * 6


def test_decorated_steps_call_no_function_for_each_variable(found):
    few, many = found["calls"]["decorated"]
    assert few == many


def test_replicas_call_few_functions_for_each_variable_in_addition_to_those_of_one(found):
    one, many = found["calls"]["undecorated"]
    assert many < 9.5 * one


def test_programs_on_a_cpu_wait_for_steps_of_other_strategies(found):
    # XLA may hang while two programs with sums over simulated devices run, also those that different threads start.
    assert min(found["awaited"].values()) > 0
    assert set(found["awaited"]) == {"strategy", "decorated", "mesh", "placed"}


def test_interrupts_lose_no_variable(found):
    # Python loses some: exceptions that are raised in the callbacks of weak references.
    assert found["interrupted"]["caught"] > 5
    assert found["interrupted"]["values"] == [1024.0]


def test_each_device_holds_its_variables_once():
    found = json.loads(run("-m", "tests.distribute.several_devices", "memory").stdout.splitlines()[-1])["memory"]
    variable = 64**3 * 4
    assert max(found["bytes"]) < 1.5 * variable
    assert min(found["bytes"]) >= variable
    assert len(set(found["values"])) == 1


def test_explains_why_replicas_run_on_one_device():
    code = (
        "import tfcompat as tf\n"
        "replicas = tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1'])\n"
        "number = lambda: int(tf.distribute.get_replica_context().replica_id_in_sync_group)\n"
        "for _ in range(2):\n"
        "    value = replicas.run(lambda: tf.sin(1.0) if number() else tf.cos(1.0))\n"
        "    print([round(float(part), 3) for part in value.values])\n"
    )
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "TFCOMPAT_EXPLAIN": "1"}
    done = run("-c", code, **flags)
    assert done.stdout == "[0.54, 0.841]\n" * 2
    assert "replicas on one device" in done.stderr
    assert "replicas compute different steps: cos" in done.stderr


@pytest.mark.thorough
def test_the_same_tests_pass_on_several_devices():
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    files = [
        f"tests/distribute/test_replica_{name}.py" for name in ("collective", "parting", "run", "update", "variable")
    ]
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", *files, **flags)
