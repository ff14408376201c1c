"""A program is run, and finds files in its folder."""

from __future__ import annotations

from pathlib import Path

from tests import forked
from tfcompat.compat.v1 import resource_loader


def test_main_is_run_with_the_arguments(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, tfcompat as tf\n"
        "def main(argv):\n"
        "    print(argv[1:])\n"
        "    return 3\n"
        "tf.compat.v1.app.run(main) if 'given' in sys.argv else tf.compat.v1.app.run()\n"
    )
    for arguments in (["given", "a"], ["a"]):
        done = forked.run([str(program), *arguments])
        assert (done.returncode, done.stdout) == (3, f"{arguments}\n")


def test_files_beside_the_program():
    assert resource_loader.get_data_files_path() == str(Path(__file__).parent)
    assert resource_loader.get_path_to_datafile("x.txt") == str(Path(__file__).parent / "x.txt")
