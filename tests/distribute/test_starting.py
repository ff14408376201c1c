"""Processes that cannot form a cluster: descriptions that are wrong, ports that are taken, others that do not start."""

from __future__ import annotations

import json
import os
import signal
import socket

import pytest

import tfcompat as tf
from tests.daily import thorough
from tests.distribute.cluster import LIMIT, ROOT, addresses
from tests.forked import Forked

D = tf.distribute
own = pytest.mark.skipif(
    os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow", reason="TensorFlow waits, and can be configured only once"
)
ONE, TWO = ["127.0.0.1:1"], ["127.0.0.1:1", "127.0.0.1:2"]
FIRST = {"type": "worker", "index": 0}


def described(cluster, task):
    return {"cluster": cluster, "task": task}


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        (3, TypeError, "argument of type 'int' is not iterable"),
        (None, TypeError, "argument of type 'NoneType' is not iterable"),
        (described({"worker": ONE}, None), TypeError, "argument of type 'NoneType' is not iterable"),
        (described(None, FIRST), TypeError, "`cluster` must be a dictionary"),
        (described({"worker": "localhost:1"}, FIRST), TypeError, "The tasks for job 'worker' must be a list"),
        (described({"worker": [None]}, FIRST), TypeError, "Task address None must be bytes or unicode"),
        (described({"worker": {"a": "x:1"}}, FIRST), ValueError, "invalid literal for int"),
        (described({"worker": TWO}, []), ValueError, "you must also specify `task_type` and `task_id`"),
        (described({"worker": TWO}, "worker"), ValueError, "you must also specify `task_type` and `task_id`"),
        (described({"worker": TWO}, {"index": 0}), ValueError, "you must also specify `task_type` and `task_id`"),
        (described({"worker": TWO}, {"type": "worker"}), ValueError, "you must also specify `task_type`"),
        (described({"worker": TWO}, {"type": "worker", "index": "x"}), ValueError, "invalid literal for int"),
        (described({"worker": TWO}, {"type": "worker", "index": None}), TypeError, "not 'NoneType'"),
        (described({"worker": TWO}, {"type": "worker", "index": -1}), tf.errors.InvalidArgumentError, "task:-1"),
        (described({"worker": TWO}, {"type": "worker", "index": 2}), ValueError, "`task_id` 2 exceeds the maximum id"),
        (described({"worker": TWO}, {"type": None, "index": 0}), ValueError, "Unrecognized task_type: None"),
        (described({"worker": TWO}, {"type": "foo", "index": 0}), ValueError, "Unrecognized task_type: foo"),
        (described({"worker": TWO}, {"type": "chief", "index": 0}), ValueError, "'chief' not found in cluster_spec"),
        (
            described({"chief": TWO, "worker": ONE}, {"type": "chief", "index": 0}),
            ValueError,
            "at most one 'chief' job",
        ),
        (described({"worker": ONE, "foo": ONE}, FIRST), ValueError, "Disallowed task type found in cluster spec"),
        (described({"worker": ONE, "ps": ONE}, {"type": "ps", "index": 0}), ValueError, "no id for task_type 'ps'"),
    ],
)
def test_a_wrong_description_of_the_cluster_is_an_error(monkeypatch, config, error, message):
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    with pytest.raises(error, match=message):
        D.MultiWorkerMirroredStrategy()


@pytest.mark.parametrize("config", [[], "text", {}, {"task": FIRST}, described({}, FIRST)])
def test_without_a_cluster_there_is_one_process(monkeypatch, config):
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    assert D.MultiWorkerMirroredStrategy().num_replicas_in_sync == 1


@own
def test_an_evaluator_computes_alone(monkeypatch):
    with addresses(1) as places:
        cluster = {"worker": TWO, "evaluator": places}
        monkeypatch.setenv("TF_CONFIG", json.dumps(described(cluster, {"type": "evaluator", "index": 0})))
        assert D.MultiWorkerMirroredStrategy().num_replicas_in_sync == 1


def test_the_master_of_an_unknown_task_is_an_error(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", json.dumps(described({"worker": TWO}, {"type": "worker"})))
    with pytest.raises(ValueError, match="No task with index None in job 'worker'"):
        D.cluster_resolver.TFConfigClusterResolver().master()


@own
@pytest.mark.parametrize("places", [["localhost"] * 2, ["localhost:x", "b:1"], [""]])
def test_a_process_needs_a_port(monkeypatch, places):
    monkeypatch.setenv("TF_CONFIG", json.dumps(described({"worker": places}, FIRST)))
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        D.MultiWorkerMirroredStrategy()
    assert raised.value.message == f'Could not parse port for local server from "{places[0]}".'


@own
@pytest.mark.parametrize("others", [["a:0"], ["a:65536"], ["a:-1"], ["a:1", "a:1"]])
def test_addresses_at_which_no_process_is_found_are_errors(monkeypatch, others):
    monkeypatch.setenv("TF_CONFIG", json.dumps(described({"worker": [*ONE, *others]}, FIRST)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"host-port pair|same address"):
        D.MultiWorkerMirroredStrategy()


def begun(index, places, code=""):
    """A process that makes the strategy after `code`, and prints the class of the error."""
    lines = [
        "import os, signal",
        "import tfcompat as tf",
        "from tfcompat._core.system.processes import connection, group, watch",
        code,
        "try:",
        "    tf.distribute.MultiWorkerMirroredStrategy()",
        "except tf.errors.OpError as error:",
        "    print(type(error).__name__, error.message)",
    ]
    config = json.dumps(described({"worker": places}, {"type": "worker", "index": index}))
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "TF_CONFIG": config}
    return Forked(["-c", "\n".join(lines)], cwd=ROOT, environment=environment)


def ended(process):
    """The output, the errors and the status of a process when it has ended."""
    try:
        output, errors = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    return output, errors, process.returncode


@own
@pytest.mark.parametrize("index", [0, thorough(1)])
def test_a_port_that_another_program_uses_is_an_error(index):
    with socket.create_server(("127.0.0.1", 0)) as taken, addresses(2) as places:
        places[index] = f"127.0.0.1:{taken.getsockname()[1]}"
        output, errors, status = ended(begun(index, places))
    assert output.startswith(f"UnknownError Could not start gRPC server at {places[index]}")
    assert status == 0, errors[-3000:]


@own
@pytest.mark.parametrize("index", [thorough(0), 1])
def test_processes_that_do_not_start_are_an_error(index):
    with addresses(2) as places:
        output, errors, status = ended(begun(index, places, "watch._CONNECTING = 0.0"))
    assert output.startswith("DeadlineExceededError Some processes of the cluster have not started")
    assert status == 0, errors[-3000:]


@own
@pytest.mark.parametrize("index", [0, thorough(1)])
def test_waiting_for_other_processes_can_be_interrupted(index):
    # A thread sends the signal after the waiting has begun, or just before.
    lines = [
        "import threading",
        "wait = watch.Watch.__init__",
        "def waiting(*args):",
        "    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()",
        "    wait(*args)",
        "watch.Watch.__init__ = waiting",
    ]
    with addresses(2) as places:
        _, errors, status = ended(begun(index, places, "\n".join(lines)))
    assert "KeyboardInterrupt" in errors
    assert status == -signal.SIGINT


# Places at which a process ends while it joins the others: it is connected with the first one, with JAX, has started.
# What waits for it takes ten seconds each time.
DEATHS = [
    pytest.param("group.start_together = end", id="watched"),
    pytest.param("connection.start = end", id="connected"),
    pytest.param("start = connection.start; connection.start = lambda: (start(), end())", id="started"),
]


@own
@pytest.mark.thorough
@pytest.mark.parametrize("death", DEATHS)
def test_a_process_that_ends_while_it_joins_ends_the_other(death):
    with addresses(2) as places:
        second = begun(1, places, f"end = lambda *_: os.kill(os.getpid(), signal.SIGKILL); {death}")
        output, errors, _ = ended(begun(0, places))
    assert ended(second)[2] == -signal.SIGKILL
    assert output.startswith("UnavailableError"), errors[-3000:]
    assert f"/job:worker/replica:0/task:1 ({places[1]}) has ended" in output
