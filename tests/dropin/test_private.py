"""TensorFlow's private modules: names with public counterparts are there, and everything else is refused."""

from __future__ import annotations

import importlib
import sys

import pytest

import tfcompat as tf
from tfcompat._dropin.alias import install_as_tensorflow
from tfcompat._dropin.private.table import MODULES

# Each name that a row lists.
LISTED = [(path, name) for path, (names, _) in MODULES.items() for name in names]
# A name of each module that takes all names of a namespace.
SEARCHED = {
    "python.framework.dtypes": ("float32", tf.float32),
    "python.framework.errors": ("InvalidArgumentError", tf.errors.InvalidArgumentError),
    "python.ops.array_ops": ("reshape", tf.reshape),
    "python.ops.check_ops": ("assert_equal", tf.debugging.assert_equal),
    "python.ops.gen_math_ops": ("MatMul", tf.raw_ops.MatMul),
    "python.ops.image_ops_impl": ("ssim", tf.image.ssim),
    "python.ops.lookup_ops": ("StaticHashTable", tf.lookup.StaticHashTable),
    "python.ops.math_ops": ("reduce_sum", tf.reduce_sum),
    "python.ops.nn_ops": ("softmax", tf.nn.softmax),
    "python.ops.random_ops": ("random_normal", tf.compat.v1.random_normal),
    "python.platform.tf_logging": ("info", tf.compat.v1.logging.info),
    "python.util.nest": ("flatten", tf.nest.flatten),
    "python.util.tf_inspect": ("isclass", importlib.import_module("inspect").isclass),
}


@pytest.fixture(autouse=True)
def _alias():
    install_as_tensorflow()


@pytest.mark.parametrize(("path", "name"), LISTED, ids=[f"{path}.{name}" for path, name in LISTED])
def test_listed_names_are_there(path, name):
    assert getattr(importlib.import_module(f"tensorflow.{path}"), name) is not None


@pytest.mark.parametrize(("path", "name", "found"), [(path, *row) for path, row in SEARCHED.items()], ids=SEARCHED)
def test_names_of_namespaces_are_those_of_tf(path, name, found):
    assert getattr(importlib.import_module(f"tensorflow.{path}"), name) is found


def test_generated_functions_take_arguments_by_place():
    module = importlib.import_module("tensorflow.python.ops.gen_array_ops")
    matrix = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    diagonals = module.matrix_diag_part_v2(matrix, (0, 1), padding_value=-1.0)
    assert diagonals.numpy().tolist() == [[2.0, 6.0], [1.0, 5.0]]
    assert module.shape(matrix, tf.int64, name="shape").dtype == tf.int64
    with pytest.raises(TypeError, match="multiple values for keyword argument 'input'"):
        module.matrix_diag_part_v2(matrix, 0, 0.0, input=matrix)
    with pytest.raises(TypeError, match="takes 3 arguments, got 4"):
        module.shape(matrix, tf.int64, None, 1)


def test_every_form_of_import_finds_them():
    from tensorflow.python import framework
    from tensorflow.python.framework import ops
    from tensorflow.python.framework.ops import Tensor

    assert framework.ops is ops
    assert Tensor is ops.Tensor is tf.Tensor


def test_names_without_a_counterpart_are_refused():
    module = importlib.import_module("tensorflow.python.framework.ops")
    with pytest.raises(AttributeError, match=r"no attribute 'get_gradient_function' in tfcompat: it is private"):
        module.get_gradient_function  # noqa: B018
    with pytest.raises(ImportError, match="get_gradient_function"):
        exec("from tensorflow.python.framework.ops import get_gradient_function", {})
    with pytest.raises(ModuleNotFoundError, match=r"tensorflow\.python\.tpu\.tpu'.*private to TensorFlow"):
        importlib.import_module("tensorflow.python.tpu.tpu")


def test_statistics_are_registered_once():
    ops = importlib.import_module("tensorflow.python.framework.ops")
    with pytest.raises(TypeError, match="without a comma"):
        ops.RegisterStatistics("Conv2D,", "flops")
    register = ops.RegisterStatistics("NewKernel", "flops")
    assert register(len) is len
    with pytest.raises(KeyError, match="registered already"):
        register(len)


def test_scope_of_embeddings_changes_nothing():
    utils = importlib.import_module("tensorflow.python.tpu.embedding_context_utils")
    with utils.SequentialEmbeddingContext() as scope:
        assert scope is None


def test_functions_are_not_frozen():
    freezing = importlib.import_module("tensorflow.python.framework.convert_to_constants")
    with pytest.raises(NotImplementedError, match=r"convert_variables_to_constants_v2.*tf\.saved_model\.save"):
        freezing.convert_variables_to_constants_v2(tf.function(lambda: 1))


def test_copy_of_keras_2_is_the_package(tmp_path, monkeypatch):
    with monkeypatch.context() as without:
        without.setattr(importlib.util, "find_spec", {}.get)
        with pytest.raises(ModuleNotFoundError, match=r"tensorflow\.python\.keras'.*copy of Keras 2.*pip install"):
            importlib.import_module("tensorflow.python.keras.utils.conv_utils")
    for folder, text in (("utils", "size = 3"), ("optimizers/legacy", "rate = 0.1")):
        place = tmp_path / "tf_keras/src" / folder
        place.mkdir(parents=True)
        (place / "part.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.startswith(("tf_keras", "tensorflow.python.keras"))]:
        monkeypatch.delitem(sys.modules, name)
    from tensorflow.python.keras.optimizer_v2 import part as optimizer
    from tensorflow.python.keras.utils import part

    assert part is sys.modules["tf_keras.src.utils.part"]
    assert (part.size, optimizer.rate) == (3, 0.1)
    with pytest.raises(ModuleNotFoundError, match="Keras has no such module"):
        importlib.import_module("tensorflow.python.keras.utils.other")
    for name in [name for name in sys.modules if name.startswith(("tf_keras", "tensorflow.python.keras"))]:
        monkeypatch.delitem(sys.modules, name)


def test_classes_tell_tensors_with_values_from_those_without():
    seen = []

    @tf.function
    def function(x):
        seen.append((isinstance(x, tf.__internal__.EagerTensor), isinstance(x, tf.__internal__.SymbolicTensor)))
        return x

    x = function(tf.constant(1.0))
    assert seen == [(False, True)]
    assert isinstance(x, tf.__internal__.EagerTensor)
    assert not isinstance(x, tf.__internal__.SymbolicTensor)


@pytest.mark.parametrize(
    ("value", "is_composite"),
    [
        (lambda: tf.ragged.constant([[1]]), True),
        (lambda: tf.sparse.eye(2), True),
        (lambda: tf.Variable(1.0), True),
        (lambda: tf.IndexedSlices(tf.ones([1]), tf.constant([0])), True),
        (lambda: tf.TensorArray(tf.float32, 2), False),
        (lambda: tf.constant(1.0), False),
        (lambda: 1.0, False),
    ],
    ids=["ragged", "sparse", "variable", "slices", "array", "tensor", "number"],
)
def test_composite_tensors_are_recognised(value, is_composite):
    assert isinstance(value(), tf.__internal__.CompositeTensor) is is_composite


def test_conditions_that_are_known_are_not_traced():
    smart_cond = tf.__internal__.smart_cond.smart_cond
    assert smart_cond(True, lambda: "yes", lambda: "no") == "yes"
    assert smart_cond(tf.constant(False), lambda: "yes", lambda: "no") == "no"
    function = tf.function(lambda x: smart_cond(x > 0.0, lambda: x + 1.0, lambda: x - 1.0))
    assert [function(tf.constant(x)).numpy() for x in (1.0, -1.0)] == [2.0, -2.0]
    with pytest.raises(TypeError, match="must be callable"):
        smart_cond(True, 1, 2)
    with pytest.raises(TypeError, match="must be a Tensor, or a Python bool"):
        smart_cond("yes", int, int)


def test_smart_cond_follows_any_computation_from_sizes_that_are_known():
    # Keras asks so whether labels are one-hot, for the weights of classes.
    def classes(y):
        return tf.__internal__.smart_cond.smart_cond(
            tf.shape(y)[-1] > 1, lambda: tf.argmax(y, axis=-1), lambda: tf.cast(tf.squeeze(y, axis=-1), tf.int64)
        )

    for labels in ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [[1], [2], [0]]):
        batches = tf.data.Dataset.from_tensor_slices(labels).batch(2).map(classes)
        assert [batch.numpy().tolist() for batch in batches] == [[1, 2], [0]]


def test_modules_that_were_removed_still_have_names():
    held = importlib.import_module("tensorflow.python.util.nest")
    removed = {name: sys.modules.pop(name) for name in list(sys.modules) if name.endswith("python.util.nest")}
    try:
        assert held.assert_same_structure is tf.nest.assert_same_structure
    finally:
        sys.modules.update(removed)


def test_all_names_of_a_module_are_imported():
    found: dict[str, object] = {}
    exec("from tensorflow.python.ops.init_ops import *\nfrom tensorflow.python.ops.rnn_cell import *", found)
    assert found["glorot_normal_initializer"] is found["GlorotNormal"] is tf.compat.v1.initializers.glorot_normal
    with pytest.raises(NotImplementedError, match="derive from a layer"):
        type("Cell", (found["RNNCell"],), {})()


def test_lengths_of_convolutions_and_joined_sizes():
    conv_output_length = importlib.import_module("tensorflow.python.layers.utils").conv_output_length
    joined = importlib.import_module("tensorflow.python.ops.rnn_cell_impl")._concat
    windows = [("same", 2, 1), ("valid", 2, 2), ("full", 1, 2)]
    assert [conv_output_length(7, 3, *window) for window in windows] == [4, 2, 11]
    assert conv_output_length(None, 3, "same", 1) is None
    with pytest.raises(AssertionError, match="padding must be"):
        conv_output_length(7, 3, "causal", 1)
    assert joined(tf.constant(3), tf.TensorShape([4, 5])).numpy().tolist() == [3, 4, 5]
    assert joined(tf.TensorShape([None, 2]), 3, static=True) == [None, 2, 3]
    with pytest.raises(ValueError, match="must be known sizes"):
        joined(None, 3)


def test_glorot_initializers_draw_the_numbers_of_tensorflow():
    initializers = importlib.import_module("tensorflow.python.ops.init_ops_v2")
    glorot_normal, glorot_uniform = initializers.glorot_normal, initializers.glorot_uniform
    first, other = [-0.20746, -0.31185, 1.35197, 0.55613, -0.16615, -0.14169], [0.81746, 0.2047, -0.81814]
    assert glorot_normal(seed=1024)([2, 3]).numpy().ravel().tolist() == pytest.approx(first, abs=1e-5)
    assert glorot_uniform(seed=1024)([2, 3]).numpy()[0].tolist() == pytest.approx(other, abs=1e-5)
    tf.random.set_seed(0)
    assert glorot_normal()([2, 3]).numpy()[0].tolist() == pytest.approx([1.08646, 0.30408, -0.30176], abs=1e-5)
    assert initializers.Zeros is tf.zeros_initializer
