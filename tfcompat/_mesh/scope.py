"""The default mesh: where results are that derive from no tensor on a mesh."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from typing import Any

from jax.sharding import NamedSharding, PartitionSpec

from tfcompat._core.structure.sharding import everywhere, placed
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.thread_state import Inherited
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._mesh.layout import Layout
from tfcompat._mesh.mesh import Mesh
from tfcompat._mesh.transfer import is_dtensor, relayout


class _Default(Inherited):
    """The default mesh of the running code, None outside of all contexts."""

    def __init__(self) -> None:
        self.mesh: Mesh | None = None


_default = _Default()


@contextlib.contextmanager
def default_mesh(mesh: Mesh) -> Generator[None]:
    """A context in which the results of ops are on `mesh`, whole on each device, unless an argument has a layout.

    Constants (`tf.constant`) stay where they are.

    Raises: ValueError unless `mesh` is a mesh.
    Source: TF 2.21 `tf.experimental.dtensor.default_mesh`.
    """
    if not isinstance(mesh, Mesh):
        raise ValueError(f"Expect `mesh` to be `Mesh`, got {type(mesh)}")
    if here.graph is not None:  # the caller of the function chooses
        yield
        return
    sharding = NamedSharding(mesh._on_jax, PartitionSpec())
    here.trace.flush("device")
    placed.is_used = True
    before = everywhere.sharding, _default.mesh
    everywhere.sharding, _default.mesh = sharding, mesh
    try:
        yield
    finally:
        here.trace.flush("device")
        everywhere.sharding, _default.mesh = before


@contextlib.contextmanager
def run_on(mesh: Mesh) -> Generator[None]:
    """The same as `default_mesh`, its former name. Source: TF 2.21 `tf.experimental.dtensor.run_on`."""
    with default_mesh(mesh):
        yield


def get_default_mesh() -> Mesh | None:
    """The mesh of the innermost `default_mesh`; None outside of all.

    Source: TF 2.21 `tf.experimental.dtensor.get_default_mesh`.
    """
    return _default.mesh


def call_with_layout(fn: Callable[..., Any], layout: Layout | None, *args: Any, **kwargs: Any) -> Any:
    """`fn(*args, **kwargs)`, its tensors with `layout` unless they are constants; without one if it is None.

    Raises: UnknownError if a result cannot have `layout`; what `fn` raises.
    Source: TF 2.21 `tf.experimental.dtensor.call_with_layout`.
    """
    if layout is None:
        return fn(*args, **kwargs)
    if here.graph is not None:
        return relayout(fn(*args, **kwargs), layout)
    with default_mesh(layout.mesh):
        result = fn(*args, **kwargs)
        here.trace.flush("device")
        return nest.map_structure(lambda leaf: _with_layout(leaf, layout), result)


def _with_layout(value: Any, layout: Layout) -> Any:
    return relayout(value, layout) if isinstance(value, Tensor) and is_dtensor(value) else value
