"""Variables on a mesh, and the programs of TensorFlow's guides on DTensor, compared with the same on one device."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

dtensor = tf.experimental.dtensor
U = dtensor.UNSHARDED
DEVICES = [f"CPU:{k}" for k in range(8)]
RNG = np.random.default_rng(0)
TEXTS = RNG.poisson(0.3, size=(48, 24)).astype("float32")
LABELS = (TEXTS[:, :12].sum(1) > TEXTS[:, 12:].sum(1)).astype("int32")
WEIGHTS = [(RNG.normal(size=shape) * 0.3).astype("float32") for shape in ((24, 16), (16, 4))]


def parts(value):
    tensor = value.read_value() if isinstance(value, tf.Variable) else value
    return [part.numpy().tolist() for part in dtensor.unpack(tensor)]


class Dense(tf.Module):
    """A layer. `weight` has `layout`, the bias that of its columns; plain variables if it is None."""

    def __init__(self, weight, layout, activation=None):
        super().__init__()
        if layout is None:
            self.weight, self.bias = tf.Variable(weight), tf.Variable(tf.zeros(weight.shape[1]))
        else:
            self.weight = dtensor.DVariable(dtensor.copy_to_mesh(weight, layout))
            self.bias = dtensor.DVariable(
                dtensor.call_with_layout(tf.zeros, layout.delete([0]), [weight.shape[1]], tf.float32)
            )
        self.activation = activation

    def __call__(self, x):
        y = tf.matmul(x, self.weight) + self.bias
        return y if self.activation is None else self.activation(y)


class BatchNorm(tf.Module):
    def __call__(self, x):
        mean = tf.reduce_mean(x, axis=[0], keepdims=True)
        variance = tf.reduce_mean(tf.square(x - mean), axis=[0], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-3)


class Network(tf.Module):
    def __init__(self, layouts):
        super().__init__()
        self.dense1 = Dense(WEIGHTS[0], layouts[0], tf.nn.relu)
        self.normal = BatchNorm()
        self.dense2 = Dense(WEIGHTS[1], layouts[1])

    def __call__(self, x):
        return self.dense2(self.normal(self.dense1(x)))


def trained(model, batch, steps=5):
    """The losses, the last with the accuracy."""

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            logits = model(x)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=y)
            loss = tf.reduce_sum(losses) / 48.0
        parameters = model.trainable_variables
        for parameter, slope in zip(parameters, tape.gradient(loss, parameters), strict=True):
            parameter.assign_sub(0.1 * slope)
        wrong = tf.reduce_sum(tf.cast(tf.argmax(logits, -1, tf.int32) != y, tf.float32))
        return loss, 1.0 - wrong / 48.0

    found = [[part.numpy() for part in step(*batch)] for _ in range(steps)]
    return [loss for loss, _ in found], found[-1][1]


DATA = dtensor.create_mesh([("batch", 8)], devices=DEVICES)
BOTH = dtensor.create_mesh([("batch", 4), ("model", 2)], devices=DEVICES)
KINDS = {
    "data": (DATA, [(U, U), (U, U)], ("batch", U)),
    "model": (BOTH, [(U, "model"), ("model", U)], ("batch", U)),
    "space": (BOTH, [("model", U), (U, U)], ("batch", "model")),
}


@pytest.mark.parametrize(("mesh", "weights", "batch"), KINDS.values(), ids=KINDS)
def test_parallel_training_has_the_losses_of_one_device(mesh, weights, batch):
    layouts = [dtensor.Layout(list(specs), mesh) for specs in weights]
    model = Network(layouts)
    x = dtensor.copy_to_mesh(TEXTS, dtensor.Layout(list(batch), mesh))
    y = dtensor.copy_to_mesh(LABELS, dtensor.Layout([batch[0]], mesh))
    losses, accuracy = trained(model, (x, y))
    expected, expected_accuracy = trained(Network([None, None]), (tf.constant(TEXTS), tf.constant(LABELS)))
    np.testing.assert_allclose(losses, expected, rtol=1e-4)
    np.testing.assert_allclose(accuracy, expected_accuracy, rtol=1e-6)
    assert losses[-1] < losses[0]
    for dense, layout in zip((model.dense1, model.dense2), layouts, strict=True):
        assert dense.weight.layout == dtensor.fetch_layout(dense.weight) == layout


def test_concepts():
    """The guide "DTensor concepts": variables, assignments, the fixed layout."""
    mesh = dtensor.create_mesh([("x", 6)], devices=DEVICES[:6])
    layout = dtensor.Layout([U], mesh)
    variable = dtensor.DVariable(dtensor.copy_to_mesh(tf.constant([2.0, 3.0]), layout))
    other = dtensor.copy_to_mesh(tf.constant([5.0, 6.0]), layout)
    product = variable * other
    assert product.numpy().tolist() == [10.0, 18.0]
    assert dtensor.fetch_layout(product) == layout
    variable.assign(other)
    variable.assign_add(other)
    assert variable.numpy().tolist() == [10.0, 12.0]
    assert dtensor.fetch_layout(variable) == layout


def rows(*specs):
    mesh = dtensor.create_mesh([("x", 3), ("y", 2)], devices=DEVICES[:6])
    return dtensor.Layout(list(specs), mesh)


def test_variable_keeps_its_layout():
    variable = dtensor.DVariable(tf.ones([3, 2], layout=rows("x", "y")), name="v")
    assert isinstance(variable, tf.Variable)
    assert variable.name == "v:0"
    assert variable.layout == dtensor.fetch_layout(variable) == rows("x", "y")
    assert dtensor.is_dtensor(variable)
    for value in (tf.zeros([3, 2], layout=rows(U, U)), tf.ones([3, 2], layout=rows("x", U)), variable + 1.0):
        assert dtensor.fetch_layout(variable.assign(value)) == rows("x", "y")
    assert parts(variable) == [[[2.0]]] * 6
    variable.assign_sub(variable)
    assert parts(variable) == [[[0.0]]] * 6


def test_layout_of_a_variable_is_given():
    values = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    for initial in (tf.constant(values), lambda: tf.constant(values), values):
        variable = dtensor.DVariable(initial, layout=rows("x", U))
        assert parts(variable)[2] == [[2.0, 3.0]]
    assert dtensor.DVariable([1, 2, 3], layout=rows("x"), dtype=tf.float32).dtype == tf.float32


def test_gradient_of_a_variable():
    x = tf.ones([6, 2], layout=rows("x", U))
    weights = dtensor.DVariable(tf.ones([2, 4], layout=rows(U, "y")))

    @tf.function
    def slope():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(tf.matmul(x, weights)))
        return tape.gradient(loss, weights)

    assert dtensor.fetch_layout(slope()) == rows(U, "y")
    assert parts(slope())[3] == [[24.0, 24.0], [24.0, 24.0]]


def test_checkpoint_has_no_layout(tmp_path):
    first = dtensor.DVariable(tf.fill([2, 4], 3.0, layout=rows(U, "y")))
    path = tf.train.Checkpoint(v=first).save(str(tmp_path / "c"))
    first.assign(tf.zeros([2, 4], layout=rows(U, "y")))
    turned = dtensor.DVariable(tf.zeros([2, 4], layout=rows("y", U)))
    plain = tf.Variable(tf.zeros([2, 4]))
    for variable in (first, turned, plain):
        tf.train.Checkpoint(v=variable).restore(path).assert_consumed()
    assert plain.numpy().tolist() == [[3.0] * 4] * 2
    assert parts(first) == [[[3.0] * 2] * 2] * 6
    assert parts(turned) == [[[3.0] * 4]] * 6
    assert tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [[3.0] * 4] * 2


def test_checkpoints_have_bfloat16_on_request(tmp_path):
    numbers = np.array([[1.0001, 2.5], [3.0, 4.123456]], "float32")
    variable, whole = (dtensor.DVariable(numbers, layout=rows(U, U)) for _ in range(2))
    assert dtensor.enable_save_as_bf16([variable]) is None
    assert (variable.save_as_bf16, whole.save_as_bf16) == (True, False)
    integers = dtensor.DVariable(np.array([1, 2]), layout=rows(U))
    integers.save_as_bf16 = True
    assert not integers.save_as_bf16
    checkpoint = tf.train.Checkpoint(v=variable, whole=whole)
    path = checkpoint.save(str(tmp_path / "c"))
    dtypes = tf.train.load_checkpoint(path).get_variable_to_dtype_map()
    assert [dtypes[f"{name}/.ATTRIBUTES/VARIABLE_VALUE"] for name in ("v", "whole")] == [tf.bfloat16, tf.float32]
    for each in (variable, whole):
        each.assign(each * 0.0)
    checkpoint.restore(path)
    assert variable.dtype == tf.float32
    assert parts(variable)[0] == [[1.0, 2.5], [3.0, 4.125]]
    assert parts(whole)[0] == numbers.tolist()
    with pytest.raises((tf.errors.OpError, ValueError)):
        tf.train.Checkpoint(v=tf.Variable(tf.zeros([2, 2]))).restore(path)


def test_variables_made_after_the_restore_receive_their_values(tmp_path):
    saved = dtensor.DVariable(tf.reshape(tf.range(8.0), [2, 4]), layout=rows("y", U))
    path = tf.train.Checkpoint(module=tf.train.Checkpoint(v=saved)).save(str(tmp_path / "c"))
    module = tf.Module()
    tf.train.Checkpoint(module=module).restore(path)
    module.v = dtensor.DVariable(tf.zeros([2, 4]), layout=rows(U, "y"))
    assert module.v.layout == rows(U, "y")
    assert parts(module.v)[-1] == [[2.0, 3.0], [6.0, 7.0]]


def test_the_older_checkpoint_of_a_mesh(tmp_path):
    variable = dtensor.DVariable(tf.fill([2, 4], 3.0, layout=rows(U, "y")))
    checkpoint = dtensor.DTensorCheckpoint(rows(U).mesh, v=variable)
    path = checkpoint.save(str(tmp_path / "c"))
    variable.assign(tf.zeros([2, 4], layout=rows(U, "y")))
    checkpoint.restore(path)
    assert parts(variable) == [[[3.0] * 2] * 2] * 6
    with pytest.raises((AttributeError, TypeError)):
        dtensor.DTensorCheckpoint("mesh", v=variable).save(str(tmp_path / "d"))


REFUSED = {
    "no layout": (lambda: dtensor.DVariable(tf.ones([3])), "Neither layout nor DTensor initial value"),
    "conflict": (
        lambda: dtensor.DVariable(tf.ones([3], layout=rows(U)), layout=rows("x")),
        "Conflicting layout are provided",
    ),
}


@pytest.mark.parametrize(("act", "match"), REFUSED.values(), ids=REFUSED)
def test_refused(act, match):
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        act()
