"""`python -m tfcompat`: programs see the same environment as under Python."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import jax
import pytest

from tests import forked
from tests.daily import thorough
from tfcompat._dropin.release import VERSION

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments, cwd=ROOT, tfcompat=True):
    """Runs Python on `arguments`, by default through tfcompat."""
    command = [sys.executable, *(["-m", "tfcompat"] if tfcompat else []), *map(str, arguments)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "TFCOMPAT_COMPILATION_CACHE": "0"}
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment, check=False)


def printed(*arguments, cwd=ROOT):
    """The end of tfcompat on `arguments`, where it does not depend on how Python starts."""
    environment = {**os.environ, "TFCOMPAT_COMPILATION_CACHE": "0"}
    return forked.run(["-m", "tfcompat", *map(str, arguments)], cwd=cwd, environment=environment)


@pytest.fixture
def script(tmp_path):
    """A function that writes a script and returns its path."""

    def write(code, name="program.py"):
        path = tmp_path / name
        path.write_text(code)
        return path

    return write


SURROUNDINGS = """
import sys
import neighbour
print(__name__, __file__, sys.argv, sys.path[0], sys.modules["__main__"].__dict__ is globals(), __spec__)
"""


def test_script_sees_what_python_would_show_it(script, tmp_path):
    script("", "neighbour.py")
    path = script(SURROUNDINGS)
    by_python = run(path, "--flag", "x", tfcompat=False)
    by_tfcompat = run(path, "--flag", "x")
    assert by_tfcompat.returncode == by_python.returncode == 0, by_tfcompat.stderr
    assert by_tfcompat.stdout == by_python.stdout
    assert str(tmp_path) in by_tfcompat.stdout


def test_script_found_through_a_link_finds_its_neighbours(script, tmp_path):
    script("", "neighbour.py")
    path = script("import neighbour, tensorflow as tf; print(tf.__name__, tf.reduce_sum([1.0, 2.0]).numpy())")
    link = tmp_path / "elsewhere" / "link.py"
    link.parent.mkdir()
    link.symlink_to(path)
    assert printed(link).stdout == "tfcompat 3.0\n"


def test_traceback_is_that_of_python(script):
    path = script("""
def f():
    try:
        1 / 0
    except ZeroDivisionError as error:
        raise RuntimeError("late") from error

f()
""")
    by_python, by_tfcompat = run(path, tfcompat=False), run(path)
    assert by_tfcompat.stderr == by_python.stderr
    assert by_tfcompat.returncode == by_python.returncode == 1


def test_syntax_error_is_shown_like_python_does(script):
    path = script("x = (\n")
    by_python, by_tfcompat = run(path, tfcompat=False), run(path)
    assert by_tfcompat.stderr == by_python.stderr
    assert by_tfcompat.returncode == 1


def test_exit_status_is_that_of_the_script(script):
    done = printed(script("import sys; sys.exit(7)"))
    assert (done.returncode, done.stderr) == (7, "")


def test_interrupt_ends_like_in_python(script):
    path = script("raise KeyboardInterrupt\n")
    assert run(path).returncode == run(path, tfcompat=False).returncode == -signal.SIGINT


@pytest.mark.thorough
def test_script_that_is_not_there(tmp_path):
    missing = tmp_path / "missing.py"
    by_python, by_tfcompat = run(missing, tfcompat=False), run(missing)
    assert by_tfcompat.returncode == by_python.returncode == 2
    assert by_tfcompat.stderr == by_python.stderr


def test_module_and_code_run_too(script, tmp_path):
    script("import sys, tensorflow as tf; print(tf.__name__, __name__, sys.argv[1:])", "program.py")
    assert run("-m", "program", "x", cwd=tmp_path).stdout == "tfcompat __main__ ['x']\n"
    code = "import sys, tensorflow as tf; print(tf.__name__, __name__, sys.argv)"
    assert run("-c", code, "x").stdout == "tfcompat __main__ ['-c', 'x']\n"


def test_usage_is_told():
    assert printed("--help").stdout.count("python -m tfcompat") == 7
    wrong = printed()
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "python -m tfcompat [OPTION] SCRIPT" in wrong.stderr


def test_check_prints_what_is_missing(script, tmp_path):
    script("import tensorflow as tf\nx = tf.constant(1.0)\n\ny = tf.no_such_name(3)\n")
    done = printed("check", tmp_path)
    assert done.returncode == 1
    assert done.stdout == (
        f"{tmp_path / 'program.py'}:4: tf.no_such_name: missing\n"
        "1 file names 2 symbols of TensorFlow: 1 supported, 1 missing.\n"
        "missing:\n"
        "  tf: 1 symbol\n"
    )


def test_version_names_what_runs():
    python = ".".join(map(str, sys.version_info[:3]))
    expected = f"tfcompat {VERSION} (API of TensorFlow 2.21.0; JAX {jax.__version__}, Python {python})\n"
    assert printed("--version").stdout == expected


@pytest.mark.thorough
def test_guide_prints_pages():
    assert printed("guide", "gradients").stdout.startswith("# Gradients\n")
    assert printed("guide", "no_such_page").returncode == 2


def test_output_that_nobody_reads_to_its_end_leaves_no_traceback():
    command = [sys.executable, "-m", "tfcompat", "guide", "supported"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


# Python finds no module whose entry is None.
WITHOUT_KERAS = "import sys; sys.modules['keras'] = None"


@pytest.mark.parametrize(
    "code",
    [
        "from tensorflow import keras",
        "import tensorflow as tf; tf.keras",
        *map(
            thorough,
            (
                "from tensorflow.keras import layers",
                "import tensorflow.keras.layers",
                "import tensorflow as tf; tf.losses",
            ),
        ),
    ],
)
def test_program_that_needs_keras_is_told_how_to_install_it(code):
    done = printed("-c", f"{WITHOUT_KERAS}\n{code}")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: tf.keras is the package keras, which is not installed: pip install 'keras==3.15.*'"
    )


def test_script_that_logs_information_sees_none_of_jax(script):
    path = script(
        "import logging, sys\n"
        "import tensorflow as tf\n"
        "logging.basicConfig(level=logging.INFO, stream=sys.stdout, format='%(message)s')\n"
        "logging.info('sum %d', tf.reduce_sum([1, 2]))\n"
    )
    assert printed(path).stdout == "sum 3\n"


def test_full_garbage_collections_leave_out_what_the_imports_made():
    counts = "import gc, tensorflow as tf; print(gc.isenabled(), gc.get_freeze_count(), len(gc.get_objects()))"
    enabled, frozen, others = printed("-c", counts).stdout.split()
    assert enabled == "True"
    assert int(frozen) > 50_000
    assert int(others) < 20_000
