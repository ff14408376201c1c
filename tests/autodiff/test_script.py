"""Gradients of traces that differ in sizes only are recorded by the script of one walk, and are those of a walk."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._autodiff import backward as module
from tfcompat._autodiff.backward import Walk
from tfcompat._core.structure.node import tree
from tfcompat._core.structure.skeleton import EMPTY, Skeleton


def normal(*shape):
    return np.random.default_rng(shape).normal(0, 1, shape).astype(np.float32)


class Model:
    """Its variables, and a loss that looks up rows twice, splits, broadcasts, and adds gradients."""

    def __init__(self):
        self.variables = [tf.Variable(normal(*shape)) for shape in ((9, 4), (4, 4), (4,))]

    def loss(self, size):
        table, matrix, bias = self.variables
        at = tf.constant(np.arange(2 * size, dtype=np.int32).reshape(2, size) % 9)
        x = tf.nn.embedding_lookup(table, at) * tf.gather(table, at[0])
        left, right = tf.split(tf.tanh(x @ matrix + bias), 2, axis=-1)
        return tf.reduce_sum(tf.concat([left * right, right], -1) ** 2) + tf.reduce_max(x)

    def gradients(self, size, weight=None):
        with tf.GradientTape() as tape:
            loss = self.loss(size)
        return [tf.convert_to_tensor(g).numpy() for g in tape.gradient(loss, self.variables, weight)]

    def second(self, size):
        """The gradient of a gradient."""
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                loss = self.loss(size)
            slope = tape.gradient(loss, self.variables[1])
            length = tf.reduce_sum(slope * slope)
        return [outer.gradient(length, self.variables[1]).numpy()]


def continuing(skeleton):
    """The skeletons that continue `skeleton` by one step."""
    first, others = skeleton._first, skeleton._others
    found = [] if first is None else [first[1]()]
    return [after for after in [*found, *(others or {}).values()] if after is not None]


def forget():
    """Forgets every structure, and the scripts of every skeleton that something else refers to."""
    tree.clear()
    skeletons = [EMPTY]
    for skeleton in skeletons:
        skeleton.scripts.clear()
        skeletons.extend(continuing(skeleton))


@pytest.fixture
def walks(monkeypatch):
    """The walks that begin, after everything known about structures was forgotten."""
    forget()
    begun = []

    class Counted(Walk):
        def __init__(self, *given):
            begun.append(given)
            super().__init__(*given)

    monkeypatch.setattr(module, "Walk", Counted)
    return begun


def walked(monkeypatch, compute):
    """The result of `compute` with a walk for each gradient, in a new tree."""
    with monkeypatch.context() as patch:
        patch.setattr(module, "_by_script", lambda *_: None)
        forget()
        found = compute()
    forget()
    return found


COMPUTED = {
    "first": lambda size: Model().gradients(size),
    "weighted": lambda size: Model().gradients(size, tf.constant(2.0)),
    "second": lambda size: Model().second(size),
}


@pytest.mark.parametrize("compute", COMPUTED.values(), ids=COMPUTED.keys())
def test_gradients_of_other_sizes_are_those_of_walks(compute, walks, monkeypatch):
    wanted = {size: walked(monkeypatch, lambda size=size: compute(size)) for size in (5, 8, 3)}
    del walks[:]
    compute(5)
    first = len(walks)
    for size in (5, 8, 3):
        for found, expected in zip(compute(size), wanted[size], strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert len(walks) == first


def test_sizes_of_1_inside_a_trace_make_another_walk():
    """The rank of a squeezed slice depends on its size."""
    v = tf.Variable(normal(6, 3))

    def gradient(size):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(v * 2.0, tf.squeeze(tf.constant([[0, 1, 2]])[:, 2:size])) ** 2)
        return tf.convert_to_tensor(tape.gradient(loss, v)).numpy()

    rows = 8.0 * v.numpy()
    for size, last in ((4, 3), (3, 3), (5, 3)):
        wanted = np.zeros((6, 3), np.float32)
        wanted[2:last] = rows[2:last]
        np.testing.assert_allclose(gradient(size), wanted)


RAGGED = {
    "columns": lambda values, size: tf.RaggedTensor.from_row_lengths(values, [size, 2, 2 * size - 2])[:, 1:],
    "reverse": lambda values, size: tf.reverse(tf.RaggedTensor.from_row_lengths(values, [2 * size, 0, size]), [1]),
    "split": lambda values, _: tf.split(tf.RaggedTensor.from_uniform_row_length(values, 3), [1, 2], axis=-1)[1],
}


@pytest.mark.parametrize("part_of", RAGGED.values(), ids=RAGGED.keys())
def test_gradients_of_parts_of_ragged_tensors_are_rows_at_every_size(part_of):
    """As in TensorFlow."""
    for size in (5, 8, 3):
        values = tf.Variable(normal(3 * size))
        with tf.GradientTape() as tape:
            part = part_of(values, size).flat_values
            loss = tf.reduce_sum(part**2)
        found = tape.gradient(loss, values)
        assert isinstance(found, tf.IndexedSlices)
        wanted = np.where(np.isin(values.numpy(), part.numpy()), 2.0 * values.numpy(), 0.0)
        np.testing.assert_allclose(tf.convert_to_tensor(found).numpy(), wanted, rtol=1e-6)


def through_reshape(rows, number):
    """The gradient of a lookup, for a variable with `rows`, of which a reshape makes this `number`."""
    v = tf.Variable(normal(rows, 24 // rows))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(tf.reshape(v, (number, 24 // number)), [0, 1]) ** 2)
    return tape.gradient(loss, v)


def test_reshapes_that_change_nothing_and_others_share_a_script(walks, monkeypatch):
    sizes = ((4, 4), (4, 2), (6, 6), (6, 3), (4, 3))
    wanted = [walked(monkeypatch, lambda pair=pair: through_reshape(*pair)) for pair in sizes]
    del walks[:]
    for pair, expected in zip(sizes, wanted, strict=True):
        np.testing.assert_array_equal(through_reshape(*pair).numpy(), expected.numpy())
    assert len(walks) == 1


def test_steps_of_a_script_have_the_skeletons_of_their_structure(walks):
    for size in (5, 8, 1, 3):
        model = Model()
        with tf.GradientTape() as tape:
            loss = model.loss(size)
        gradients = tape.gradient(loss, model.variables)
        path = gradients[1]._trace.node.path()
        assert any(node.origin for node in path)
        for node in path:
            assert node.skeleton() is node.parent.skeleton().after(node._without_sizes())
    assert len(walks) == 2  # another one for the size of 1


def test_the_number_of_scripts_is_bounded():
    skeleton = Skeleton(None)
    for number in range(1000):
        skeleton.note(number, "script")
    assert 0 < len(skeleton.scripts) <= 64
