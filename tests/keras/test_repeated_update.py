"""Updates of Keras' optimizers in undecorated steps. Expected values are TensorFlow's."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.structure import recording
from tfcompat._function.graphs import inlining
from tfcompat._state.cell import Cell

keras = tf.keras

# The elements of `w` and `b` after five steps with TensorFlow.
TRAINED = {
    "SGD": [-0.72248, -0.3317, -0.44875, 0.22849, 0.58803, 0.85987, 0.77752, 0.0183, -0.12375],
    "RMSprop": [-0.78996, -0.43314, -0.44362, 0.3348, 0.65429, 0.70668, 0.71004, -0.08314, -0.11862],
    "Adam": [-0.74772, -0.34563, -0.36541, 0.45807, 0.86021, 0.84084, 0.75228, 0.00437, -0.04041],
    "AdamW": [-0.63963, -0.22529, -0.39545, 0.54439, 0.96318, 0.82093, 0.85737, 0.12401, -0.0711],
    "Adadelta": [-0.99931, -0.59935, -0.20105, 0.20083, 0.60078, 0.99885, 0.50069, -0.24935, 0.12395],
    "Adagrad": [-0.8007, -0.40152, -0.39666, 0.41326, 0.81396, 0.83955, 0.6993, -0.05152, -0.07166],
    "Adamax": [-0.69827, -0.29025, -0.38409, 0.51784, 0.92898, 0.81452, 0.80173, 0.05975, -0.05909],
    "Adafactor": [-0.77831, -0.38394, -0.4244, 0.45545, 0.84763, 0.73756, 0.61476, -0.13844, 0.00856],
    "Nadam": [-0.76834, -0.36533, -0.40476, 0.44803, 0.85065, 0.77815, 0.73166, -0.01533, -0.07976],
    "Ftrl": [-0.59006, -0.28838, 0.03667, 0.31831, 0.60908, 0.17005, 0.57805, -0.00239, 0.10657],
    "Lion": [-0.76893, -0.31893, -0.33964, 0.43107, 0.83107, 0.86036, 0.73107, 0.03107, -0.01464],
    "Lamb": [-0.65879, -0.25973, -0.4697, 0.55233, 0.95147, 0.74367, 0.6863, -0.06424, -0.01924],
    "Muon": [-0.94199, -0.50081, -0.16571, 0.25535, 0.61323, 0.91005, 0.97041, 0.21719, -0.3715],
    "ScheduleFreeAdamW": [-0.7903, -0.39022, -0.39428, 0.43465, 0.83374, 0.78611, 0.7097, -0.04022, -0.06928],
}
OPTIONS = {
    "SGD": {"momentum": 0.9, "nesterov": True},
    "RMSprop": {"centered": True, "momentum": 0.5},
    "Adam": {"amsgrad": True},
    "Ftrl": {"l1_regularization_strength": 0.01},
}


class Loop:
    """A training loop of a linear model."""

    def __init__(self, optimizer):
        self.w = keras.Variable(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3), name="w")
        self.b = keras.Variable([0.5, -0.25, 0.125], name="b")
        self.optimizer, self.steps, self.loss = optimizer, 0, None

    def step(self, number=1):
        for _ in range(number):
            x = tf.constant([[1.0, 0.5 + 0.1 * self.steps]])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(tf.matmul(x, self.w) + self.b - 0.3))
            variables, self.loss = [self.w, self.b], loss
            self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            self.steps += 1

    def values(self):
        return [*self.w.numpy().ravel().tolist(), *self.b.numpy().tolist()]


@pytest.fixture
def indexed(monkeypatch):
    """The variables that Keras' Python code of an update has looked up."""
    found = []
    look_up = keras.optimizers.Optimizer._get_variable_index

    def counted(self, variable):
        found.append(variable.name[0])
        return look_up(self, variable)

    monkeypatch.setattr(keras.optimizers.Optimizer, "_get_variable_index", counted)
    return found


@pytest.mark.parametrize("name", TRAINED)
def test_python_code_runs_once_and_every_step_is_that_of_tensorflow(name, indexed):
    scheduled = name in ("Adam", "Lion")
    rate = keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5) if scheduled else 0.1
    loop = Loop(getattr(keras.optimizers, name)(rate, **OPTIONS.get(name, {})))
    loop.step()
    assert set(indexed) == {"w", "b"}
    del indexed[:]
    loop.step(4)
    assert indexed == []
    assert loop.values() == pytest.approx(TRAINED[name], abs=2e-5)
    assert loop.optimizer.iterations.numpy() == 5


def test_changes_of_attributes_and_of_the_learning_rate_count_from_the_next_step_on(indexed):
    loop = Loop(keras.optimizers.SGD(0.1, momentum=0.9))
    loop.step(2)
    del indexed[:]
    loop.optimizer.learning_rate = 0.01
    loop.step()
    assert indexed == []
    loop.optimizer.momentum = 0.5
    loop.step()
    assert indexed == ["w", "b"]
    loop.step()
    assert loop.values() == pytest.approx(
        [-0.39069, 0.11562, -0.37913, 0.51006, 0.96078, 0.89905, 1.10931, 0.46562, -0.05413], abs=2e-5
    )


def test_attributes_that_change_at_each_step_are_traced_a_bounded_number_of_times(indexed):
    loop = Loop(keras.optimizers.SGD(0.05, momentum=0.9))
    for k in range(12):
        loop.optimizer.momentum = 0.9 - 0.05 * k
        loop.step()
    assert indexed == ["w", "b"] * 12
    assert loop.values() == pytest.approx(
        [-0.76805, -0.42789, -0.55911, 0.20217, 0.50099, 0.70485, 0.73195, -0.07789, -0.23411], abs=2e-5
    )


def test_code_of_users_runs_at_each_step():
    seen = []

    class Own(keras.optimizers.SGD):
        def update_step(self, gradient, variable, learning_rate):
            seen.append(variable.name[0])
            super().update_step(gradient, variable, learning_rate)

    Loop(Own(0.1)).step(3)
    assert seen == ["w", "b"] * 3
    loop = Loop(keras.optimizers.SGD(0.1))
    loop.step()
    known = loop.optimizer.update_step
    loop.optimizer.update_step = lambda *args: (seen.append("patched"), known(*args))
    loop.step(2)
    assert seen[6:] == ["patched"] * 4


def test_dense_variables_beside_an_embedding(indexed):
    table, w = keras.Variable(np.ones((4, 2), np.float32), name="table"), keras.Variable([1.0, 2.0], name="w")
    optimizer = keras.optimizers.Adagrad(0.5)
    for k in range(3):
        del indexed[:]
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, [k, 3]) * w)
        optimizer.apply_gradients(zip(tape.gradient(loss, [table, w]), [table, w], strict=True))
    assert indexed == ["t"]
    wanted = [[0.52327, 0.50614], [0.57596, 0.51067], [0.7275, 0.51631], [0.21905, -0.00812]]
    np.testing.assert_allclose(table, wanted, atol=2e-5)
    np.testing.assert_allclose(w, [-0.02352, 0.99188], atol=2e-5)


def test_other_variables_and_other_shapes_have_traces_of_their_own():
    loop = Loop(keras.optimizers.SGD(0.1))
    loop.step()
    before = loop.w.numpy()
    for _ in range(2):
        loop.optimizer.apply([tf.ones(3)], [loop.b])
        loop.optimizer.apply([tf.ones((2, 3)), tf.zeros(3)], [loop.w, loop.b])
    np.testing.assert_allclose(loop.w.numpy(), before - 0.2, atol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError):
        loop.optimizer.apply([tf.ones((5, 7))], [loop.w])
    np.testing.assert_allclose(loop.w.numpy(), before - 0.2, atol=1e-6)


def test_a_tape_sees_the_update():
    v = keras.Variable([2.0])
    optimizer = keras.optimizers.SGD(0.5)
    x = tf.Variable([3.0])
    for _ in range(2):
        v.assign([2.0])
        with tf.GradientTape() as tape:
            optimizer.apply([x * 2.0], [v])
            y = tf.square(v)
        assert tape.gradient(y, v).numpy() == -2.0


@pytest.mark.parametrize("place", [(inlining, "splice"), (Cell, "_rebind")], ids=["before", "within"])
def test_a_signal_handler_may_read_values_while_steps_are_repeated(place, monkeypatch):
    # The buffers of small variables could be donated, too.
    monkeypatch.setattr(recording, "SMALL_BUFFER", 0)
    loop = Loop(keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5), amsgrad=True))
    read, known = [], getattr(*place)

    def interrupted(*args):
        read.append((loop.loss if place[1] == "splice" else args[1]).numpy())
        return known(*args)

    loop.step()
    monkeypatch.setattr(*place, interrupted)
    loop.step(4)
    assert len(read) >= 4
    assert loop.values() == pytest.approx(TRAINED["Adam"], abs=2e-5)


def test_an_optimizer_is_freed_with_its_traces():
    loop = Loop(keras.optimizers.Adam(0.1))
    loop.step(2)
    references = [weakref.ref(loop.optimizer), weakref.ref(loop.w)]
    del loop
    tf.sync()
    gc.collect()
    assert [reference() for reference in references] == [None, None]
