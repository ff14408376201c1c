"""Workers and other processes that a program starts import tfcompat as TensorFlow."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.daily import thorough
from tests.dropin.test_main import ROOT, run

WORKERS = """
import multiprocessing
import sys

import tensorflow as tf


def work(x):
    return tf.__name__, tf.square(x)


if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print([(name, float(x)) for name, x in pool.map(work, [tf.constant(2.0), tf.constant(3.0)])])
"""

CHILD = """
import subprocess, sys
code = "import sys; import tensorflow as tf; print(tf.__name__, 'tfcompat' in sys.modules)"
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout, end="")
"""


@pytest.mark.parametrize("method", ["spawn", thorough("forkserver")])
def test_workers_have_the_alias_and_exchange_tensors(method, tmp_path):
    (tmp_path / "train.py").write_text(WORKERS)
    done = run("train.py", method, cwd=tmp_path)
    assert done.stdout == "[('tfcompat', 4.0), ('tfcompat', 9.0)]\n", done.stderr


def test_subprocesses_have_the_alias(tmp_path):
    assert run("-c", CHILD, cwd=tmp_path).stdout == "tfcompat True\n"


def test_subprocess_that_does_not_use_tensorflow_does_not_wait_for_tfcompat(tmp_path):
    child = CHILD.replace("import tensorflow as tf; print(tf.__name__, ", "print(")
    assert run("-c", child, cwd=tmp_path).stdout == "False\n"


def test_subprocess_whose_first_import_is_keras_uses_its_backend(tmp_path):
    child = CHILD.replace(
        "import tensorflow as tf; print(tf.__name__, ", "import keras; print(keras.backend.backend(), "
    )
    assert run("-c", child, cwd=tmp_path).stdout == "tensorflow True\n"


def test_module_of_the_same_name_is_run_too(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import builtins; builtins.customised = 'yes'")
    program = f"import os; os.environ['PYTHONPATH'] += os.pathsep + {str(tmp_path)!r}\n" + CHILD
    program = program.replace("print(tf.__name__, ", "print(tf.__name__, customised, ")
    assert run("-c", program, cwd=tmp_path).stdout == "tfcompat yes True\n"


def test_interpreter_of_another_environment_is_left_alone(tmp_path):
    (tmp_path / "tensorflow.py").write_text("print('the real one')")
    environment = {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "tfcompat/_dropin/startup"), str(tmp_path)]),
        "TFCOMPAT_ALIAS": "/another/environment",
    }
    command = [sys.executable, "-c", "import tensorflow"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "the real one\n"


@pytest.mark.thorough
def test_notebook_extension_installs_the_alias(tmp_path):
    code = (
        "import importlib\n"
        "importlib.import_module('tfcompat').load_ipython_extension(None)\n"
        "import tensorflow as tf; print(tf.__name__)\n"
    )
    done = run("-c", code + CHILD, cwd=tmp_path, tfcompat=False)
    assert done.stdout == "tfcompat\ntfcompat True\n", done.stderr
