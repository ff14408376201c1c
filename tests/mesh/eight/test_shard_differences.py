"""Known differences from TensorFlow's DTensor, which `migration_guide/differences.md` lists."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

dtensor = tf.experimental.dtensor
U = dtensor.UNSHARDED
MESH = dtensor.create_mesh([("x", 4), ("y", 2)], devices=[f"CPU:{k}" for k in range(8)])
NUMBERS = np.arange(8.0, dtype=np.float32).reshape(4, 2)


def layout(*specs):
    return dtensor.Layout(list(specs), MESH)


@pytest.fixture
def rows():
    return dtensor.copy_to_mesh(NUMBERS, layout("x", U))


def test_divided_tensors_have_numpy(rows):
    assert rows.numpy().tolist() == NUMBERS.tolist()
    assert dtensor.DVariable(rows).numpy().tolist() == NUMBERS.tolist()


def test_tensors_of_one_device_meet_those_of_a_mesh(rows):
    assert (rows + tf.ones([4, 2])).numpy().tolist() == (NUMBERS + 1.0).tolist()
    variable = dtensor.DVariable(rows)
    variable.assign(tf.ones([4, 2]))
    assert dtensor.fetch_layout(variable) == layout("x", U)


def test_xla_chooses_the_layouts_of_results(rows):
    assert dtensor.fetch_layout(tf.concat([rows, rows], 0)).sharding_specs == ["x", U]
    assert rows[0].numpy().tolist() == [0.0, 1.0]
    assert tf.tile(rows, [2, 1]).shape == [8, 2]


def test_random_numbers_do_not_depend_on_the_layout():
    drawn = dtensor.call_with_layout(tf.random.stateless_normal, layout("x", "y"), shape=[4, 2], seed=[1, 1])
    np.testing.assert_allclose(drawn.numpy(), tf.random.stateless_normal([4, 2], [1, 1]).numpy(), rtol=1e-6)


def test_tensors_on_a_mesh_are_on_its_first_device(rows):
    assert rows.device == "/job:localhost/replica:0/task:0/device:CPU:0"


def test_system_may_be_initialized_after_a_computation():
    tf.ones([2]).numpy()
    assert dtensor.initialize_accelerator_system("CPU") == "CPU"
    dtensor.shutdown_accelerator_system()


def test_datasets_on_a_mesh_are_read_again():
    dataset = tf.data.Dataset.range(8)
    divided = dtensor.DTensorDataset(dataset, mesh=MESH, layouts=layout("x"), global_batch_size=4, batch_dim="x")
    for _ in range(2):
        assert [batch.numpy().tolist() for batch in divided] == [[0, 1, 2, 3], [4, 5, 6, 7]]


REFUSED = {
    "strings": lambda: dtensor.copy_to_mesh(tf.constant(["a"]), layout(U)),
    "sparse": lambda: dtensor.pack([tf.sparse.from_dense([1.0])] * 8, layout(U)),
    "proto": lambda: MESH.as_proto(),
    "layout proto": lambda: layout("x").as_proto(),
    "sharded save": lambda: dtensor.sharded_save(MESH, "", [], [], []),
    "device twice": lambda: tf.ones(
        [2], layout=dtensor.Layout(["x"], dtensor.create_mesh([("x", 2)], devices=["CPU:0", "CPU:0"]))
    ),
    "megacore": lambda: dtensor.initialize_accelerator_system("CPU", experimental_enable_megcore=True),
}


@pytest.mark.parametrize("act", REFUSED.values(), ids=REFUSED)
def test_unsupported_parts_of_dtensor(act):
    with pytest.raises(NotImplementedError):
        act()


def test_several_processes_are_refused(monkeypatch):
    monkeypatch.setenv("DTENSOR_JOBS", "a:1,b:2")
    assert (dtensor.num_clients(), dtensor.job_name(), dtensor.jobs()) == (2, "worker", ["a:1", "b:2"])
    with pytest.raises(NotImplementedError, match="only one process"):
        dtensor.initialize_accelerator_system("CPU")


def test_missing_devices_are_refused_at_use():
    mesh = dtensor.create_mesh([("x", 2)], devices=["CPU:0", "CPU:9"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="is missing"):
        dtensor.copy_to_mesh([1, 2], dtensor.Layout(["x"], mesh))
