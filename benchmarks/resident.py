"""The growth of tfcompat's resident memory from step 5,000 to step 24,000 of small loops.

By then also a loop that reads nothing has compiled its program. Its recordings have `config.settings.max_ops` values:
the first nine run op by op, and compiling the tenth takes memory once.

python -m benchmarks.resident [WORKLOAD...]
"""

from __future__ import annotations

import sys

from benchmarks.remote import Remote

LOOPS = ["linear_regression", "wgan_gp", "changing_rate", "no_read"]
START, END, TARGET = 5_000, 24_000, 5.0


def growth(workload: str) -> float:
    """The MB by which a loop grows between two steps."""
    with Remote("tfcompat") as worker:
        worker.answer()
        taken = len(worker.ask("open", workload=workload, variant="tfcompat")["losses"])
        worker.ask("run", variant="tfcompat", steps=START - taken)
        before = worker.ask("memory")["resident"]
        worker.ask("run", variant="tfcompat", steps=END - START)
        return worker.ask("memory")["resident"] - before


def main() -> None:
    """Prints the growth of each loop and the target."""
    print(f"Growth of resident memory from step {START:,} to step {END:,} (target: at most {TARGET:g} MB)")
    for workload in sys.argv[1:] or LOOPS:
        grown = growth(workload)
        print(f"  {workload:<20} {grown:6.1f} MB{'' if grown <= TARGET else '  x'}")


if __name__ == "__main__":
    main()
