"""Arrays that are placed on devices by the user, such as one that is divided over a mesh.

A program is compiled for the placement of its inputs: XLA divides its work among their devices. It gives the new value
of a variable the sharding of the old one. Until the first array is placed, `placed.is_used` is False, and nothing here
costs time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import jax
from jax.sharding import AxisType, Mesh, NamedSharding

from tfcompat._core.operation.op import Op
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.recording import Recording
from tfcompat._core.structure.tensor import pending
from tfcompat._core.system.device import computing_device
from tfcompat._core.system.thread_state import Inherited
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dtype import float32

# The name of ops that place their result.
PLACING = "shard"


class _Placed:
    """Whether arrays have been placed.

    Attributes:
      is_used: whether an array of the program may be placed.
    """

    is_used = False


class _Everywhere(Inherited):
    """Where results are that derive from no placed array.

    Attributes:
      sharding: their sharding; None for the default device.
    """

    def __init__(self) -> None:
        self.sharding: Any = None


class _Running:
    """The programs of replicas that the devices of a CPU may still run.

    Attributes:
      latest: a tensor, whose array is a result of the latest one.
    """

    def __init__(self) -> None:
        self.latest = pending(None, -1, aval_of((), float32))

    def settle(self) -> None:
        """Waits for their end. The caller holds `turns`."""
        array = self.latest._array
        if array is not None:
            array.block_until_ready()


placed = _Placed()
everywhere = _Everywhere()
running = _Running()
# Held while a program runs on several devices that a CPU simulates. Of two that run at the same time, each could wait
# for threads that the other one keeps, forever. Reentrant: the handler of a signal may run programs.
turns = threading.RLock()


class Placement(NamedTuple):
    """Where the inputs of a program are, and where some of its outputs belong.

    Attributes:
      leaves: the numbers of the placed leaves, with their shardings; `kept`: the same for earlier slots.
      outputs: the slots of the new values of variables, with their shardings.
      others: the sharding of all other outputs that the program does not place; None if they may be anywhere.
    """

    leaves: tuple[tuple[int, Any], ...]
    kept: tuple[tuple[int, Any], ...]
    outputs: tuple[tuple[int, Any], ...]
    others: Any

    def shardings(self, slots: Sequence[int]) -> list[Any]:
        """The sharding of each of `slots`, None where XLA chooses it."""
        found = dict(self.outputs)
        return [found.get(slot) for slot in slots]

    def spread(self, array: Any) -> Any:
        """The result `array`, on the devices of `others` unless it was placed."""
        return array if self.others is None or sharding_of(array) is not None else moved(array, self.others)


def sharding_of(array: Any) -> Any:
    """The sharding of an array that was placed on other devices than the default one; None for all other values."""
    if not isinstance(array, jax.Array) or not array.committed:
        return None
    sharding, devices = array.sharding, array.devices()
    is_local = len(devices) == 1 and not isinstance(sharding, NamedSharding) and computing_device() in devices
    return None if is_local else sharding


def automatic(sharding: Any) -> Any:
    """`sharding`, with a mesh whose axes XLA may use in every op, as it must if programs name no shardings."""
    if not isinstance(sharding, NamedSharding) or set(sharding.mesh.axis_types) == {AxisType.Auto}:
        return sharding
    devices: Any = sharding.mesh.devices
    mesh = Mesh(devices, sharding.mesh.axis_names)
    return NamedSharding(mesh, sharding.spec, memory_kind=sharding.memory_kind)


def noted(array: jax.Array) -> jax.Array:
    """`array`, which JAX has made, on the same devices; if it was placed, programs take account of that."""
    where = sharding_of(array)
    if where is None:
        return array
    placed.is_used = True
    return moved(array, automatic(where))


def placement_of(recording: Recording, *, is_alone: bool = False) -> Placement | None:
    """Where the values of `recording` are, and where those of the variables belong that it assigns; None if anywhere.

    If it `is_alone`, it assigns no variables.
    """
    leaves = _placements(enumerate(leaf._array for leaf in recording.leaves))
    kept = _placements(recording.kept.items())
    outputs: dict[int, Any] = {}
    for variable, old in () if is_alone else list(recording.replaced.values()):
        new = variable._held
        sharding = variable._sharding
        if sharding is None and id(old) in recording.leaf_slots and new._aval is old._aval:
            sharding = sharding_of(old._array)
        if sharding is not None and new._trace is recording:
            outputs.setdefault(new._slot, sharding)
    others = None if leaves or kept else everywhere.sharding
    found = Placement(leaves, kept, tuple(outputs.items()), others)
    return found if any(found) else None


def _placements(arrays: Iterable[tuple[int, Any]]) -> tuple[tuple[int, Any], ...]:
    return tuple([(k, sharding) for k, array in arrays if (sharding := sharding_of(array)) is not None])


def moved(array: Any, sharding: Any) -> Any:
    """A device array with the values of `array`, placed by `sharding`, or `array` itself if it is there."""
    with jax.enable_x64(True), turns:
        running.settle()
        result = jax.device_put(array, sharding)
        settle((result,))
        return result


def divides(steps: Iterable[Node]) -> bool:
    """Whether one of `steps` places its result."""
    return any(step.op is not None and step.op.name == PLACING for step in steps)


def is_placed(op: Op, inputs: Iterable[Any]) -> bool:
    """Whether `op` on `inputs` is computed where they are placed, or places its result."""
    return op.name == PLACING or any(sharding_of(array) is not None for array in inputs)


def settle(arrays: Iterable[Any]) -> None:
    """Waits for `arrays` on the devices that a CPU simulates. The caller holds `turns`."""
    for array in arrays:
        devices = array.devices() if isinstance(array, jax.Array) else ()
        if len(devices) > 1 and next(iter(devices)).platform == "cpu":
            array.block_until_ready()
