"""`MultiWorkerMirroredStrategy` in two processes, which end within a time limit whatever happens to one of them."""

from __future__ import annotations

import json
import os
import random
import signal
from pathlib import Path

import pytest

from tests.daily import thorough
from tests.distribute.cluster import LIMIT, RECORD, RECORDED, close, recorded_programs, run
from tests.repetition import count

own = pytest.mark.skipif(os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow", reason="tests tfcompat's processes")
# Seconds after which a process that is not heard is regarded as lost, in the tests of that.
SILENCE = "3"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The results of the recorded programs."""
    return recorded_programs(tmp_path_factory.mktemp("processes"))


@pytest.mark.parametrize("name", RECORDED)
def test_results_are_those_of_tensorflow(found, name):
    wanted = json.loads(Path(RECORD).read_text())
    for here, there in zip(found, wanted, strict=True):
        assert close(here[name]) == there[name], f"in {here['facts']['devices']}"


@own
def test_a_collective_has_a_time_limit(tmp_path):
    first, late = run("timing_out", TFCOMPAT_TEST_FOLDER=str(tmp_path))
    assert first.results["timing_out"] == ["DeadlineExceededError", 4.0]
    assert late.results["timing_out"] == ["", 4.0]


@own
@pytest.mark.soak
@pytest.mark.thorough
def test_reads_in_one_process_hold_up_no_other():
    steps = count(5_000)
    first, second = [ended.results["printing"] for ended in run("printing", limit=1500, TFCOMPAT_TEST_STEPS=str(steps))]
    assert first["exchanges"] == second["exchanges"] == steps
    assert first["weights"] == second["weights"]
    assert max(first["compiles"], second["compiles"]) < 20


@own
@pytest.mark.parametrize(
    ("how", "status"),
    [
        # The daily run has them at any moment, and of the first process in test_process_differences.py.
        thorough(("kill", -signal.SIGKILL)),
        thorough(("decorated kill", -signal.SIGKILL)),
        ("raise", 1),
        ("decorated exit", 0),
        thorough(("terminate", -signal.SIGTERM)),
    ],
)
def test_an_end_of_one_process_ends_the_other_with_its_name(how, status):
    first, second = run("ends", TFCOMPAT_TEST_END=how)
    assert second.status == status
    assert first.status == 1
    assert "UnavailableError" in first.errors
    assert "/job:worker/replica:0/task:1" in first.errors


@own
@pytest.mark.thorough
def test_a_process_that_does_not_answer_is_lost():
    first, second = run("ends", wait_for=1, TFCOMPAT_TEST_END="stop", TFCOMPAT_WORKER_TIMEOUT=SILENCE)
    assert second.status == -signal.SIGKILL  # by the test, at the end
    assert first.status == 1
    assert "has not been heard for 3 seconds" in first.errors
    assert "/job:worker/replica:0/task:1" in first.errors


@own
@pytest.mark.soak
@pytest.mark.parametrize(
    "how", ["decorated kill", *map(thorough, ("kill", "terminate", "decorated terminate", "stop"))]
)
def test_an_end_at_any_moment_ends_the_other(how):
    chance = random.Random(how)
    for _ in range(count(10)):
        waited = {"wait_for": 1, "TFCOMPAT_WORKER_TIMEOUT": SILENCE} if how == "stop" else {}
        delay = str(chance.uniform(0.0, 0.3))
        first, second = run("ends", TFCOMPAT_TEST_END=how, TFCOMPAT_TEST_DELAY=delay, **waited)
        assert second.status == (-signal.SIGTERM if how.endswith("terminate") else -signal.SIGKILL)
        assert first.status == 1
        assert "UnavailableError" in first.errors
        assert "/job:worker/replica:0/task:1" in first.errors


@own
def test_children_of_a_process_take_no_part():
    first, second = [ended.results["forked"] for ended in run("forked")]
    assert first == [3.0] * 3
    assert second == [3.0, 0, 3.0, 1, 3.0]


@own
@pytest.mark.thorough
def test_an_end_is_noticed_although_a_child_lives(tmp_path):
    silence = str(10 * LIMIT)
    try:
        first, second = run("survived", TFCOMPAT_TEST_FOLDER=str(tmp_path), TFCOMPAT_WORKER_TIMEOUT=silence)
    finally:
        os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)
    assert second.status == -signal.SIGKILL
    assert "task:1" in first.errors
    assert "has ended" in first.errors


@own
@pytest.mark.thorough
def test_a_restarted_job_goes_on_from_its_last_checkpoint(tmp_path):
    uninterrupted = [ended.results["resumed"] for ended in resumed(tmp_path / "whole", 99)]
    first, second = resumed(tmp_path / "killed", 6)
    assert second.status == -signal.SIGKILL
    assert first.status == 1
    again = [ended.results["resumed"] for ended in resumed(tmp_path / "killed", 99)]
    assert list(again[0]) == [str(k) for k in range(6, 12)]
    for whole, rest in zip(uninterrupted, again, strict=True):
        assert rest == {k: whole[k] for k in rest}


def resumed(folder, end):
    """The ends of two processes that train from the checkpoints in `folder`, one of which is killed at step `end`."""
    folder.mkdir(exist_ok=True)
    return run("resumed", TFCOMPAT_TEST_FOLDER=str(folder), TFCOMPAT_TEST_STEPS=str(end))
