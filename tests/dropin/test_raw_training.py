"""Kernels that update variables agree with TensorFlow's."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import tfcompat as tf
from tests.dropin.training_answer import ANSWERS

NUMBERS = {
    "beta1_power": 0.9,
    "beta2_power": 0.99,
    "lr": 0.1,
    "beta1": 0.9,
    "beta2": 0.99,
    "epsilon": 0.01,
    "momentum": 0.8,
    "rho": 0.7,
    "l1": 0.01,
    "l2": 0.02,
    "lr_power": -0.5,
    "alpha": 0.3,
    "logbase": 1.2,
    "sign_decay": 0.9,
    "beta": 0.6,
    "l2_shrinkage": 0.05,
}


def arguments(name, held):
    """The arguments of the kernel, and the variables among them."""
    shape = (3, 2) if "Sparse" in name else (3,)
    given, variables = {}, {}
    for place, key in enumerate(inspect.signature(getattr(tf.raw_ops, name)).parameters):
        if key in held:
            start = np.linspace(0.5, 1.5, int(np.prod(shape))).reshape(shape) * (1 + place * 0.1)
            variables[key] = tf.Variable(start.astype(np.float32))
            given[key] = variables[key].handle
        elif key in NUMBERS:
            given[key] = NUMBERS[key]
    rows = [[1.0, -0.5], [0.02, 2.0]] if "Sparse" in name else [1.0, -0.5, 0.02]
    rest = {"grad": rows, "delta": rows, "indices": [2, 0], "global_step": tf.constant(3, tf.int64)}
    known = inspect.signature(getattr(tf.raw_ops, name)).parameters
    return given | {key: value for key, value in rest.items() if key in known}, variables


@pytest.mark.parametrize(("name", "options", "answers"), ANSWERS, ids=["-".join([row[0], *row[1]]) for row in ANSWERS])
def test_variables_become_what_tensorflow_makes_of_them(name, options, answers):
    given, variables = arguments(name, answers)
    assert getattr(tf.raw_ops, name)(**given, **options) is None
    for key, values in answers.items():
        np.testing.assert_allclose(variables[key].numpy().ravel(), values, rtol=1e-5, atol=2e-6)


def test_every_kernel_of_an_optimizer_is_here():
    names = {name for name in tf.raw_ops.__all__ if name.startswith(("ResourceApply", "ResourceSparseApply"))}
    assert {name for name, _, _ in ANSWERS} == names


def test_functions_update_variables_too():
    v, accum = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])

    @tf.function
    def step(grad):
        tf.raw_ops.ResourceApplyMomentum(var=v.handle, accum=accum.handle, lr=0.1, grad=grad, momentum=0.9)

    step(tf.constant([1.0, 1.0]))
    step(tf.constant([1.0, 1.0]))
    np.testing.assert_allclose(v.numpy(), [0.71, 1.71], rtol=1e-6)


def test_shapes_must_be_those_of_the_variable():
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="var and accum do not have the same shape"):
        tf.raw_ops.ResourceApplyMomentum(
            var=v.handle, accum=tf.Variable([1.0]).handle, lr=0.1, grad=[1.0, 1.0], momentum=0.9
        )
    with pytest.raises(tf.errors.InvalidArgumentError, match="var and delta do not have the same shape"):
        tf.raw_ops.ResourceApplyGradientDescent(var=v.handle, alpha=0.1, delta=[1.0])


def test_a_variable_is_no_handle():
    with pytest.raises(ValueError, match="a variable's `handle` is expected"):
        tf.raw_ops.AssignVariableOp(resource=tf.Variable(1.0), value=2.0)


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("AssignVariableOp", {"value": [[7.0, 8.0], [9.0, 0.0]]}, [[7, 8], [9, 0]]),
        ("AssignAddVariableOp", {"value": [[1.0, 1.0], [1.0, 1.0]]}, [[2, 3], [4, 5]]),
        ("AssignSubVariableOp", {"value": [[1.0, 1.0], [1.0, 1.0]]}, [[0, 1], [2, 3]]),
        ("ResourceScatterAdd", {"indices": [1, 1], "updates": [[1.0, 1.0], [1.0, 2.0]]}, [[1, 2], [5, 7]]),
        ("ResourceScatterSub", {"indices": [0], "updates": [[1.0, 1.0]]}, [[0, 1], [3, 4]]),
        ("ResourceScatterMul", {"indices": [0], "updates": [[3.0, 2.0]]}, [[3, 4], [3, 4]]),
        ("ResourceScatterDiv", {"indices": [1], "updates": [[3.0, 2.0]]}, [[1, 2], [1, 2]]),
        ("ResourceScatterMax", {"indices": [0], "updates": [[3.0, 0.0]]}, [[3, 2], [3, 4]]),
        ("ResourceScatterMin", {"indices": [0], "updates": [[3.0, 0.0]]}, [[1, 0], [3, 4]]),
        ("ResourceScatterUpdate", {"indices": [0], "updates": [[3.0, 0.0]]}, [[3, 0], [3, 4]]),
        ("ResourceScatterNdAdd", {"indices": [[0, 1]], "updates": [5.0]}, [[1, 7], [3, 4]]),
        ("ResourceScatterNdSub", {"indices": [[0, 1]], "updates": [5.0]}, [[1, -3], [3, 4]]),
        ("ResourceScatterNdMax", {"indices": [[0, 1]], "updates": [5.0]}, [[1, 5], [3, 4]]),
        ("ResourceScatterNdMin", {"indices": [[0, 1]], "updates": [-5.0]}, [[1, -5], [3, 4]]),
        ("ResourceScatterNdUpdate", {"indices": [[0, 1]], "updates": [5.0]}, [[1, 5], [3, 4]]),
    ],
)
def test_kernels_assign_variables(name, given, expected):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    place = "ref" if "Nd" in name else "resource"
    assert getattr(tf.raw_ops, name)(**{place: v.handle}, **given) is None
    assert v.numpy().tolist() == expected


def test_kernels_read_variables():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    assert tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32).numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="the answer is float32, not int32"):
        tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.int32)
    assert tf.raw_ops.ResourceGather(resource=v.handle, indices=[1], dtype=tf.float32).numpy().tolist() == [[3, 4]]
    assert tf.raw_ops.ResourceGatherNd(resource=v.handle, indices=[[0, 1]], dtype=tf.float32).numpy().tolist() == [2]
    assert tf.raw_ops.VariableShape(input=v.handle).numpy().tolist() == [2, 2]
    assert tf.raw_ops.VarIsInitializedOp(resource=v.handle).numpy()
    assert (v.handle.dtype, v.handle.shape.as_list(), repr(v.handle)) == (tf.resource, [], "<handle of 'Variable:0'>")


def test_gradients_reach_a_variable_that_a_kernel_reads():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32) ** 2.0)
    assert tape.gradient(y, v).numpy().tolist() == [2.0, 4.0]
