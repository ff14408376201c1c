"""The names of the kernels are names of JAX's primitives."""

from __future__ import annotations

import jax
import pytest
from jax import lax

from tfcompat._jaxpr.host.kernels import KERNELS

# Names of primitives that JAX does not export, or that only some of its releases have.
OTHERS = {
    **dict.fromkeys(("add_any", "copy_p", "dim_as_value", "empty", "empty2", "platform_index"), "not exported"),
    **dict.fromkeys(("le_to", "lt_to", "eq_to", "stop_gradient", "geqrf", "approx_top_k"), "not in all releases"),
    **dict.fromkeys(("log2", "one_minus_square", "polynomial"), "JAX 0.12"),
    "random_gamma_grad": "not exported",
    "order_after_swaps": "a function of tfcompat",
    **dict.fromkeys(("custom_linear_solve", "mulhi", "tile", "unstack", "stack"), "not in all releases"),
}


def exported():
    """The names of all primitives that `jax.lax` and `jax.lax.linalg` export."""
    found = [getattr(room, name) for room in (lax, lax.linalg) for name in dir(room) if name.endswith("_p")]
    return {primitive.name for primitive in found}


@pytest.mark.parametrize("name", sorted(KERNELS.keys() - OTHERS.keys()))
def test_jax_has_the_primitive(name):
    assert name in exported(), jax.__version__
