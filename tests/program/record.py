"""Records the output of the examples and scripts under TensorFlow. Run by an interpreter that has it.

python tests/program/record.py [NAME...]      all programs by default
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def pairs() -> list[tuple[Path, Path]]:
    """Each program, and the file that holds its output."""
    examples = [(EXAMPLES / f"{kept.stem}.py", kept) for kept in (HERE / "examples").glob("*.txt")]
    return examples + [(script, script.with_suffix(".txt")) for script in (HERE / "scripts").glob("*.py")]


def main() -> None:
    """Runs the programs named on the command line."""
    for program, kept in sorted(pairs()):
        if program.stem in sys.argv[1:] or not sys.argv[1:]:
            done = subprocess.run([sys.executable, str(program)], stdout=subprocess.PIPE, text=True, check=True)
            kept.write_text(done.stdout)
            print(program.stem)


if __name__ == "__main__":
    main()
