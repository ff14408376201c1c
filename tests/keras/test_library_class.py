"""Names of `tf.__internal__` and `tf.__operators__` that Keras 2 uses. Expected values are TensorFlow's."""

from __future__ import annotations

import functools
import inspect

import pytest

import tfcompat as tf

internal = tf.__internal__


def test_functions_of_users_are_converted_if_autograph_is_on():
    def sign(x):
        if x > 0:  # noqa: SIM108
            y = 1.0
        else:
            y = -1.0
        return y

    def called(x):
        return internal.autograph.tf_convert(sign, internal.autograph.control_status_ctx())(x)

    assert tf.function(called)(tf.constant(-3.0)).numpy() == -1.0
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(called, autograph=False)(tf.constant(-3.0))


def test_wrappers_are_taken_apart():
    def inner(x, y=2):
        return x, y

    wrapped = internal.decorator.make_decorator(inner, lambda *args: inner(*args))
    decorators, target = internal.decorator.unwrap(wrapped)
    assert target is inner
    assert [decorator.decorator_argspec for decorator in decorators] == [None]
    assert internal.decorator.unwrap(inner) == ([], inner)


def test_wrappers_of_bound_methods_have_no_self():
    class Layer:
        def call(self, x, training=False):
            return x, training

    layer = Layer()
    full = inspect.getfullargspec(Layer.call)
    inner = internal.decorator.make_decorator(layer.call, lambda *args: layer.call(*args), decorator_argspec=full)
    outer = internal.decorator.make_decorator(inner, lambda *args: inner(*args))
    assert list(inspect.signature(outer).parameters) == ["x", "training"]
    assert tf.function(outer)(tf.constant(1.0))[0].numpy() == 1.0


@pytest.mark.parametrize("weights", [2.0, [[1.0], [2.0]], [[1.0, 2.0, 3.0]]], ids=["scalar", "column", "row"])
def test_weights_are_broadcast(weights):
    values = tf.ones([2, 3])
    assert (internal.ops.broadcast_weights(weights, values) == tf.constant(weights) * values).numpy().all()


def test_weights_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match="weights can not be broadcast to values"):
        internal.ops.broadcast_weights([1.0, 2.0], tf.ones([2, 3]))


def test_objects_are_found_by_breadth():
    root = tf.Module()
    root.part = tf.Module()
    root.part.weight = tf.Variable(1.0)
    found, paths = internal.tracking.ObjectGraphView(root).breadth_first_traversal()
    assert [type(each).__name__ for each in found][:2] == ["Module", "Module"]
    assert [reference.name for reference in paths[root.part.weight]] == ["part", "weight"]


def test_tables_have_saveable_objects():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["a"], [1])
    (make,) = internal.tracking.saveable_objects_from_trackable(table).values()
    keys, values = [spec.tensor for spec in make().specs]
    assert (keys.numpy().tolist(), values.numpy().tolist()) == ([b"a"], [1])
    make().restore([tf.constant(["b"]), tf.constant([2], tf.int64)], None)
    assert table.lookup(tf.constant(["a", "b"])).numpy().tolist() == [-1, 2]


def test_objects_stand_for_others_in_checkpoints(tmp_path):
    class Stand(internal.tracking.DelegatingTrackableMixin, internal.tracking.Trackable):
        def __init__(self, held):
            internal.tracking.DelegatingTrackableMixin.__init__(self, held)

    held = tf.Module()
    held.weight = tf.Variable(3.0)
    path = tf.train.Checkpoint(part=Stand(held)).write(str(tmp_path / "saved"))
    assert "part/weight/.ATTRIBUTES/VARIABLE_VALUE" in dict(tf.train.list_variables(path))


def test_operators_have_functions():
    x = tf.constant([1.0, 2.0])
    assert tf.__operators__.add(x, 1.0).numpy().tolist() == [2.0, 3.0]
    assert tf.__operators__.getitem(x, slice(1, None)).numpy().tolist() == [2.0]
    assert tf.__operators__.eq(x, x).numpy().all()
    assert not tf.__operators__.ne(x, x).numpy().any()
    assert tf.__operators__.ragged_getitem(tf.ragged.constant([[1], [2, 3]]), 1).numpy().tolist() == [2, 3]


def test_moving_average():
    average = tf.Variable(1.0)
    internal.train.assign_moving_average(average, 3.0, 0.75, zero_debias=False)
    assert average.numpy() == 1.5


def test_wrappers_of_others_are_not_taken_apart():
    def inner(x, y=2):
        return x, y

    @functools.wraps(inner)
    def outer(x):
        return inner(x)

    wrapped = internal.decorator.make_decorator(outer, lambda *args: outer(*args))
    assert internal.decorator.unwrap(wrapped)[1] is outer
    assert internal.decorator.unwrap(outer) == ([], outer)
    assert internal.decorator.unwrap(tf.function(outer))[1] is outer
