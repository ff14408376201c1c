"""Meshes and layouts: their texts, their properties, their errors."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tfcompat as tf

dtensor = tf.experimental.dtensor
DEVICES = [f"CPU:{k}" for k in range(6)]
NAMES = [f"/job:localhost/replica:0/task:0/device:{device}" for device in DEVICES]
TEXT = f"|x=3,y=2|0,1,2,3,4,5|0,1,2,3,4,5|{','.join(NAMES)}"
MESH = dtensor.create_mesh([("x", 3), ("y", 2)], devices=DEVICES)
ROWS = dtensor.Layout(["x", dtensor.UNSHARDED], MESH)


def test_mesh():
    assert repr(MESH) == str(MESH) == f"Mesh.from_string({TEXT})"
    assert MESH.to_string() == TEXT
    assert (MESH.dim_names, MESH.shape(), MESH.size, MESH.strides, MESH.name) == (["x", "y"], [3, 2], 6, [2, 1], "")
    assert (MESH.dim_size("y"), MESH["x"].name, MESH["x"].size) == (2, "x", 3)
    assert ("x" in MESH, MESH.contains_dim("q")) == (True, False)
    assert MESH.global_device_ids().tolist() == [[0, 1], [2, 3], [4, 5]]
    assert (MESH.local_device_ids(), MESH.min_global_device_id()) == ([0, 1, 2, 3, 4, 5], 0)
    assert (MESH.local_devices(), MESH.num_local_devices(), MESH.global_devices()) == (NAMES, 6, [])
    assert MESH.local_device_locations()[3] == MESH.unravel_index()[3] == {"x": 1, "y": 1}
    assert MESH.device_location(3) == MESH.coords(3).numpy().tolist() == [1, 1]
    assert (MESH.device_type(), MESH.is_remote(), MESH.use_xla_spmd()) == ("CPU", False, False)
    assert (MESH.is_single_device(), MESH.single_device) == (False, "")
    assert MESH.host_mesh() == MESH


def test_meshes_with_equal_texts_are_equal():
    same, named = (dtensor.create_mesh([("x", 3), ("y", 2)], name, DEVICES) for name in ("", "n"))
    assert same == MESH
    assert hash(same) == hash(MESH)
    assert named != MESH
    assert named.to_string() == f"n{TEXT}"
    assert dtensor.Mesh.from_string(TEXT) == pickle.loads(pickle.dumps(MESH)) == copy.deepcopy(MESH) == MESH


def test_create_mesh_has_defaults():
    assert dtensor.create_mesh().to_string().startswith("|x=8|0,1,2,3,4,5,6,7|")
    assert dtensor.create_mesh({"a": 2, "b": 4}).shape() == [2, 4]
    assert dtensor.create_mesh([("a", -1)]).shape() == [8]
    specs = [tf.DeviceSpec.from_string(device) for device in DEVICES]
    assert dtensor.create_mesh([("x", 3), ("y", 2)], devices=specs) == MESH
    assert dtensor.create_mesh([("x", 2)], devices=["CPU:1", "CPU:0"]).local_devices() == [NAMES[1], NAMES[0]]


def test_mesh_of_a_single_device():
    mesh = dtensor.Mesh.from_device("CPU:1")
    assert (mesh.is_single_device(), mesh.single_device, mesh.to_string()) == (True, "CPU:1", "CPU:1")
    assert (mesh.size, mesh.shape(), mesh.dim_names, mesh.local_devices(), mesh.device_type()) == (0, [], [], [], "CPU")
    assert repr(dtensor.Layout.from_device("CPU:1")) == "Layout.from_string(maximal:true, mesh:CPU:1)"
    layout = dtensor.Layout.from_device("job:localhost/replica:0/task:0/TPU:0")
    assert dtensor.Layout.from_string(layout.to_string()) == pickle.loads(pickle.dumps(layout)) == layout


def test_mesh_of_hosts():
    devices = [name.replace("CPU", "TPU") for name in NAMES]
    ids = list(range(len(devices)))
    mesh = dtensor.Mesh(["x"], np.array(ids), ids, devices, "named", use_xla_spmd=True)
    assert mesh.to_string().endswith("|use_xla_spmd")
    assert dtensor.Mesh.from_string(mesh.to_string()).use_xla_spmd()
    assert mesh.host_mesh() == dtensor.Mesh(["x"], np.array(ids), ids, NAMES)
    assert not mesh.host_mesh().use_xla_spmd()


REFUSED = {
    "size": (lambda: dtensor.create_mesh([("x", 5)], devices=DEVICES), ValueError, r"length of devices \(6\)"),
    "type": (lambda: dtensor.create_mesh(devices=DEVICES, device_type="GPU"), ValueError, "Conflicting devices"),
    "gpu": (lambda: dtensor.create_mesh(device_type="GPU"), ValueError, "must be non-empty"),
    "no devices": (lambda: dtensor.create_mesh(devices=[]), IndexError, "list index out of range"),
    "list": (lambda: dtensor.Mesh(["x"], [0], [0], []), ValueError, "must be an ndarray"),
    "names": (
        lambda: dtensor.Mesh(["x"], np.arange(6).reshape(3, 2), list(range(6)), DEVICES),
        ValueError,
        "Number of mesh dimensions does not match",
    ),
    "order": (
        lambda: dtensor.Mesh(["x"], np.array([1, 0]), [0, 1], DEVICES[:2]),
        ValueError,
        "must sequentially increase",
    ),
    "twice": (
        lambda: dtensor.Mesh(["x"], np.arange(2), [0, 1], ["/job:localhost/device:GPU:0"] * 2),
        ValueError,
        "Duplicate devices found in mesh specification",
    ),
    "spmd": (lambda: dtensor.create_mesh(devices=DEVICES, use_xla_spmd=True), ValueError, "XLA SPMD"),
    "dimension": (lambda: MESH.dim_size("z"), ValueError, "Dimension z does not exist in mesh"),
    "item": (lambda: MESH["z"], ValueError, "Dimension z does not exist in mesh"),
    "text": (lambda: dtensor.Mesh.from_string("foo"), ValueError, "Input string is invalid: foo"),
    "parts": (lambda: dtensor.Mesh.from_string("|x=2|0,1|0,1"), ValueError, "mesh parts but found"),
    "distributed": (lambda: dtensor.create_distributed_mesh([("x", 8)]), ValueError, "Accelerators are uninitialized"),
    "layout text": (lambda: dtensor.Layout.from_string("foo"), ValueError, "Expected 2 items"),
    "repeated": (lambda: dtensor.Layout(["x", "x"], MESH), ValueError, "Mesh dimension x was repeated"),
    "unknown": (lambda: dtensor.Layout(["q"], MESH), ValueError, "q: A dimension sharding must either be"),
    "no mesh": (lambda: dtensor.Layout(["x"], 3), ValueError, "mesh is not a valid Mesh object"),
    "batch": (lambda: dtensor.Layout.batch_sharded(MESH, "q", rank=2), RuntimeError, r"sharding spec \(q\)"),
    "single": (
        lambda: dtensor.Layout.from_single_device_mesh(MESH),
        ValueError,
        "type is single device, but mesh is not",
    ),
    "device": (lambda: dtensor.local_devices("foo"), ValueError, "Device type foo is not CPU, GPU, or TPU"),
    "task": (lambda: dtensor.full_job_name(1), ValueError, "Unexpected task ID 1"),
    "shutdown": (lambda: dtensor.shutdown_accelerator_system(), ValueError, "system is not initialized"),
    "tpu": (lambda: dtensor.create_tpu_mesh(["x"], [1], "tpu"), ValueError, "Invalid TPU topology"),
}


@pytest.mark.parametrize(("act", "error", "match"), REFUSED.values(), ids=REFUSED)
def test_refused(act, error, match):
    with pytest.raises(error, match=match):
        act()


@pytest.mark.parametrize("name", [1, 1.5, None, ("x",)], ids=repr)
def test_names_are_texts(name):
    for make in (
        lambda: dtensor.create_mesh([(name, 6)], devices=DEVICES),
        lambda: dtensor.create_mesh({name: 6}, devices=DEVICES),
        lambda: dtensor.create_mesh([("x", 6)], name, DEVICES),
        lambda: dtensor.Mesh([name], np.arange(6), list(range(6)), DEVICES),
        lambda: dtensor.Layout([name], MESH),
        lambda: MESH[name],
        lambda: MESH.dim_size(name),
        lambda: MESH.contains_dim(name),
    ):
        with pytest.raises(TypeError):
            make()


def test_names_may_be_bytes():
    assert dtensor.create_mesh([(b"x", 3), ("y", 2)], devices=DEVICES) == MESH
    assert dtensor.Layout([b"x", "unsharded"], MESH) == ROWS
    assert MESH.dim_size(b"y") == 2


def test_layout():
    text = f"sharding_specs:x,unsharded, mesh:{TEXT}"
    assert repr(ROWS) == str(ROWS) == f"Layout.from_string({text})"
    assert ROWS.to_string() == text
    assert (ROWS.rank, ROWS.sharding_specs, ROWS.shape) == (2, ["x", "unsharded"], [3, 2])
    assert ROWS.mesh == MESH
    assert (ROWS.num_shards(0), ROWS.num_shards(1)) == (3, 1)
    assert ROWS.offset_to_shard() == [(0, 0), (0, 0), (1, 0), (1, 0), (2, 0), (2, 0)]
    assert ROWS.offset_tuple_to_global_index((1, 1)) == 2
    assert ROWS.global_shape_from_local_shape([2, 3]) == (6, 3)
    assert ROWS.local_shape_from_global_shape([6, 3]) == (2, 3)
    assert ROWS.delete(0).sharding_specs == ["unsharded"]
    assert ROWS.delete([0, 1]).to_string() == f"sharding_specs: mesh:{TEXT}"
    assert ROWS.to_parted().to_string() == f"parted:x,unsharded, mesh:{TEXT}"
    assert repr(ROWS.type) == "<LayoutType.STATIC: 1>"


def test_layouts_with_equal_texts_are_equal():
    assert dtensor.Layout(("x", "unsharded"), MESH) == dtensor.Layout.from_string(ROWS.to_string()) == ROWS
    assert hash(dtensor.Layout(["x", "unsharded"], MESH)) == hash(ROWS)
    assert pickle.loads(pickle.dumps(ROWS)) == copy.deepcopy(ROWS) == ROWS
    assert dtensor.Layout(["y", "unsharded"], MESH) != ROWS


def test_kinds_of_layouts():
    assert dtensor.Layout.replicated(MESH, rank=2).sharding_specs == ["unsharded", "unsharded"]
    assert dtensor.Layout.batch_sharded(MESH, "x", rank=2) == ROWS
    assert dtensor.Layout.batch_sharded(MESH, "y", rank=3, axis=1).sharding_specs == ["unsharded", "y", "unsharded"]
    assert dtensor.Layout.inner_sharded(MESH, "y", rank=3).sharding_specs == ["unsharded", "unsharded", "y"]
    assert dtensor.Layout([dtensor.MATCH, "x"], MESH).sharding_specs == ["match", "x"]
    specs = (["x", "y"], ["unsharded", "y"], [], ["unsharded"], ["x", "unsharded"])
    layouts = [dtensor.Layout(each, MESH) for each in specs]
    assert [layout.is_batch_parallel() for layout in layouts] == [False, False, False, False, True]
    assert [layout.is_fully_replicated() for layout in layouts] == [False, False, True, True, False]


def test_machine():
    assert (dtensor.client_id(), dtensor.num_clients(), dtensor.jobs()) == (0, 1, [])
    assert (dtensor.job_name(), dtensor.full_job_name()) == ("localhost", "localhost/replica:0/task:0")
    assert (dtensor.heartbeat_enabled(), dtensor.preferred_device_type()) == (True, "CPU")
    assert [device.to_string() for device in dtensor.local_devices("cpu")][:6] == NAMES
    assert (dtensor.num_local_devices("CPU"), dtensor.num_local_devices("GPU")) == (8, 0)
    assert (dtensor.num_global_devices("CPU"), dtensor.num_global_devices("TPU")) == (8, 0)
    assert dtensor.device_name() == "/job:localhost/replica:0/task:0/device:CUSTOM:0"
