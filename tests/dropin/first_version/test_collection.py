"""Collections hold the values that the program adds; the global step is in one of them."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat.compat import v1


@pytest.fixture(autouse=True)
def empty():
    v1.reset_default_graph()
    yield
    v1.reset_default_graph()


def test_collection_holds_what_is_put_there():
    v1.add_to_collection("a", 1)
    v1.add_to_collections(["a", "b", "a"], 2)
    v1.add_to_collections("b", 3)
    assert v1.get_collection("a") == [1, 2]
    assert v1.get_collection("b") == [2, 3]
    assert v1.get_collection("c") == []
    v1.get_collection("a").append(4)
    v1.get_collection_ref("b").append(5)
    assert v1.get_collection("a") == [1, 2]
    assert v1.get_collection("b") == [2, 3, 5]


def test_scope_chooses_by_name():
    with tf.name_scope("x"):
        inner = tf.Variable(1.0)
    for value in (inner, tf.Variable(2.0), 3):
        v1.add_to_collection(v1.GraphKeys.TRAINABLE_VARIABLES, value)
    assert len(v1.trainable_variables()) == 3
    assert v1.trainable_variables("x") == [inner]


def test_variables_do_not_enter_collections_by_themselves():
    _ = tf.Variable(1.0)
    for listed in (
        *(v1.global_variables, v1.all_variables, v1.trainable_variables, v1.local_variables),
        *(v1.model_variables, v1.moving_average_variables),
    ):
        assert listed() == []


def test_names_of_collections():
    keys = v1.GraphKeys
    assert (keys.GLOBAL_VARIABLES, keys.UPDATE_OPS, keys.LOSSES) == ("variables", "update_ops", "losses")
    assert keys.TABLE_INITIALIZERS == "table_initializer"


def test_global_step():
    assert v1.train.get_global_step() is None
    with tf.name_scope("scope"):
        step = v1.train.get_or_create_global_step()
    assert v1.train.get_or_create_global_step() is v1.train.get_global_step() is step
    assert (step.name, step.dtype, step.trainable, step.numpy()) == ("global_step:0", tf.int64, False, 0)
    step.assign_add(3)
    assert v1.train.global_step(None, step) == 3
    with pytest.raises(ValueError, match='"global_step" already exists'):
        v1.train.create_global_step()
    with pytest.raises(NotImplementedError, match="there are no graphs"):
        v1.train.get_global_step("graph")


def test_losses_are_those_that_the_program_collects():
    assert v1.losses.get_regularization_loss().numpy() == 0.0
    v1.losses.add_loss(tf.constant(1.0))
    assert v1.losses.get_losses() == []
    with pytest.raises(ValueError, match="at least one tensor"):
        v1.losses.get_total_loss()
    v1.add_to_collection(v1.GraphKeys.LOSSES, tf.constant(1.0))
    v1.add_to_collection(v1.GraphKeys.REGULARIZATION_LOSSES, tf.constant(2.0))
    assert v1.losses.get_regularization_losses()[0].numpy() == 2.0
    assert v1.losses.get_regularization_loss().numpy() == 2.0
    assert v1.losses.get_total_loss().numpy() == 3.0
    assert v1.losses.get_total_loss(add_regularization_losses=False).numpy() == 1.0
