"""Computations with a form for CPUs: programs contain it alone, functions made for JAX both forms."""

import jax
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._jaxpr.platform import on_platform, portable


def text():
    """The jaxpr of a new function: JAX keeps those of known ones."""

    def halved(x):
        return on_platform(x, cpu=lambda x: x / 2, default=lambda x: x * 0.5)

    assert jax.jit(halved)(np.float32(3)) == 1.5
    return str(jax.make_jaxpr(halved)(np.float32(3)))


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="elsewhere both forms are traced")
def test_form_for_a_cpu_is_traced_alone():
    assert "platform_index" not in text()


def test_portable_trace_has_both_forms():
    with portable():
        with portable():
            assert "platform_index" in text()
        assert "platform_index" in text()


# On a CPU the convolution of few channels is a product of matrices.
@pytest.mark.parametrize(("platform", "computes"), [("cuda", "convolution"), ("cpu", "dot_general")])
def test_function_that_has_run_here_is_exported_for_other_platforms(platform, computes):
    filters = tf.Variable(tf.ones([3, 3, 3, 8]))

    @tf.function
    def slope(images):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.conv2d(images, filters, 1, "SAME") ** 2)
        return tape.gradient(loss, filters)

    images = tf.ones([2, 8, 8, 3])
    concrete = slope.get_concrete_function(images)
    for _ in range(4):
        concrete(images).numpy()
    text = concrete.export(platforms=[platform]).mlir_module()
    assert [name for name in ("convolution", "dot_general") if f"stablehlo.{name}" in text] == [computes]
