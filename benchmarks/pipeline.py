"""CPU time of input pipelines per element, under TensorFlow and tfcompat.

python -m benchmarks.pipeline --tensorflow PYTHON [--elements 1000000]
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.remote import ROOT

# Pipeline -> the least ratio of TensorFlow's time to ours, and by how much fewer elements are read.
TARGETS = {
    "slices, shuffle, batch, prefetch": (2, 1),
    "rows of 8, shuffle, batch, prefetch": (2, 1),
    "slices, batch": (2, 1),
    "generator, batch": (20, 10),
    "generator of pairs, batch": (20, 40),
}


def pipelines(tf: Any, count: int) -> dict[str, Callable[[], Any]]:
    """The functions that make the datasets, by the names in `TARGETS`; they have `count` elements before reduction."""
    numbers, rows = np.arange(count, dtype=np.float32), np.ones((count, 8), np.float32)
    dataset, spec = tf.data.Dataset, tf.TensorSpec
    few = {name: count // part for name, (_, part) in TARGETS.items()}
    return {
        "slices, shuffle, batch, prefetch": lambda: shuffled(tf, numbers),
        "rows of 8, shuffle, batch, prefetch": lambda: shuffled(tf, rows),
        "slices, batch": lambda: dataset.from_tensor_slices(numbers).batch(128),
        "generator, batch": lambda: dataset.from_generator(
            lambda: iter(range(few["generator, batch"])), output_signature=spec([], tf.int32)
        ).batch(128),
        "generator of pairs, batch": lambda: dataset.from_generator(
            lambda: ((rows[k], k) for k in range(few["generator of pairs, batch"])),
            output_signature=(spec([8], tf.float32), spec([], tf.int32)),
        ).batch(128),
    }


def shuffled(tf: Any, values: Any) -> Any:
    """Slices of `values` in random order, in batches that are read ahead."""
    return tf.data.Dataset.from_tensor_slices(values).shuffle(10_000).batch(128).prefetch(tf.data.AUTOTUNE)


def measure(module: str, count: int) -> dict[str, float]:
    """The CPU microseconds for each element of each pipeline under `module`."""
    found: dict[str, float] = {}
    for name, make in pipelines(importlib.import_module(module), count).items():
        made = make()
        for _ in made.take(2):
            pass
        start = time.process_time()
        for _ in made:
            pass
        found[name] = (time.process_time() - start) * 1e6 * TARGETS[name][1] / count
    return found


def measured_by(python: str, module: str, count: int) -> dict[str, float]:
    """The same, by another process."""
    command = [python, "-m", "benchmarks.pipeline", "--subject", module, "--elements", str(count)]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return json.loads(output.splitlines()[-1])


def main() -> None:
    """Prints a row for each pipeline; `x` marks a missed target."""
    parser = argparse.ArgumentParser(prog="benchmarks.pipeline", description=__doc__.splitlines()[0])
    parser.add_argument("--tensorflow", help="the Python that has TensorFlow")
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--subject", help="measures this module only, and prints JSON")
    given = parser.parse_args()
    if given.subject:
        print(json.dumps(measure(given.subject, given.elements)))
        return
    theirs = measured_by(given.tensorflow, "tensorflow", given.elements)
    ours = measured_by(sys.executable, "tfcompat", given.elements)
    print(f"{'CPU microseconds for an element':40}{'TensorFlow':>12}{'tfcompat':>12}{'ratio':>9}{'at least':>10}")
    for name, (target, _) in TARGETS.items():
        ratio = theirs[name] / ours[name]
        missed = "" if ratio >= target else "  x"
        print(f"{name:40}{theirs[name]:12.2f}{ours[name]:12.3f}{ratio:9.1f}{target:10}{missed}")


if __name__ == "__main__":
    main()
