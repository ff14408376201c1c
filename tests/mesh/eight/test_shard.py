"""`tfcompat.shard`: undecorated and decorated loops on several devices."""

from __future__ import annotations

import copy
import threading

import jax
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

import tfcompat as tf
from tests.explained import explained

RNG = np.random.default_rng(0)
INPUTS = RNG.normal(size=(64, 8)).astype("float32")
TARGETS = RNG.normal(size=(64, 4)).astype("float32")
FIRST = RNG.normal(size=(8, 16)).astype("float32")
SECOND = RNG.normal(size=(16, 4)).astype("float32")


@pytest.fixture(scope="module")
def mesh():
    return Mesh(np.array(jax.devices()).reshape(4, 2), ("batch", "model"))


@pytest.fixture
def on(mesh):
    """The sharding over axes of the mesh."""
    return lambda *axes: NamedSharding(mesh, PartitionSpec(*axes))


def spec(value):
    """The partition of a variable or tensor."""
    return array_of(value).sharding.spec


def array_of(value):
    return getattr(value, "_tensor", value)._value()


def losses(place, *, decorated, steps=6):
    """The losses of a training with momentum, and its variables. `place(variables, batch)` returns the batch."""
    variables = [tf.Variable(FIRST), tf.Variable(tf.zeros(16)), tf.Variable(SECOND)]
    momenta = [tf.Variable(tf.zeros_like(variable)) for variable in variables]
    batch = place(variables, (tf.constant(INPUTS), tf.constant(TARGETS)))

    def step(x, y):
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(x @ variables[0] + variables[1])
            loss = tf.reduce_mean(tf.square(hidden @ variables[2] - y))
        for variable, momentum, slope in zip(variables, momenta, tape.gradient(loss, variables), strict=True):
            momentum.assign(0.9 * momentum + slope)
            variable.assign_sub(0.01 * momentum)
        return loss

    run = tf.function(step) if decorated else step
    found = []
    for k in range(steps):
        with tf.counted() as counts:
            found.append(float(run(*batch)))
        if k >= steps // 2:  # before, XLA has chosen where the momenta are
            assert (counts.compiles, counts.flushes, counts.op_by_op, counts.host_ops) == (0, 1, 0, 0)
    return found, variables, momenta


@pytest.mark.parametrize("decorated", [False, True], ids=["undecorated", "decorated"])
def test_step_on_a_mesh_is_one_program_with_the_same_losses(on, decorated):
    def divided(variables, batch):
        tf.shard(variables[0], on(None, "model"))
        tf.shard(variables[2], on("model", None))
        return [tf.shard(part, on("batch")) for part in batch]

    expected, before, _ = losses(lambda _, batch: batch, decorated=decorated)
    found, after, momenta = losses(divided, decorated=decorated)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(other.numpy(), one.numpy(), rtol=1e-4, atol=1e-6)
    assert [spec(after[0]), spec(after[2])] == [PartitionSpec(None, "model"), PartitionSpec("model", None)]
    assert spec(momenta[0]) == PartitionSpec(None, "model")  # XLA divides it like its variable


def test_work_is_divided(on):
    x = tf.shard(tf.ones([8, 4]), on("batch", "model"))
    assert {shard.data.shape for shard in array_of(x * 2.0).addressable_shards} == {(2, 2)}


ASSIGNMENTS = {
    "array": lambda v: v.assign(np.full((8, 4), 3.0, np.float32)),
    "tensor": lambda v: v.assign(tf.fill([8, 4], 3.0)),
    "computed": lambda v: v.assign(v + 2.0),
    "add": lambda v: v.assign_add(tf.fill([8, 4], 2.0)),
    "rows": lambda v: v.scatter_nd_update([[k] for k in range(8)], tf.fill([8, 4], 3.0)),
    "part": lambda v: v[:, :].assign(tf.fill([8, 4], 3.0)),
    "decorated": lambda v: tf.function(lambda: v.assign(tf.fill([8, 4], 3.0)))(),
    "immediate": lambda v: immediately(lambda: v.assign_add(tf.fill([8, 4], 2.0))),
}


def immediately(act):
    with tf.config.immediate():
        return act()


@pytest.mark.parametrize("assign", ASSIGNMENTS.values(), ids=ASSIGNMENTS)
def test_variable_keeps_its_sharding(on, assign):
    variable = tf.shard(tf.Variable(tf.ones([8, 4])), on("batch", "model"))
    for _ in range(3):
        variable.assign(tf.ones([8, 4]))
        assign(variable)
        assert spec(variable) == PartitionSpec("batch", "model")
        assert variable.numpy().tolist() == [[3.0] * 4] * 8


def test_one_value_for_variables_of_two_shardings(on):
    rows, columns = (tf.shard(tf.Variable(tf.zeros([8, 4])), on(*axes)) for axes in (("batch",), (None, "model")))
    value = tf.random.normal([8, 4])
    rows.assign(value)
    columns.assign(value)
    assert (spec(rows), spec(columns)) == (PartitionSpec("batch"), PartitionSpec(None, "model"))
    assert np.array_equal(rows.numpy(), columns.numpy())


@pytest.mark.parametrize("decorated", [False, True], ids=["undecorated", "decorated"])
def test_buffers_are_donated(on, decorated):
    variable = tf.shard(tf.Variable(tf.ones([256, 64])), on("batch", "model"))
    slope = tf.shard(tf.ones([256, 64]), on("batch", "model"))

    def act():
        variable.assign_sub(0.1 * slope)

    step = tf.function(act) if decorated else act
    places = []
    for _ in range(6):
        step()
        tf.sync()
        places.append([part.data.unsafe_buffer_pointer() for part in array_of(variable).addressable_shards])
    assert places[-1] == places[-2]


def test_variable_is_moved_again(on):
    variable = tf.Variable(tf.ones([8, 4]))
    step = tf.function(lambda: variable.assign_add(variable) * 1.0)
    for axes in (("batch",), (None, "model"), ("batch", "model"), ("batch",)):
        tf.shard(variable, on(*axes))
        step()
        step()
        assert spec(variable) == PartitionSpec(*axes)
    assert variable[0, 0].numpy() == 2.0**8


def test_checkpoint_restores_the_sharding(on, tmp_path):
    variable = tf.shard(tf.Variable(tf.fill([8, 4], 2.0)), on("batch"))
    path = tf.train.Checkpoint(v=variable).save(tmp_path / "c")
    variable.assign(tf.zeros([8, 4]))
    tf.train.Checkpoint(v=variable).restore(path).assert_consumed()
    assert spec(variable) == PartitionSpec("batch")
    plain = tf.Variable(tf.zeros([8, 4]))
    tf.train.Checkpoint(v=plain).restore(path).assert_consumed()
    assert variable.numpy().tolist() == plain.numpy().tolist() == [[2.0] * 4] * 8


def test_copy_has_the_sharding(on):
    assert spec(copy.deepcopy(tf.shard(tf.Variable(tf.ones([8, 4])), on("batch")))) == PartitionSpec("batch")


def test_gradient_flows_through(on):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.shard(x * x, on("batch")) ** 2)
    assert tape.gradient(loss, x).numpy().tolist() == [4.0, 32.0, 108.0, 256.0]


def test_decorated_function_serves_any_sharding(on):
    double = tf.function(lambda x: 2.0 * x)
    for axes in ((), ("batch",), (), (None, "model"), ("batch",)):
        x = tf.shard(tf.ones([8, 4]), on(*axes)) if axes else tf.ones([8, 4])
        result = double(x)
        assert result.numpy().sum() == 64.0
        if axes:
            assert spec(result)[: len(axes)] == axes


def test_placed_inside_a_decorated_function(on):
    place = tf.function(lambda x: tf.shard(x * 2.0, on(None, "model")))
    assert [spec(place(tf.ones([8, 4]))) for _ in range(3)] == [PartitionSpec(None, "model")] * 3


def test_batches_of_several_sizes(on):
    weights = tf.Variable(tf.ones([4, 2]))
    sums = [float(tf.reduce_sum(tf.shard(tf.ones([n, 4]), on("batch")) @ weights)) for n in (8, 16, 24, 32, 8, 40)]
    assert sums == [64.0, 128.0, 192.0, 256.0, 64.0, 320.0]


def test_long_chain_in_parts(on):
    variable = tf.shard(tf.Variable(tf.ones([8])), on("batch"))
    for _ in range(2):
        x = variable * 1.0
        for _ in range(200):
            x = x + tf.sin(x) * 0.0
        variable.assign(x)
        assert spec(variable) == PartitionSpec("batch")
    assert variable.numpy().tolist() == [1.0] * 8


def test_another_single_device():
    variable = tf.shard(tf.Variable(tf.ones([8])), SingleDeviceSharding(jax.devices()[3]))
    variable.assign_add(tf.ones([8]))
    variable.assign(variable * 2.0)
    assert variable.device.endswith("CPU:3")
    assert variable.numpy().tolist() == [4.0] * 8


def test_arrays_of_jax_keep_their_sharding(on):
    array = jax.device_put(np.ones((8, 4), np.float32), on("batch"))
    assert spec(tf.constant(array) + 1.0)[0] == "batch"
    assert spec(tf.Variable(array)) == PartitionSpec("batch")


def test_explicit_axes_of_jax_are_automatic():
    """`jax.make_mesh` makes them by default; the ops of a step would have to name their shardings."""
    mesh = jax.make_mesh((4, 2), ("batch", "model"))
    weights = tf.shard(tf.Variable(tf.ones([4, 2])), NamedSharding(mesh, PartitionSpec(None, "model")))
    array = jax.device_put(np.ones((8, 4), np.float32), NamedSharding(mesh, PartitionSpec("batch")))
    for x in (tf.shard(tf.ones([8, 4]), array.sharding), tf.constant(array)):
        assert (x @ weights + tf.ones([2])).numpy().tolist() == [[5.0, 5.0]] * 8
        assert spec(tf.shard(x * 2.0, array.sharding))[0] == "batch"


def test_programs_of_several_threads_take_turns(on):
    """Two at once would wait for each other: XLA ends such a process after 40 seconds."""
    variable = tf.shard(tf.Variable(tf.ones([64, 64])), on("batch", "model"))
    found = []

    def work():
        for k in range(20):
            found.append(float(tf.reduce_sum(variable * float(k))))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted([4096.0 * k for k in range(20)] * 3)


def test_keras_model_on_a_mesh(on):
    def trained(*, is_divided):
        tf.keras.utils.set_random_seed(1)
        model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(4)])
        model.build([None, 8])
        if is_divided:
            tf.shard(model.layers[0].kernel.value, on(None, "model"))
            tf.shard(model.layers[1].kernel.value, on("model", None))
        model.compile("adam", "mse")
        losses = model.fit(INPUTS, TARGETS, epochs=2, verbose=0, batch_size=16, shuffle=False).history["loss"]
        return model, losses

    _, expected = trained(is_divided=False)
    model, losses = trained(is_divided=True)
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    assert spec(model.layers[0].kernel.value) == PartitionSpec(None, "model")
    momentum = next(variable for variable in model.optimizer.variables if variable.shape == (8, 16))
    assert spec(momentum.value) == PartitionSpec(None, "model")


def test_reason_for_another_program(on, tmp_path, monkeypatch):
    source = """
for axes in ((), ("batch",), (None, "model")):
    x = tf.shard(tf.ones([8, 4]), on(*axes))
    tf.sync()
    (2.0 * x).numpy()
"""
    lines = [line for line in explained(source, tmp_path, monkeypatch, on=on) if "compiling" in line]
    assert "no known program is like it" in lines[0]
    assert all("divided in another way, than those of the program compiled at train.py:5" in line for line in lines[1:])


def test_refusals(on):
    for shape, axes in (([6, 3], ("batch",)), ([4], (None, "model"))):
        with pytest.raises(ValueError, match="shape does not fit"):
            tf.shard(tf.ones(shape), on(*axes))
        with pytest.raises(ValueError, match="shape does not fit"):
            tf.shard(tf.Variable(tf.ones(shape)), on(*axes))
    with pytest.raises(TypeError, match=r"must be a jax\.sharding\.Sharding"):
        tf.shard(tf.ones([8]), "batch")
    with pytest.raises(NotImplementedError, match="strings stay on the host"):
        tf.shard(tf.constant(["a"]), on())
    variable = tf.Variable(tf.ones([8]))
    with pytest.raises(NotImplementedError, match="outside of decorated functions"):
        tf.function(lambda: tf.shard(variable, on("batch")))()
