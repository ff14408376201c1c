"""`tf.saved_model.load`: choices, and errors for models that cannot be loaded."""

from __future__ import annotations

import shutil

import pytest

import tfcompat as tf
from tests.saved_model import models


@pytest.fixture
def model(tmp_path):
    models.recorded(tmp_path, ["plain"])
    return tmp_path / "plain"


def test_folder_without_a_model(tmp_path):
    with pytest.raises(OSError, match=r"SavedModel file does not exist at: .*\{saved_model.pbtxt\|saved_model.pb\}"):
        tf.saved_model.load(str(tmp_path))


def test_model_without_variables(model):
    shutil.rmtree(model / "variables")
    with pytest.raises(FileNotFoundError):
        tf.saved_model.load(str(model))


def test_tags(model):
    for tags in ("serve", ["serve"], {"serve"}):
        assert tf.saved_model.load(str(model), tags=tags).w.shape == [3, 2]
    with pytest.raises(ValueError, match="incompatible argument to `tags`"):
        tf.saved_model.load(str(model), tags=["serve", "gpu"])


def test_version_of_tensorflow_is_an_attribute(model):
    assert tf.saved_model.load(str(model)).tensorflow_version.startswith("2.")


def test_arguments_of_a_signature(model):
    function = tf.saved_model.load(str(model)).signatures["serving_default"]
    assert function.structured_input_signature == ((), {"x": tf.TensorSpec([None, 3], tf.float32, name="x")})
    assert function.output_dtypes == {"output_0": tf.float32}
    assert function.output_shapes["output_0"].as_list() == [None, 2]
    with pytest.raises(TypeError):
        function()
    with pytest.raises(TypeError):
        function(y=tf.zeros([1, 3]))


def test_loaded_objects_are_trackable(model, tmp_path):
    loaded = tf.saved_model.load(str(model))
    path = tf.train.Checkpoint(loaded).write(str(tmp_path / "ck"))
    loaded.w.assign_add(tf.ones([3, 2]))
    changed = loaded.w.numpy()
    tf.train.Checkpoint(loaded).read(path).assert_existing_objects_matched()
    assert (loaded.w.numpy() == changed - 1.0).all()


def test_model_that_is_loaded_again_is_not_compiled_again(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: tf.nn.relu(x) * 2.5, input_signature=[tf.TensorSpec([None], tf.float32)])
    tf.saved_model.save(module, str(tmp_path))
    with tf.counted() as counts:
        for _ in range(10):
            assert tf.saved_model.load(str(tmp_path)).f(tf.constant([1.0, -1.0])).numpy().tolist() == [2.5, 0.0]
    assert 1 <= counts.compiles + counts.op_compiles <= 2
