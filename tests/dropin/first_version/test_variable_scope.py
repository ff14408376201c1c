"""Variables created in scopes agree with TensorFlow's eager mode."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.compat import v1


def names():
    with v1.variable_scope("s") as scope:
        first = v1.get_variable("a", [1], initializer=v1.ones_initializer())
        second = tf.Variable(1.0, name="b")
        with v1.variable_scope("t"):
            third = v1.get_variable("c", [1], initializer=tf.zeros_initializer())
        return first.name, second.name, third.name, scope.name, v1.get_variable_scope().name, scope.original_name_scope


def test_scopes_stand_before_names_each_time_they_are_entered():
    want = ("s/a:0", "s/b:0", "s/t/c:0", "s", "s", "s/")
    assert names() == want
    assert names() == want
    assert v1.get_variable_scope().name == ""


@pytest.mark.parametrize("reuse", [None, True, v1.AUTO_REUSE])
def test_every_call_makes_a_new_variable(reuse):
    made = []
    for _ in range(2):
        with v1.variable_scope("r", reuse=reuse) as scope:
            made.append(v1.get_variable("a", [1], initializer=v1.ones_initializer()))
            assert scope.reuse is v1.AUTO_REUSE
    assert made[0] is not made[1]
    assert made[0].name == made[1].name == "r/a:0"


def test_scope_that_is_told_to_reuse_says_so():
    with v1.variable_scope("q") as scope:
        scope.reuse_variables()
        assert scope.reuse is True


def test_default_names_are_numbered():
    with v1.variable_scope("numbered"):
        entered = []
        for _ in range(3):
            with v1.variable_scope(None, default_name="d") as scope:
                entered.append(scope.name)
    assert entered == ["numbered/d", "numbered/d_1", "numbered/d_2"]
    with pytest.raises(TypeError, match="If default_name is None then name_or_scope is required"):
        v1.variable_scope(None)


def test_scope_can_be_entered_again():
    with v1.variable_scope("outer") as outer:
        pass
    with v1.variable_scope("other"), v1.variable_scope(outer):
        assert v1.get_variable("a", [1], initializer=v1.zeros_initializer()).name == "outer/a:0"


def test_scope_hands_down_what_it_was_told():
    with v1.variable_scope("h", initializer=v1.constant_initializer(3.0), dtype=tf.float64, constraint=tf.abs) as scope:
        with v1.variable_scope("i"):
            made = v1.get_variable("a", [2])
        scope.set_initializer(v1.ones_initializer())
        assert v1.get_variable("b", [1]).numpy().tolist() == [1.0]
    assert (made.dtype, made.numpy().tolist()) == (tf.float64, [3.0, 3.0])
    assert made.constraint is tf.abs


def test_first_values():
    assert v1.get_variable("w", initializer=3.0).shape == []
    assert v1.get_variable("w", initializer=[1, 2], dtype=tf.float32).numpy().tolist() == [1.0, 2.0]
    assert v1.get_variable("w", [2], initializer=v1.zeros_initializer).numpy().tolist() == [0.0, 0.0]
    assert v1.get_variable("w", [2], tf.int32).numpy().tolist() == [0, 0]
    with pytest.raises(ValueError, match="Variable w4 did not get an initializer, so its `shape` argument must be"):
        v1.get_variable("w4")
    with pytest.raises(ValueError, match="If initializer is a constant, do not specify shape"):
        v1.get_variable("w4", [1], initializer=3.0)


def test_default_initializer_draws_glorots_uniform_numbers():
    tf.random.set_seed(7)
    drawn = v1.get_variable("z", [2, 2]).numpy()
    tf.random.set_seed(7)
    np.testing.assert_array_equal(drawn, v1.glorot_uniform_initializer()([2, 2]).numpy())
    tf.random.set_seed(None)


def test_local_variables_are_not_trainable():
    assert not v1.get_local_variable("l", [1], trainable=True).trainable
    assert v1.get_variable("g", [1]).trainable
    assert not v1.get_variable("g", [1], trainable=False).trainable


@pytest.mark.parametrize("argument", ["regularizer", "caching_device", "partitioner", "custom_getter"])
def test_what_graphs_would_be_told_is_refused(argument):
    with pytest.raises(NotImplementedError, match=f"{argument} is not supported"):
        v1.get_variable("a", [1], **{argument: lambda: None})
    with pytest.raises(NotImplementedError, match=f"{argument} is not supported"):
        v1.variable_scope("a", **{argument: lambda: None})


def test_name_scope_has_a_default():
    with v1.name_scope("n") as outer, v1.name_scope(None, "default") as inner:
        assert (outer, inner, tf.Variable(1.0).name) == ("n/", "n/default/", "n/default/Variable:0")
    with v1.name_scope(None) as top:
        assert top == ""


def test_variable_takes_the_older_arguments():
    made = v1.Variable(
        [1.0, 2.0], collections=["c"], name="q", dtype=tf.float64, expected_shape=[2], use_resource=False
    )
    assert (made.name, made.dtype) == ("q:0", tf.float64)
    assert type(made) is tf.Variable
    assert not isinstance(made, v1.Variable)
    assert v1.get_collection("c") == []
