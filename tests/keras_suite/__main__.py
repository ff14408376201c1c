"""Runs the tests of Keras on tfcompat, and prints the share of those passing on TensorFlow that pass here.

    python -m tests.keras_suite [--only src/models,src/trainers] [--jobs 2] [--again all|failed] [--report]

The first run fetches the source distribution of Keras from PyPI into `build/keras_suite`. Each file of tests runs in a
process of its own, and its outcomes are kept there, so that an interrupted run continues. `--again` runs files again:
all of those chosen, or those with tests that pass on TensorFlow and not here; `--report` runs nothing. The exit status
is 1 if a test does not pass here that passes on TensorFlow, and that `not_passing.txt` does not list.

Needed beside the extra `test`: `pip install grain pandas requests scikit-learn`. Without torch, files that import it
are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from concurrent.futures import ThreadPoolExecutor

from tests.keras_suite.comparison import Comparison, folder_of, listed, recorded
from tests.keras_suite.running import FOLDER, kept, run
from tests.keras_suite.source import fetched

# What people use most comes first.
FIRST = ["models", "trainers", "layers", "optimizers", "losses", "metrics", "callbacks", "saving", "utils"]

_ADAPTERS = "keras/src/trainers/data_adapters"
NEEDS_TORCH = [
    f"{_ADAPTERS}/{name}_adapter_test.py"
    for name in ("array_data", "generator_data", "grain_dataset", "py_dataset", "tf_dataset", "torch_data_loader")
] + ["keras/src/utils/dataset_utils_test.py"]


def arguments() -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(prog="tests.keras_suite", description="Runs the tests of Keras on tfcompat.")
    parser.add_argument("--only", default="", help="parts of the paths of files, separated by commas")
    parser.add_argument("--jobs", type=int, default=1, help="files at the same time")
    parser.add_argument("--again", choices=["all", "failed"], help="files to run although their outcomes are kept")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds for a file")
    return parser.parse_args()


def place(file: str) -> tuple[int, str]:
    """The place of `file` in the order of the run."""
    name = folder_of(file).rpartition("/")[2]
    return FIRST.index(name) if name in FIRST else len(FIRST), file


def main() -> int:
    """Runs the files whose outcomes are missing, and prints the comparison."""
    asked = arguments()
    passed = recorded()
    parts = asked.only.split(",")
    files = sorted({test.split("::")[0] for test in passed}, key=place)
    files = [file for file in files if any(part in file for part in parts)]
    if importlib.util.find_spec("torch") is None:
        print("left out, as there is no torch:", *[file for file in files if file in NEEDS_TORCH])
        files = [file for file in files if file not in NEEDS_TORCH]

    def is_due(file: str) -> bool:
        outcomes = kept(file)
        if outcomes is None or asked.again == "all":
            return True
        return asked.again == "failed" and bool(Comparison(passed, {file: outcomes}, {}).missing)

    if not asked.report:
        root = fetched(FOLDER)
        due = list(filter(is_due, files))
        with ThreadPoolExecutor(asked.jobs) as pool:
            for number, line in enumerate(pool.map(lambda file: run(root, file, asked.limit), due), 1):
                print(f"[{number}/{len(due)}] {line}", flush=True)
    comparison = Comparison(passed, {file: found for file in files if (found := kept(file)) is not None}, listed())
    print(comparison.text())
    return int(bool(comparison.unexpected))


if __name__ == "__main__":
    sys.exit(main())
