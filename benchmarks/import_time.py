"""The time of `import tfcompat`, relative to `import jax`.

python -m benchmarks.import_time [--rounds 7]
"""

from __future__ import annotations

import argparse
import statistics
import sys

from benchmarks.bytecode import compile_package
from benchmarks.remote import found_by

TARGET = 1.3
TIMED = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def import_seconds(module: str) -> float:
    """The seconds that a new process needs to import `module`."""
    return found_by([sys.executable, "-c", TIMED.format(module)])


def main() -> None:
    """Prints the medians of alternating measurements."""
    parser = argparse.ArgumentParser(prog="benchmarks.import_time", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    compile_package()
    taken = [(import_seconds("jax"), import_seconds("tfcompat")) for _ in range(rounds + 1)][1:]
    jax, tfcompat = (statistics.median(column) for column in zip(*taken, strict=True))
    missed = "" if tfcompat <= TARGET * jax else "  x"
    print(f"import jax {jax:.2f} s, import tfcompat {tfcompat:.2f} s: {tfcompat / jax:.2f} (<= {TARGET}){missed}")


if __name__ == "__main__":
    main()
