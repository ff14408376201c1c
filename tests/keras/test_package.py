"""`tf.keras` is Keras on its TensorFlow backend, which imports tfcompat as tensorflow."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tfcompat as tf

ROOT = Path(__file__).parents[2]


def run(code, *options, **environment):
    """The output of Python code in a process of its own."""
    command = [sys.executable, *options, "-c", code]
    known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={**known, "PYTHONPATH": str(ROOT), **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_tfcompat_imports_neither_keras_nor_what_only_it_needs():
    late = {"keras", "wrapt", "tfcompat._keras", "tfcompat._distribute.strategy"}
    assert run(f"import sys, tfcompat; print({late} & sys.modules.keys())") == "set()\n"


def test_keras_is_there_without_settings():
    assert tf.keras.backend.backend() == "tensorflow"
    assert tf.keras.layers.Dense(2)(tf.ones([1, 3])).shape == [1, 2]
    assert tf.losses is tf.keras.losses
    assert tf.metrics.Mean is tf.keras.metrics.Mean


@pytest.mark.thorough
def test_the_environment_may_name_another_backend():
    code = "import keras; print(keras.backend.backend())"
    assert run(code, "-m", "tfcompat", KERAS_BACKEND="numpy") == "numpy\n"


IMPORTS = """
import keras as plain
import sys
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.layers import Dense
import tensorflow.keras.optimizers.schedules as schedules
import tensorflow as tf

print(plain.backend.backend(), sys.modules["tensorflow"].__name__)
print(keras is tf.keras, layers is tf.keras.layers, Dense is plain.layers.Dense, schedules.CosineDecay.__name__)
try:
    import tensorflow.keras.no_such_name
except ModuleNotFoundError as error:
    print(error)
"""


def test_all_ways_to_import_give_the_same_objects():
    assert run(IMPORTS, "-m", "tfcompat").splitlines() == [
        "tensorflow tfcompat",
        "True True True CosineDecay",
        "No module named 'tensorflow.keras.no_such_name': Keras has no such module",
    ]


def test_variables_of_keras_are_tensors_that_tapes_differentiate():
    variable = tf.keras.Variable([1.0, 2.0])
    assert tf.is_tensor(variable)
    with tf.GradientTape(persistent=True) as tape:
        y = variable * variable
    assert tape.gradient(y, {"v": variable})["v"].numpy().tolist() == [2.0, 4.0]
    assert tape.jacobian(y, variable).numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert tape.gradient(variable, variable).numpy().tolist() == [1.0, 1.0]


def test_variables_of_keras_are_inputs_of_custom_gradients():
    @tf.custom_gradient
    def scaled(x, scale):
        def pull(upstream, variables=None):
            assert not variables
            return 10.0 * upstream, 100.0 * upstream

        return x * tf.convert_to_tensor(scale), pull

    variable = tf.keras.Variable(3.0)

    @tf.function
    def gradients(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scaled(x, variable)
        return tape.gradient(y, [x, variable])

    assert [gradient.numpy() for gradient in gradients(tf.constant(2.0))] == [10.0, 100.0]


def make_packages(folder):
    """A package keras like Keras 3, and one tf_keras, in `folder`."""
    for name, text in {
        "keras/__init__.py": "",
        "keras/src/__init__.py": "",
        "keras/src/losses.py": "KERAS = 3",
        "tf_keras/__init__.py": "",
        "tf_keras/src/__init__.py": "",
        "tf_keras/src/losses.py": "KERAS = 2",
        "tf_keras/src/engine/__init__.py": "",
        "tf_keras/src/engine/keras_tensor.py": "class KerasTensor: pass",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return os.pathsep.join([str(folder), str(ROOT)])


def test_libraries_for_keras_2_find_its_modules_in_the_package_keras(tmp_path):
    code = """
from keras.engine.keras_tensor import KerasTensor
from keras.src.engine import keras_tensor
from keras.src.losses import KERAS
import tf_keras.src.engine.keras_tensor as own
print(keras_tensor is own, KerasTensor is own.KerasTensor, KERAS)
"""
    path = make_packages(tmp_path)
    assert run(code, "-m", "tfcompat", TF_USE_LEGACY_KERAS="1", PYTHONPATH=path) == "True True 3\n"


# As if this environment had no package keras.
HIDDEN = """
from importlib.machinery import PathFinder
find = PathFinder.find_spec
PathFinder.find_spec = staticmethod(lambda name, *rest: None if name == "keras" else find(name, *rest))
"""


def test_keras_2_is_the_package_keras_where_there_is_no_other(tmp_path):
    code = """
from keras.engine.keras_tensor import KerasTensor
import keras.src.losses, keras.layers
import tf_keras.layers, tf_keras.src.engine.keras_tensor as own
print(keras.src.losses.KERAS, keras.layers is tf_keras.layers, KerasTensor is own.KerasTensor)
"""
    path = make_packages(tmp_path)
    shutil.rmtree(tmp_path / "keras")
    (tmp_path / "tf_keras" / "layers.py").write_text("")
    # Without the packages of this environment, of which Keras is one.
    assert run(HIDDEN + code, "-m", "tfcompat", TF_USE_LEGACY_KERAS="1", PYTHONPATH=path) == "2 True True\n"


def test_modules_of_keras_2_are_refused_by_the_way_to_have_them(tmp_path):
    code = """
try:
    from keras.src.engine import keras_tensor
except ModuleNotFoundError as error:
    print("TF_USE_LEGACY_KERAS=1" in str(error), error.name)
try:
    import keras.src.missing
except ModuleNotFoundError as error:
    print(error)
"""
    lines = run(code, "-m", "tfcompat", PYTHONPATH=make_packages(tmp_path)).splitlines()
    assert lines == ["True keras.src.engine", "No module named 'keras.src.missing'"]
