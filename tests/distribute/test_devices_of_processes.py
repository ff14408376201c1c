"""`MultiWorkerMirroredStrategy` in processes with several devices each, simulated on the CPU in place of GPUs."""

from __future__ import annotations

import functools
import json
import os

import pytest

from tests import forked
from tests.daily import thorough
from tests.distribute.cluster import LIMIT, ROOT, close, run

MODULE = "tests.distribute.devices_of_processes"
pytestmark = simulated = pytest.mark.skipif(
    os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow", reason="simulates GPUs by tfcompat's CPU devices"
)


# `fitted` imports Keras in each process.
DAILY, THOROUGH = ("collectives", "variables", "datasets", "training"), ("fitted",)


@functools.cache
def found(names):
    """The results of the programs `names` in two processes."""
    return [ended.results for ended in run(*names, module=MODULE)]


@functools.cache
def wanted(names):
    """The results of the programs `names` in one process, in as many replicas."""
    environment = {key: value for key, value in os.environ.items() if key != "TF_CONFIG"}
    done = forked.run(
        ["-m", MODULE, *names], cwd=ROOT, environment={**environment, "JAX_PLATFORMS": "cpu"}, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", [*DAILY, *map(thorough, THOROUGH)])
def test_results_are_those_of_one_process_with_all_devices(name):
    names = DAILY if name in DAILY else THOROUGH
    first, second = (results[name] for results in found(names))
    expected = wanted(names)[name]
    assert first["common"] == second["common"]
    assert close(first["common"]) == expected["common"]
    for key, values in expected["own"].items():
        parts = [*first["own"][key], *second["own"][key]]
        if "ONLY_FIRST_REPLICA" in key:  # of each process, as in TensorFlow
            assert parts == [2.0, 2.0, 4.0, 4.0]
        else:
            assert close(parts) == (values if len(values) > 1 else values * 2), key


def test_processes_have_as_many_devices():
    for ended in run(module=MODULE, TFCOMPAT_TEST_UNEQUAL="1"):
        assert ended.status == 1
        assert "InvalidArgumentError" in ended.errors
        assert "let each process see as many" in ended.errors
