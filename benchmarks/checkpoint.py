"""Time and memory of saving and restoring variables, under TensorFlow and tfcompat, and the delay of a training step.

python -m benchmarks.checkpoint --tensorflow PYTHON [--megabytes 1024]
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from benchmarks.remote import ROOT

VARIABLES = 32
ROUNDS = 5
# The most that tfcompat's may be of TensorFlow's time, the peak memory of the variables', and the delay of a step by an
# asynchronous save of the time of a synchronous one.
MOST_TIME, MOST_MEMORY, MOST_DELAY = 1.2, 1.3, 0.05


def seconds(function: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    """The time of a call."""
    start = clock()
    function()
    return clock() - start


def peak() -> float:
    """The most memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def restored(tf: Any, prefix: str, megabytes: int) -> dict[str, float]:
    """Time and memory of a new process that makes variables and restores them."""
    before = peak()
    start = time.process_time()
    variables = made(tf, megabytes)
    tf.train.Checkpoint(variables=variables).read(prefix).assert_consumed()
    assert [float(v[0]) for v in variables[:2]] == [1.0, 1.0]
    return {"seconds": time.process_time() - start, "memory": (peak() - before) / megabytes}


def made(tf: Any, megabytes: int, value: float = 0.0) -> list[Any]:
    """Variables of `megabytes` in all, each filled with `value`."""
    return [tf.Variable(tf.fill([megabytes * (1 << 18) // VARIABLES], value)) for _ in range(VARIABLES)]


def saved(tf: Any, prefix: str, megabytes: int) -> dict[str, float]:
    """Times of saving, of restoring what has a value, and of a step beside an asynchronous save."""
    variables = made(tf, megabytes, 1.0)
    for v in variables:
        v.numpy()
    checkpoint = tf.train.Checkpoint(variables=variables)
    checkpoint.write(prefix)
    before = peak()
    saving = statistics.median([seconds(lambda: checkpoint.write(prefix)) for _ in range(ROUNDS)])
    memory = (peak() - before) / megabytes + 1
    restoring = statistics.median([seconds(lambda: checkpoint.read(prefix)) for _ in range(ROUNDS)])
    return {"save": saving, "restore": restoring, "save memory": memory, **asynchronous(tf, prefix, megabytes)}


def asynchronous(tf: Any, prefix: str, megabytes: int) -> dict[str, float]:
    """The wall time of a call that saves, synchronously and asynchronously; of the latter the later calls."""
    checkpoint = tf.train.Checkpoint(variables=made(tf, megabytes, 1.0))
    options = tf.train.CheckpointOptions(enable_async=True)
    whole = statistics.median([seconds(lambda: checkpoint.write(prefix), time.perf_counter) for _ in range(ROUNDS)])
    delays: list[float] = []
    for _ in range(ROUNDS + 1):
        delays.append(seconds(lambda: checkpoint.write(f"{prefix}-later", options), time.perf_counter))
        checkpoint.sync()
    return {"synchronous": whole, "delay": statistics.median(delays[1:])}


def measured(python: str, package: str, way: str, prefix: str, megabytes: int) -> dict[str, float]:
    """The measurements of a process of its own."""
    command = [python, "-m", "benchmarks.checkpoint", "--worker", package, way, prefix, str(megabytes)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensorflow", default=sys.executable)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--worker", nargs=4)
    options = parser.parse_args()
    if options.worker:
        package, way, prefix, megabytes = options.worker
        work = {"saved": saved, "restored": restored}[way]
        print(json.dumps(work(importlib.import_module(package), prefix, int(megabytes))))
        return
    found: dict[str, dict[str, float]] = {}
    for package, python in (("tensorflow", options.tensorflow), ("tfcompat", sys.executable)):
        with tempfile.TemporaryDirectory() as folder:
            prefix = f"{folder}/checkpoint"
            found[package] = measured(python, package, "saved", prefix, options.megabytes)
            first = [measured(python, package, "restored", prefix, options.megabytes) for _ in range(3)]
            found[package] |= {f"first restore {key}": min(each[key] for each in first) for key in first[0]}
    theirs, ours = found["tensorflow"], found["tfcompat"]
    print(f"{options.megabytes} MB in {VARIABLES} variables")
    for name, key in (
        ("save", "save"),
        ("restore", "restore"),
        ("make variables and restore, new process", "first restore seconds"),
    ):
        print(
            f"{name:42}{ours[key]:7.2f} s of CPU, TensorFlow {theirs[key]:.2f} s: {ours[key] / theirs[key]:.2f} "
            f"(at most {MOST_TIME})"
        )
    for name, key in (
        ("peak memory of saving", "save memory"),
        ("peak memory of the new process", "first restore memory"),
    ):
        print(f"{name:42}{ours[key]:7.2f} of the variables, TensorFlow {theirs[key]:.2f} (at most {MOST_MEMORY})")
    share, other = ours["delay"] / ours["synchronous"], theirs["delay"] / theirs["synchronous"]
    print(
        f"{'delay by an asynchronous save':42}{share:7.1%} of a synchronous one, TensorFlow {other:.1%} "
        f"(at most {MOST_DELAY:.0%})"
    )


if __name__ == "__main__":
    main()
