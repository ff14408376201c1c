"""Tensors of checkpoints are read by name: `tf.train.load_checkpoint`, `list_variables`, `load_variable`."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import tfcompat as tf
from tests.saved import objects

GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
NAMED = str(pathlib.Path(__file__).with_name("named") / "model")


def value(name):
    return f"{name}/.ATTRIBUTES/VARIABLE_VALUE"


@pytest.fixture
def path(tmp_path):
    parts = {"a": tf.Variable([[1.0, 2.0]]), "b": tf.Variable(tf.constant(3, tf.bfloat16)), "c": tf.Variable("text")}
    return tf.train.Checkpoint(**parts).save(str(tmp_path / "ck"))


def test_a_reader_knows_names_shapes_and_dtypes(path):
    reader = tf.train.load_checkpoint(path)
    shapes = {GRAPH: [], value("a"): [1, 2], value("b"): [], value("c"): [], value("save_counter"): []}
    assert reader.get_variable_to_shape_map() == shapes
    assert reader.get_variable_to_dtype_map()[value("b")] == tf.bfloat16
    assert reader.has_tensor(value("a"))
    assert not reader.has_tensor("a")
    assert f"{value('b')} (DT_BFLOAT16) []\n".encode() in reader.debug_string()
    assert f"{value('a')} (DT_FLOAT) [1,2]\n".encode() in reader.debug_string()


def test_tensors_are_arrays(path):
    reader = tf.train.load_checkpoint(path)
    found = reader.get_tensor(value("a"))
    assert (type(found), found.dtype, found.tolist()) == (np.ndarray, np.float32, [[1.0, 2.0]])
    found[0, 0] = 5.0
    assert reader.get_tensor(value("a"))[0, 0] == 1.0
    assert reader.get_tensor(value("b")) == 3
    assert reader.get_tensor(value("c")) == b"text"
    with pytest.raises(tf.errors.NotFoundError, match="Key a not found in checkpoint"):
        reader.get_tensor("a")


def test_the_latest_checkpoint_of_a_folder_is_read(path, tmp_path):
    assert tf.train.load_variable(str(tmp_path), value("save_counter") + ":0") == 1
    assert tf.train.list_variables(tmp_path) == tf.train.list_variables(path)
    assert tf.train.list_variables(path)[0] == (GRAPH, [])


def test_missing_checkpoints(tmp_path):
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file or checkpoints in given directory"):
        tf.train.load_checkpoint(str(tmp_path))
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files for"):
        tf.train.load_checkpoint(str(tmp_path / "ck-1"))
    other = tmp_path / "other"
    other.write_bytes(b"")
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files for"):
        tf.train.load_checkpoint(str(other / "ck-1"))
    for path in (other, tmp_path):  # neither a folder nor another file is one
        with pytest.raises(tf.errors.DataLossError, match="Unable to open table file"):
            tf.train.Checkpoint().restore(str(path))


def test_files_by_names_of_variables_are_read():
    assert tf.train.list_variables(NAMED) == [("first", [2]), ("scope/second", [])]
    assert tf.compat.v1.train.NewCheckpointReader(NAMED).get_tensor("first").tolist() == [1.5, 2.5]
    assert tf.compat.v1.train.checkpoint_exists(NAMED)
    assert not tf.compat.v1.train.checkpoint_exists(NAMED + "s")


def test_tensors_in_parts_are_read():
    """The variables of a partitioner of TensorFlow 1."""
    path = str(pathlib.Path(__file__).with_name("sliced") / "model")
    assert tf.train.list_variables(path) == [("parts", [5, 3]), ("whole", [2])]
    found = tf.train.load_variable(path, "parts")
    np.testing.assert_allclose(found[2:4], [[0.0881, 0.4567, 0.7688], [0.2390, 0.9204, 0.0505]], atol=1e-4)
    v = tf.Variable(tf.zeros([5, 3]), name="parts")
    tf.train.Checkpoint(v=v).restore(path)
    np.testing.assert_array_equal(v, found)


def test_files_of_several_writers_are_read():
    """TensorFlow's `MaxShardSizePolicy` has divided the tensors among many data files."""
    path = pathlib.Path(__file__).with_name("sharded") / "model"
    assert len(list(path.parent.glob("model.data-*-of-00004"))) == 4
    module = tf.Module()
    module.rows, module.count = tf.Variable(tf.zeros([12, 4])), tf.Variable(tf.zeros([3], tf.int64))
    module.words = tf.Variable(["", "", ""])
    tf.train.Checkpoint(module).read(str(path)).assert_consumed()
    np.testing.assert_array_equal(module.rows, np.arange(48.0).reshape(12, 4))
    assert module.count.numpy().tolist() == [5, 6, 7]
    assert module.words.numpy().tolist() == [b"a", b"bc", b"d" * 30]
    np.testing.assert_array_equal(tf.train.load_variable(path, "rows/.ATTRIBUTES/VARIABLE_VALUE"), module.rows)


def test_file_of_a_writer_that_is_missing(tmp_path):
    for file in pathlib.Path(__file__).with_name("sharded").iterdir():
        if "data-00001" not in file.name:
            (tmp_path / file.name).write_bytes(file.read_bytes())
    module = tf.Module()
    module.rows = tf.Variable(tf.ones([12, 4]))
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.Checkpoint(module).read(str(tmp_path / "model"))
    assert float(tf.reduce_sum(module.rows)) == 48.0


def test_tensors_of_every_dtype_that_tensorflow_wrote(tmp_path):
    objects.restored(tmp_path)
    reader = tf.train.load_checkpoint(str(tmp_path / "dtypes-1"))
    for name in objects.DTYPES:
        found = reader.get_tensor(value(f"numbers/{name}"))
        assert found.dtype == tf.as_dtype(name).as_numpy_dtype
        assert found.astype(np.complex128).tolist() == [[1 if name == "bool" else 3, 0, 1]]
