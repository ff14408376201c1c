"""`keras.distribution`: Keras' backend for TensorFlow knows meshes and layouts, and divides nothing."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

keras = tf.keras
dtensor = tf.experimental.dtensor
distribution = keras.distribution
RNG = np.random.default_rng(0)
INPUTS, TARGETS = RNG.normal(size=(32, 8)).astype("float32"), RNG.normal(size=(32, 4)).astype("float32")


@pytest.fixture(scope="module", autouse=True)
def system():
    dtensor.initialize_accelerator_system("CPU")
    yield
    dtensor.shutdown_accelerator_system()


@pytest.fixture(scope="module")
def devices():
    return distribution.list_devices()


@pytest.fixture(scope="module")
def mesh(devices):
    return distribution.DeviceMesh((2, 4), ("batch", "model"), devices)


@pytest.fixture(scope="module")
def layouts(mesh):
    found = distribution.LayoutMap(mesh)
    found[".*kernel"] = (None, "model")
    found[".*bias"] = ("model",)
    return found


def test_system_is_initialized_once():
    with pytest.raises(ValueError, match="Accelerator system has already been initialized"):
        dtensor.initialize_accelerator_system("CPU")


def test_mesh_and_layouts(devices, mesh, layouts):
    assert [f"cpu:{k}" for k in range(8)] == devices
    names = ",".join(f"/job:localhost/replica:0/task:0/device:CPU:{k}" for k in range(8))
    assert mesh.backend_mesh.to_string() == f"|batch=2,model=4|0,1,2,3,4,5,6,7|0,1,2,3,4,5,6,7|{names}"
    assert layouts["dense/kernel"].backend_layout == dtensor.Layout(["unsharded", "model"], mesh.backend_mesh)
    with pytest.raises(ValueError, match="Global number of devices"):
        dtensor.create_distributed_mesh([("x", 5)])


def trained(chosen):
    keras.utils.set_random_seed(1)
    distribution.set_distribution(chosen)
    try:
        model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(4)])
        model.compile("adam", "mse")
        history = model.fit(INPUTS, TARGETS, epochs=2, verbose=0, batch_size=8)
        return history.history["loss"], model.predict(INPUTS, verbose=0)
    finally:
        distribution.set_distribution(None)


@pytest.mark.parametrize("kind", ["data", "model"])
def test_training_is_that_of_one_device(kind, devices, layouts):
    if kind == "data":
        chosen = distribution.DataParallel(devices=devices)
    else:
        chosen = distribution.ModelParallel(layout_map=layouts, batch_dim_name="batch")
    losses, outputs = trained(chosen)
    expected_losses, expected = trained(None)
    np.testing.assert_allclose(losses, expected_losses, rtol=1e-5)
    np.testing.assert_allclose(outputs, expected, rtol=1e-4, atol=1e-5)


def test_what_the_backend_lacks(mesh):
    layout = distribution.TensorLayout(("batch", None), mesh)
    with pytest.raises(AttributeError, match="no attribute 'distribute_tensor'"):
        distribution.distribute_tensor(INPUTS, layout)
    with pytest.raises(AttributeError, match="no attribute 'initialize'"):
        distribution.initialize()
