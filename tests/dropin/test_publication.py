"""Public classes are printed and pickled under their public names."""

from __future__ import annotations

import pickle
import traceback

import pytest

import tfcompat as tf
from tests.signature import public_objects
from tfcompat._core.system.error import InvalidArgumentError


def test_error_prints_its_public_name():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.reduce_sum(tf.zeros([5]), axis=3)
    assert traceback.format_exception_only(caught.value)[0].startswith("tfcompat.errors.InvalidArgumentError: tf.")


def test_public_classes_print_public_names():
    private = {
        name: found
        for name, found in public_objects(tf, "tfcompat")
        if isinstance(found, type) and found.__name__ == name.rpartition(".")[2] and "._" in repr(found)
    }
    assert private == {}


@pytest.mark.parametrize(
    ("found", "printed"),
    [
        (tf.dtypes.DType, "tfcompat.DType"),
        (tf.autodiff.GradientTape, "tfcompat.GradientTape"),
        (tf.autodiff.ForwardAccumulator, "tfcompat.autodiff.ForwardAccumulator"),
        (tf.random.experimental.Generator, "tfcompat.random.Generator"),
        (tf.compat.v1.GraphKeys, "tfcompat.compat.v1.GraphKeys"),
        (tf.test.TestCase, "tfcompat.test.TestCase"),
    ],
    ids=["DType", "GradientTape", "ForwardAccumulator", "Generator", "GraphKeys", "TestCase"],
)
def test_class_prints_its_shortest_name(found, printed):
    assert repr(found) == f"<class '{printed}'>"


def test_pickles_name_no_private_module():
    text = pickle.dumps([InvalidArgumentError.of("boo"), tf.TensorShape([1, 2]), tf.UnconnectedGradients.ZERO])
    assert b"tfcompat._" not in text
    error, shape, unconnected = pickle.loads(text)
    assert type(error) is tf.errors.InvalidArgumentError
    assert shape == [1, 2]
    assert unconnected is tf.UnconnectedGradients.ZERO


def test_subclass_keeps_its_own_module():
    class Layer(tf.Module):
        pass

    assert Layer.__module__ == __name__
