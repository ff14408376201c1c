"""The processes of a cluster that compute together: how this one joins them, and the exchange of arrays with them.

All processes make the same exchanges in the same order. Each is a program of its own, so that it does not matter which
other programs a process runs in between: one of them may read values, or compute others.
"""

from __future__ import annotations

import atexit
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tfcompat._core.counter import counts
from tfcompat._core.device import start
from tfcompat._core.error import DeadlineExceededError, InvalidArgumentError, UnavailableError
from tfcompat._core.processes.watch import Watch
from tfcompat._jaxpr.postponement import postponed

_AXIS = "process"
# Seconds that an exchange may still take after another process has left: the process may have sent its part before.
_GRACE = 5.0
# Seconds until the watch knows the process because of which an exchange has failed.
_NAMING = 2.0
# Seconds between two checks whether an exchange has ended: the first, and the longest.
_FIRST_PAUSE, _LONGEST_PAUSE = 2e-5, 1e-3
# Seconds that the first process, which the others need to the end, waits for them when it ends.
_LEAVING = 300


# What the processes do with their vectors.
Body = Callable[[Any], Any]


class Group:
    """The processes of a cluster.

    Attributes:
      index: the number of this process; `count`: the number of processes.
      names: TensorFlow's names of the processes, with their addresses.
    """

    def __init__(self, names: Sequence[str], addresses: Sequence[str], index: int, watch: Watch) -> None:
        """The group of the processes at `addresses`, which have all started; this is the one with number `index`."""
        self.names = [f"{name} ({address})" for name, address in zip(names, addresses, strict=True)]
        self.addresses = tuple(addresses)
        self.index = index
        self.count = len(addresses)
        self._watch = watch
        self._lock = threading.RLock()
        self._latest: Any = None
        self._count = 0
        self._programs: dict[Body, Callable[[Any, Any], Any]] = {}
        first = {device.process_index: device for device in reversed(jax.devices())}
        self._device = first[index]
        self._mesh = Mesh(np.array([first[number] for number in range(self.count)]), (_AXIS,))
        self._own = NamedSharding(self._mesh, PartitionSpec(_AXIS))

    def summed(self, vector: Any, what: str = "", timeout: float | None = None) -> Any:
        """The sum of the vectors of all processes.

        Raises: InvalidArgumentError if another process exchanges something else: vectors of another length or dtype, or
          with another description `what`; UnavailableError if a process has left; DeadlineExceededError after `timeout`
          seconds.
        """
        return self._exchanged(_sum, vector, what, timeout)

    def collected(self, vector: Any, what: str = "", timeout: float | None = None) -> Any:
        """The vectors of all processes as rows. Raises as `summed`."""
        return self._exchanged(_rows, vector, what, timeout)

    def of_first(self, vector: Any, what: str = "") -> Any:
        """The vector of the first process. Raises as `summed`."""
        return self._exchanged(_first, vector, what, None)

    def _exchanged(self, body: Body, vector: Any, what: str, timeout: float | None) -> Any:
        """The result of `body` of the vectors of all processes, on the device of this one."""
        with self._lock, jax.enable_x64(True):
            self._count += 1
            counts.exchanges += 1
            described = f"{what or body.__name__.strip('_')} of {vector.dtype} {list(vector.shape)}"
            check = zlib.crc32(f"{self._count} {described}".encode()) >> 1
            try:
                # An interrupt may have ended the wait for it. Two exchanges at the same time could block each other.
                self._await(self._latest, None)
                with postponed():
                    given = self._whole(np.array([check], np.int32)), self._whole(vector)
                    is_agreed, self._latest = [each.addressable_data(0) for each in self._program(body)(*given)]
                self._await(self._latest, timeout)
                if not is_agreed:
                    raise InvalidArgumentError.of(
                        f"The processes do not call the same collectives. Number {self._count} of this one, {described}, "
                        "differs from that of another process. All processes have to call them alike, with values of "
                        "the same shapes."
                    )
            except jax.errors.JaxRuntimeError as failed:
                raise self._lost(str(failed)) from failed
            return self._latest

    def _whole(self, vector: Any) -> Any:
        """The array whose part on the device of each process is its vector."""
        part = jax.device_put(vector, self._device)
        return jax.make_array_from_single_device_arrays((self.count * vector.shape[0],), self._own, [part])

    def _program(self, body: Body) -> Callable[[Any, Any], Any]:
        """`body` on all processes, unless these disagree about what they exchange."""
        found = self._programs.get(body)
        if found is None:
            own, common = PartitionSpec(_AXIS), PartitionSpec()
            spread = jax.shard_map(
                lambda check, vector: _if_agreed(body, check, vector),
                mesh=self._mesh,
                in_specs=(own, own),
                out_specs=(common, common),
                check_vma=False,
            )
            found = self._programs[body] = jax.jit(spread)
        return found

    def _await(self, result: Any, timeout: float | None) -> None:
        """Waits for `result`, in Python: signal handlers run, and the exchange may be given up."""
        began, left_at, pause = time.monotonic(), None, _FIRST_PAUSE
        while result is not None and not result.is_ready():
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            now = time.monotonic()
            if self._watch.lost and left_at is None:
                left_at = now
            if left_at is not None and now > left_at + _GRACE:
                raise self._lost("it does not answer")
            if timeout is not None and now > began + timeout:
                raise DeadlineExceededError.of(f"Collective has timed out: it has taken more than {timeout} seconds.")
        jax.block_until_ready(result)

    def _lost(self, reason: str) -> UnavailableError:
        """The error for an exchange that failed for `reason`; it names the processes that have left."""
        limit = time.monotonic() + _NAMING
        while not self._watch.lost and time.monotonic() < limit:
            time.sleep(_LONGEST_PAUSE)
        lost = [f"{self.names[number]} {how}" for number, how in sorted(self._watch.lost.items())]
        who = "; ".join(lost) or "a process that cannot be named"
        return UnavailableError.of(
            f"Collective ops is aborted by: {who}: {reason}\nStart the job again: it can go on from its last checkpoint."
        )


def _if_agreed(body: Body, check: Any, vector: Any) -> tuple[Any, Any]:
    """Whether `check` is the same in all processes, and the result of `body`, which is exchanged only then.

    The check has one size, whatever the vectors are: with different sizes the exchange would end the process.
    """
    bounds = jax.lax.pmax(jnp.stack([check[0], -check[0]]), _AXIS)
    is_agreed = bounds[0] == -bounds[1]
    like = jax.eval_shape(body, vector)
    return is_agreed, jax.lax.cond(is_agreed, body, lambda _: jnp.zeros(like.shape, like.dtype), vector)


def _sum(vector: Any) -> Any:
    return jax.lax.psum(vector, _AXIS)


def _rows(vector: Any) -> Any:
    return jax.lax.all_gather(vector, _AXIS)


def _first(vector: Any) -> Any:
    bits = jax.lax.bitcast_convert_type(vector, np.dtype(f"uint{8 * vector.dtype.itemsize}"))
    own = jnp.where(jax.lax.axis_index(_AXIS) == 0, bits, jnp.zeros_like(bits))
    return jax.lax.bitcast_convert_type(jax.lax.psum(own, _AXIS), vector.dtype)


class _Joined:
    """The group that this process has joined; None before."""

    group: Group | None = None


_joined = _Joined()


def joined_group() -> Group | None:
    """The group that this process has joined; None if it computes alone."""
    return _joined.group


def join(names: Sequence[str], addresses: Sequence[str], index: int) -> Group:
    """Joins the processes at `addresses`, as the one with number `index`; waits until all of them have started.

    JAX connects them through the address of the first process. At the other addresses these processes are watched.

    Raises: RuntimeError if JAX has started before, or if the process has joined other processes.
    """
    if (group := _joined.group) is not None:
        if (group.addresses, group.index) != (tuple(addresses), index):
            raise RuntimeError("This process belongs to another cluster already.")
        return group
    # Without it JAX ends a process at once when another one has died, with no error that Python sees.
    jax.config.update("jax_enable_recoverability", True)
    # JAX's service would keep SIGTERM from ending a process.
    jax.config.update("jax_enable_preemption_service", False)
    jax.distributed.initialize(addresses[0], len(addresses), index, cluster_detection_method="deactivate")
    watch = Watch(addresses, index)
    start()
    group = _joined.group = Group(names, addresses, index, watch)
    atexit.register(_leave, group, watch)
    return group


def _leave(group: Group, watch: Watch) -> None:
    """Says goodbye to the other processes. They need the first one, which connects them, until they have ended."""
    watch.leave(_LEAVING if group.index == 0 else 0)
