"""User-defined creators intercept calls of `tf.Variable`."""

from __future__ import annotations

import threading

import tfcompat as tf


def test_function_is_given_all_arguments_by_name():
    told = []

    def creator(next_creator, **kwargs):
        told.append(kwargs)
        return next_creator(**kwargs | {"name": "changed"})

    with tf.variable_creator_scope(creator):
        made = tf.Variable(1.0, True, name="original")
    assert made.name == "changed:0"
    assert tf.Variable(1.0, name="original").name == "original:0"
    assert sorted(told[0]) == [
        *("aggregation", "caching_device", "constraint", "dtype", "experimental_enable_variable_lifting"),
        *("import_scope", "initial_value", "name", "shape", "synchronization", "trainable", "validate_shape"),
        "variable_def",
    ]
    assert (told[0]["initial_value"], told[0]["trainable"], told[0]["name"]) == (1.0, True, "original")
    assert len(told) == 1


def test_innermost_scope_is_asked_first():
    asked = []

    def creator(label):
        def create(next_creator, **kwargs):
            asked.append(label)
            return next_creator(**kwargs)

        return create

    with tf.variable_creator_scope(creator("outer")), tf.variable_creator_scope(creator("inner")):
        assert tf.Variable(3.0).numpy() == 3.0
    assert asked == ["inner", "outer"]


def test_function_may_return_something_else():
    with tf.variable_creator_scope(lambda next_creator, **kwargs: "other"):  # noqa: ARG005
        assert tf.Variable(1.0) == "other"
        assert tf.compat.v1.Variable(1.0) == "other"


def test_subclasses_and_other_threads_are_not_asked():
    class Own(tf.Variable):
        pass

    class Mixed(tf.Module, tf.Variable):
        def __init__(self, value):
            tf.Variable.__init__(self, value)

    made = []
    with tf.variable_creator_scope(lambda next_creator, **kwargs: None):  # noqa: ARG005
        assert type(Own(1.0)) is Own
        assert type(Mixed(1.0)) is Mixed
        thread = threading.Thread(target=lambda: made.append(tf.Variable(1.0)))
        thread.start()
        thread.join()
    assert type(made[0]) is tf.Variable


def test_scope_ends_with_an_error():
    try:
        with tf.variable_creator_scope(lambda next_creator, **kwargs: None):  # noqa: ARG005
            raise ValueError
    except ValueError:
        assert tf.Variable(1.0).numpy() == 1.0
