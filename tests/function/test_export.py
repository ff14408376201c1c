"""The representations of a concrete function, and its export."""

from __future__ import annotations

import subprocess
import sys

import jax
import jax.extend
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._jaxpr.primitive import Name, equations, name_of

LOADED = """
import sys
import jax, jax.export
import numpy as np

jax.config.update("jax_enable_x64", True)
with open(sys.argv[1], "rb") as file:
    exported = jax.export.deserialize(bytearray(file.read()))
given = np.load(sys.argv[2])
weights, count, x = given["weights"], given["count"], given["x"]
(result, place), renewed = exported.call((weights, count), x)
slope = jax.grad(lambda w: exported.call((w, count), x)[0][0].sum())(weights)
assert not [name for name in sys.modules if name.startswith(("tfcompat", "tensorflow"))]
np.savez(sys.argv[3], result, place, renewed[1], slope)
"""


@pytest.fixture
def step():
    weights = tf.Variable([[1.0, 2.0], [3.0, -4.0]])
    count = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def step(x):
        result = tf.nn.gelu(x @ weights)
        count.assign_add(1)
        return result, tf.argmax(result, 1)

    return weights, count, step.get_concrete_function(tf.TensorSpec([3, 2]))


def test_jaxpr_takes_variables_and_arguments(step):
    closed = step[2].jaxpr()
    assert [aval.str_short() for aval in closed.in_avals] == ["float32[2,2]", "int64[]", "float32[3,2]"]
    assert [aval.str_short() for aval in closed.out_avals] == ["float32[3,2]", "int64[3]", "float32[2,2]", "int64[]"]
    assert "dot_general" in str(closed)


def test_jaxpr_of_a_random_function_takes_what_it_draws():
    dropped = tf.function(lambda x: tf.nn.dropout(x, 0.5)).get_concrete_function(tf.TensorSpec([4]))
    assert [aval.str_short() for aval in dropped.jaxpr().in_avals] == ["float32[4]", "int64[3]"]


def test_stablehlo_is_text_of_a_module(step):
    text = step[2].stablehlo()
    assert text.startswith("module @")
    assert "stablehlo.dot_general" in text


def test_exported_function_runs_in_a_process_without_us(step, tmp_path):
    weights, count, function = step
    x = np.array([[1.0, 2.0], [-1.0, 0.5], [0.0, 3.0]], np.float32)
    (tmp_path / "step.bin").write_bytes(function.export(vjp_order=1).serialize(vjp_order=1))
    np.savez(tmp_path / "given.npz", weights=weights.numpy(), count=count.numpy(), x=x)
    paths = [str(tmp_path / name) for name in ("step.bin", "given.npz", "found.npz")]
    subprocess.run([sys.executable, "-c", LOADED, *paths], check=True, cwd=tmp_path)
    with tf.GradientTape() as tape:
        result, place = function(tf.constant(x))
    found = list(np.load(tmp_path / "found.npz").values())
    np.testing.assert_allclose(found[0], result.numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(found[1], place.numpy())
    assert found[2] == count.numpy() == 1
    np.testing.assert_allclose(found[3], tape.gradient(result, weights).numpy(), rtol=1e-5, atol=1e-6)


def test_export_for_other_platforms(step):
    exported = step[2].export(platforms=["cpu", "cuda"])
    assert exported.platforms == ("cpu", "cuda")
    assert len(exported.in_avals) == 3


def test_export_of_a_random_function_is_refused():
    dropped = tf.function(lambda x: tf.nn.dropout(x, 0.5)).get_concrete_function(tf.TensorSpec([4]))
    with pytest.raises(NotImplementedError, match="a pure function has no state"):
        dropped.export()


def test_while_loop_is_one_in_the_jaxpr():
    @tf.function
    def doubled(x):
        while x < 100.0:
            x = x * 2.0
        return x

    closed = doubled.get_concrete_function(tf.TensorSpec([])).jaxpr()
    assert [name_of(equation) for equation in equations(closed)].count(Name.WHILE) == 1
    assert jax.extend.core.jaxpr_as_fun(closed)(np.float32(3.0)) == [192.0]
