"""The host evaluates tfcompat's ops and their derivatives as XLA does.

`make test` has one name in sixty, `make thorough` has all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

from tests.conformance import table
from tests.jaxpr.host.agreement import assert_equal
from tests.tolerance import GRADIENT
from tfcompat._jaxpr.host.evaluation import HostProgram
from tfcompat._jaxpr.primitive import equations, names

EACH, FIRST = 60, 7
PRECISION = ("bfloat16", "float16", "float32", "complex64")

# Primitives without a kernel, and why.
WITHOUT = {
    "pure_callback": "calls Python, which a program must not do on another thread than XLA's",
    "io_callback": "has effects",
}
# Names whose results differ from XLA's by more than rounding, and why.
DIFFERENT: dict[str, str] = {}
NAMES = [name for name in table.ROWS if table.is_present(name)]


class Compared:
    """A function that JAX compiles; each call is evaluated on the host, too."""

    def __init__(self, jit: Callable[..., Any], function: Callable[..., Any], **options: Any) -> None:
        self._function, self._compiled = function, jit(function, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._compiled, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves = jax.tree.leaves((args, kwargs))
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves) or kwargs:
            return self._compiled(*args, **kwargs)
        closed = jax.make_jaxpr(self._function)(*args)
        if not WITHOUT.keys().isdisjoint(names(closed)):
            return self._compiled(*args)
        program = HostProgram(closed)
        got = program(*[np.asarray(leaf) for leaf in leaves])
        outputs = self._compiled(*args)
        assert_equal(got, [np.asarray(leaf) for leaf in jax.tree.leaves(outputs)], tolerances(closed))
        return outputs


def tolerances(closed: Any) -> dict[str, tuple[float, float]]:
    """For every dtype the tolerance of the least precise one that the program computes with."""
    atoms = [atom for equation in equations(closed.jaxpr) for atom in (*equation.invars, *equation.outvars)]
    used = {atom.aval.dtype.name for atom in atoms}
    worst = next((GRADIENT[name] for name in PRECISION if name in used), (0.0, 0.0))
    return {name: max(worst, tolerance) for name, tolerance in GRADIENT.items()}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.thorough if k % EACH != FIRST else ()) for k, name in enumerate(NAMES)],
)
@pytest.mark.usefixtures("without_host")
def test_host_computes_what_xla_computes(name, monkeypatch):
    jit = jax.jit
    monkeypatch.setattr(jax, "jit", lambda function, **options: Compared(jit, function, **options))
    # Without the cache: `evaluated` keeps results of the last name.
    outcomes = table.evaluated.__wrapped__(name, 1)
    failed = [each for outcome in outcomes for each in outcome if isinstance(each, AssertionError)]
    assert name in DIFFERENT or not failed, failed[:1]
