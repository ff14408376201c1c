"""Times the same training step under TensorFlow, tfcompat and hand-written JAX, in turns, in one run.

    python -m benchmarks.run [--only cnn,rnn] [--rounds 7] [--tensorflow PYTHON] [--out FILE]

Each environment runs in its own process, which is started again for each workload. A block of steps ends with a read,
so that all its computations are included. The blocks of the variants alternate, and the result is the median block.
`--tensorflow` names a Python that has TensorFlow; without it only tfcompat and JAX run.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path

from benchmarks.catalogue import WORKLOADS
from benchmarks.measure import ENVIRONMENTS, Result, peak_memory, time_steps, variants
from benchmarks.remote import WorkerError
from benchmarks.table import report


def arguments() -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.run", description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(WORKLOADS), help="workloads, separated by commas")
    parser.add_argument("--rounds", type=int, default=7, help="blocks of each variant")
    parser.add_argument("--tensorflow", metavar="PYTHON", help="a Python that has TensorFlow")
    parser.add_argument("--without", default="", help="environments to leave out: tensorflow, tfcompat, decorated, jax")
    parser.add_argument("--peak", action="store_true", help="measure the peak memory of every workload")
    parser.add_argument("--out", type=Path, help="also write the tables to this Markdown file")
    asked = parser.parse_args()
    asked.only = asked.only.split(",")
    if unknown := set(asked.only) - set(WORKLOADS):
        parser.error(f"unknown workloads {sorted(unknown)}; there are {', '.join(WORKLOADS)}")
    return asked


def add_peaks(name: str, results: dict[str, Result], interpreters: dict[str, str]) -> None:
    """Adds the peak memory of every variant that ran."""
    for variant in variants(name, interpreters):
        if results[variant].error is None:
            try:
                results[variant].peak = peak_memory(name, variant, interpreters[ENVIRONMENTS[variant]])
            except WorkerError as error:
                results[variant].error = str(error)


def main() -> None:
    """Runs the requested workloads and prints the tables."""
    asked = arguments()
    interpreters = dict.fromkeys(("tfcompat", "decorated", "jax"), sys.executable)
    if asked.tensorflow:
        interpreters = {"tensorflow": asked.tensorflow} | interpreters
    for environment in filter(None, asked.without.split(",")):
        interpreters.pop(environment, None)
    results = {}
    for name in asked.only:
        print(f"... {name}", file=sys.stderr, flush=True)
        results[name] = time_steps(name, interpreters, asked.rounds)
        if asked.peak or WORKLOADS[name].peak:
            add_peaks(name, results[name], interpreters)
    machine = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, {asked.rounds} rounds"
    text = f"{machine}\n\n{report(results)}\n"
    print(text)
    if asked.out:
        asked.out.write_text(text)


if __name__ == "__main__":
    main()
