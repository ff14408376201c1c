"""Compares the host's evaluation of a function with XLA's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from tests.tolerance import GRADIENT, Table, is_close
from tfcompat._jaxpr.host.evaluation import HostProgram


def both(function: Callable[..., Any], *arrays: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The outputs on the host and those of XLA."""
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(function)(*arrays)
        wanted = [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function)(*arrays))]
    return HostProgram(closed)(*map(np.asarray, jax.tree.leaves(arrays))), wanted


def assert_equal(got: list[np.ndarray], wanted: list[np.ndarray], table: Table = GRADIENT) -> None:
    """Outputs agree in dtype, shape and value: exactly, or floats as near as `table` says."""
    assert [(each.dtype, each.shape) for each in got] == [(each.dtype, each.shape) for each in wanted]
    for here, there in zip(got, wanted):
        right = is_close(here, there, table)
        assert right.all(), f"host {here[~right][:8]}, XLA {there[~right][:8]} at {np.argwhere(~right)[:8].tolist()}"


def assert_agrees(function: Callable[..., Any], *arrays: Any) -> None:
    """The host computes what XLA computes."""
    assert_equal(*both(function, *arrays))
