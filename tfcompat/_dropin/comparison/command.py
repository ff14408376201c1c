"""The options of `python -m tfcompat compare`."""

from __future__ import annotations

import argparse
import importlib.machinery
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from tfcompat._dropin.child_process import without_alias
from tfcompat._dropin.comparison.agreement import Tolerance
from tfcompat._dropin.comparison.alignment import Alignment, Difference
from tfcompat._dropin.comparison.page import Outcome, as_json, as_text, progress
from tfcompat._dropin.comparison.runs import commands, run_both

_TENSORFLOW = "TFCOMPAT_TENSORFLOW"
_MOST_WAITING = 2000
_USAGE = 2
_FLAGS = ("-h", "--help", "--stop", "--json")


def compare(arguments: Sequence[str]) -> int:
    """Compares the runs of a script; returns the exit status: 0 if they agree, 1 if not, 2 if it can't be compared."""
    parser = _parser()
    start = _start_of_program(arguments)
    options = parser.parse_args(arguments[:start])
    options.program = list(arguments[start:])
    if options.program in ([], ["-m"]):
        parser.error("name a script, or -m and a module")
    python = _interpreter(options.tensorflow)
    if python is None:
        return _refuse(
            "name a Python interpreter that has TensorFlow: --tensorflow PYTHON, or the environment variable "
            f"{_TENSORFLOW}"
        )
    version = _version(python)
    if not version:
        return _refuse(f"{python} has no package tensorflow")
    if options.program[0] != "-m" and not os.path.exists(options.program[0]):
        return _refuse(f"can't open file {options.program[0]!r}")
    if not options.json:
        print(f"TensorFlow {version} at {python}", flush=True)
    alignment = Alignment(Tolerance(options.rtol, options.atol), _MOST_WAITING, frozenset(options.ignore))

    def on_difference(difference: Difference) -> bool:
        if not options.json:
            print(progress(difference), flush=True)
        return options.stop

    seed = None if options.seed == "none" else int(options.seed)
    ends = run_both(commands(python, seed, options.program), alignment, on_difference, options.timeout)
    outcome = Outcome(alignment, ends, options.rtol)
    print(json.dumps(as_json(outcome), indent=2) if options.json else as_text(outcome))
    return 1 if outcome.problems() else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tfcompat compare",
        usage="%(prog)s [OPTION...] SCRIPT [ARGUMENT...]",
        description="Runs a script under TensorFlow and here, and compares printed lines, gradients, results of "
        "functions, and variables.",
    )
    parser.add_argument("--tensorflow", metavar="PYTHON", help="a Python interpreter that has TensorFlow")
    parser.add_argument("--rtol", type=float, default=Tolerance().relative, help="relative tolerance (%(default)g)")
    parser.add_argument("--atol", type=float, default=Tolerance().absolute, help="absolute tolerance (%(default)g)")
    parser.add_argument("--seed", default="0", type=_seed, help="seed for Python, NumPy and TensorFlow, or none (0)")
    parser.add_argument("--ignore", action="append", default=[], metavar="FILE:LINE", help="leave out a line")
    parser.add_argument("--stop", action="store_true", help="stop both runs at the first difference")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="stop a run after this time")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _start_of_program(arguments: Sequence[str]) -> int:
    """The place of the script, or of `-m`, among `arguments`: what follows is not for us."""
    place = 0
    while place < len(arguments) and arguments[place].startswith("-") and arguments[place] != "-m":
        takes_value = arguments[place] not in _FLAGS and "=" not in arguments[place]
        place += 1 + takes_value
    return place


def _seed(text: str) -> str:
    return text if text == "none" else str(int(text))


def _interpreter(named: str | None) -> str | None:
    """The interpreter to use; this one if TensorFlow is installed beside tfcompat; None without one."""
    chosen = named or os.environ.get(_TENSORFLOW)
    if chosen is not None:
        return shutil.which(chosen)
    return sys.executable if importlib.machinery.PathFinder.find_spec("tensorflow") is not None else None


def _version(python: str) -> str:
    """The version of TensorFlow that the interpreter `python` has; empty without one."""
    code = (
        "import importlib.metadata as m, importlib.util as u; "
        "n = m.packages_distributions().get('tensorflow'); "
        "print(m.version(n[0]) if n else 'of an unknown version' if u.find_spec('tensorflow') else '')"
    )
    done = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, env=without_alias(os.environ), check=False
    )
    return done.stdout.strip()


def _refuse(reason: str) -> int:
    print(f"python -m tfcompat compare: {reason}", file=sys.stderr)
    return _USAGE
