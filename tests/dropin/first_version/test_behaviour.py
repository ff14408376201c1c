"""The behaviour of TensorFlow 2 is enabled; disabling it is refused."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat.compat import v1


@pytest.mark.parametrize(
    "name",
    [
        "enable_control_flow_v2",
        "enable_eager_execution",
        "enable_resource_variables",
        "enable_tensor_equality",
        "enable_v2_behavior",
        "enable_v2_tensorshape",
    ],
)
def test_version_2_is_on(name):
    assert getattr(v1, name)() is None
    with pytest.raises(NotImplementedError, match="Programs always run eagerly"):
        getattr(v1, name.replace("enable", "disable"))()


@pytest.mark.parametrize("argument", ["config", "device_policy", "execution_mode"])
def test_eager_execution_takes_no_arguments(argument):
    with pytest.raises(NotImplementedError, match=f"{argument} is not supported"):
        v1.enable_eager_execution(**{argument: "x"})


def test_questions():
    assert v1.executing_eagerly()
    assert v1.executing_eagerly_outside_functions()
    assert v1.resource_variables_enabled()
    assert v1.control_flow_v2_enabled()
    assert v1.get_default_session() is None
    inside = tf.function(lambda: (v1.executing_eagerly(), v1.executing_eagerly_outside_functions()))()
    assert [bool(answer) for answer in inside] == [False, True]


def test_seeds():
    v1.set_random_seed(3)
    assert v1.get_seed(None) == (3, 1022050301)
    assert v1.get_seed(5) == (3, 5)
    v1.set_random_seed(None)
    assert v1.get_seed(None) == (None, None)
    assert v1.random.get_seed is v1.get_seed


def test_sessions_and_placeholders_are_refused():
    for name in ("Session", "InteractiveSession", "ConfigProto", "wrap_function"):
        with pytest.raises(NotImplementedError, match=f"tf.compat.v1.{name} is not supported"):
            getattr(v1, name)()
    # The class is that of TensorFlow in eager programs.
    with pytest.raises(RuntimeError, match=r"placeholder.* is not compatible with eager execution"):
        v1.placeholder(tf.float32)
    with pytest.raises(NotImplementedError, match=r"tf\.compat\.v1\.train\.AdamOptimizer is not supported"):
        v1.train.AdamOptimizer(0.1)
