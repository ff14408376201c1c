"""The processes of a cluster that compute together: how this one joins them, and the exchange of arrays with them.

All processes make the same exchanges in the same order. Each is a program of its own, so that it does not matter which
other programs a process runs in between: one of them may read values, or compute others.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import sys
import threading
import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tfcompat._core.system.counter import counts
from tfcompat._core.system.error import (
    FailedPreconditionError,
    InvalidArgumentError,
)
from tfcompat._core.system.processes.caller import Caller
from tfcompat._core.system.processes.connection import output_to_errors, require_not_started, start_together, watched
from tfcompat._core.system.processes.look import Look
from tfcompat._jaxpr.jit import jitted

_AXIS = "process"
# Each exchange begins with this many 32-bit words of each process: a check that all exchange the same, and vectors of
# up to this number of bytes. On two processes a message of 1,025 words takes as long as one of 257, and a third of the
# time of a check and a sum.
_WORDS, _SMALL = 1025, 4096
# Seconds that the first process, which the others need to the end, waits for them when it ends.
_LEAVING = 300
# Seconds that a process at its end waits for an exchange that it has given up.
_ENDING = 5.0


class Body(NamedTuple):
    """A computation with the vectors of all processes: in a program on each process, or on the host with the rows."""

    name: str
    in_program: Callable[[Any], Any]
    on_host: Callable[[Any], Any]


class Group:
    """The processes of a cluster.

    Attributes:
      index: the number of this process; `count`: the number of processes.
      names: TensorFlow's names of the processes, with their addresses.
    """

    def __init__(self, names: Sequence[str], addresses: Sequence[str], index: int) -> None:
        """The group of the processes at `addresses`; this is the one with number `index`.

        Raises: as `join`.
        """
        self.names = [f"{name} ({address})" for name, address in zip(names, addresses, strict=True)]
        self.addresses = tuple(addresses)
        self.index = index
        self.count = len(addresses)
        self._lock = threading.RLock()
        self._is_left = False
        self._watch = watched(self.names, addresses, index)
        self._caller = Caller("tfcompat-exchange")
        atexit.register(self.leave)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.abandon)
        start_together(addresses, index, self._watch, self._caller)
        self._count = 0
        self._programs: dict[Body | None, Callable[..., Any]] = {}
        first = {device.process_index: device for device in reversed(jax.devices())}
        self._device = first[index]
        self._mesh = Mesh(np.array([first[number] for number in range(self.count)]), (_AXIS,))
        self._own = NamedSharding(self._mesh, PartitionSpec(_AXIS))

    def summed(self, vector: Any, what: str = "", timeout: float | None = None) -> Any:
        """The sum of the vectors of all processes.

        Raises: InvalidArgumentError if another process exchanges something else: vectors of another length or dtype, or
          with another description `what`; UnavailableError if a process has left; DeadlineExceededError after `timeout`
          seconds; FailedPreconditionError in a child process.
        """
        return self._exchanged(_SUM, vector, what, timeout)

    def collected(self, vector: Any, what: str = "", timeout: float | None = None) -> Any:
        """The vectors of all processes as rows. Raises as `summed`."""
        return self._exchanged(_ROWS, vector, what, timeout)

    def of_first(self, vector: Any, what: str = "") -> Any:
        """The vector of the first process. Raises as `summed`."""
        return self._exchanged(_FIRST, vector, what, None)

    def _exchanged(self, body: Body, vector: Any, what: str, timeout: float | None) -> Any:
        """The result of `body` of the vectors of all processes, on the device of this one."""
        if self._is_left:
            raise FailedPreconditionError.of(
                "Collective ops are not available in a process that was forked by one of the cluster. Call them in the "
                'cluster\'s process, or start the other one by multiprocessing.get_context("spawn").'
            )
        with self._lock:
            self._count += 1
            counts.exchanges += 1
            described = f"{what or body.name} of {vector.dtype} {list(vector.shape)}"
            check = zlib.crc32(f"{self._count} {described}".encode()) >> 1
            call = functools.partial(self._run, body, check, vector)
            # In the first exchange, Gloo connects the processes, and writes to standard output that it does.
            with output_to_errors() if self._count == 1 else contextlib.nullcontext():
                is_agreed, result = self._caller.call(call, Look(self._watch, timeout))
            if not is_agreed:
                raise InvalidArgumentError.of(
                    f"The processes do not call the same collectives. Number {self._count} of this one, {described}, "
                    "differs from that of another process. All processes have to call them alike, with values of the "
                    "same shapes."
                )
            return result

    def _run(self, body: Body, check: int, vector: Any) -> tuple[bool, Any]:
        """Whether the `check` of all processes is the same, and the result of `body`, once it has been computed."""
        words = np.zeros(_WORDS, np.int32)
        words[0] = check
        try:
            if vector.nbytes > _SMALL:
                given = self._whole(words), self._whole(vector)
                is_agreed, result = [each.addressable_data(0) for each in self._program(body)(*given)]
                return bool(is_agreed), jax.block_until_ready(result)
            words[1:].view(np.uint8)[: vector.nbytes] = np.frombuffer(np.asarray(vector).tobytes(), np.uint8)
            rows = np.asarray(self._program(None)(self._whole(words)).addressable_data(0))
        except (jax.errors.JaxRuntimeError, ValueError) as failed:  # JAX raises both
            raise self._watch.error(str(failed)) from failed
        content = np.ascontiguousarray(rows[:, 1:]).view(np.uint8)[:, : vector.nbytes].tobytes()
        values = np.frombuffer(content, vector.dtype).reshape(self.count, vector.size)
        return bool((rows[:, 0] == check).all()), body.on_host(values)

    def _whole(self, vector: Any) -> Any:
        """The array whose part on the device of each process is its vector."""
        part = jax.device_put(vector, self._device)
        return jax.make_array_from_single_device_arrays((self.count * vector.shape[0],), self._own, [part])

    def _program(self, body: Body | None) -> Callable[..., Any]:
        """`body` on all processes, unless these exchange different vectors. Without it: the words of all."""
        found = self._programs.get(body)
        if found is None:
            own, common = PartitionSpec(_AXIS), PartitionSpec()
            function = _collected if body is None else functools.partial(_if_agreed, body)
            given = own if body is None else (own, own)
            spread = jax.shard_map(function, mesh=self._mesh, in_specs=given, out_specs=common, check_vma=False)
            found = self._programs[body] = jitted(spread)
        return found

    def abandon(self) -> None:
        """Leaves the group in a forked child process, which has none of its threads; the parent stays in it."""
        self._is_left = True
        self._watch.abandon()

    def leave(self) -> None:
        """Says goodbye to the other processes. They need the first one, which connects them, until they have ended."""
        if self._is_left:
            sys.stderr.write("tfcompat: a child process that a worker has forked has to end by os._exit.\n")
            _end()  # JAX would wait for threads that a child does not have
        has_ended = self._caller.has_ended(_ENDING)
        self._watch.leave(_LEAVING if self.index == 0 and has_ended else 0)
        if not has_ended:
            _end()  # Python cannot end while a thread is in JAX, and JAX would wait for it


def _end() -> NoReturn:
    """Ends this process without the exit handlers of JAX."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)


def _collected(words: Any) -> Any:
    return jax.lax.all_gather(words, _AXIS)


def _if_agreed(body: Body, words: Any, vector: Any) -> tuple[Any, Any]:
    """Whether the first of the `words` is the same in all processes, and the result of `body`.

    The vectors are exchanged only then: with vectors of different sizes the exchange would end the process.
    """
    checks = _collected(words)[:, 0]
    is_agreed = jnp.all(checks == checks[0])
    like = jax.eval_shape(body.in_program, vector)
    return is_agreed, jax.lax.cond(is_agreed, body.in_program, lambda _: jnp.zeros(like.shape, like.dtype), vector)


def _of_first(vector: Any) -> Any:
    bits = jax.lax.bitcast_convert_type(vector, np.dtype(f"uint{8 * vector.dtype.itemsize}"))
    own = jnp.where(jax.lax.axis_index(_AXIS) == 0, bits, jnp.zeros_like(bits))
    return jax.lax.bitcast_convert_type(jax.lax.psum(own, _AXIS), vector.dtype)


_SUM = Body("sum", lambda vector: jax.lax.psum(vector, _AXIS), lambda rows: rows.sum(0, dtype=rows.dtype))
_ROWS = Body("gather", _collected, lambda rows: rows)
_FIRST = Body("broadcast", _of_first, lambda rows: rows[0])


class _Joined:
    """The group that this process has joined; None before."""

    group: Group | None = None


_joined = _Joined()


def join(names: Sequence[str], addresses: Sequence[str], index: int) -> Group:
    """Joins the processes at `addresses`, as the one with number `index`; waits until all of them have started.

    JAX connects them through the address of the first process. At the other addresses these processes are watched.

    Raises: RuntimeError if JAX has started before, or if the process has joined other processes; UnknownError if
      another program uses the port of this process; DeadlineExceededError unless the others start within five minutes;
      UnavailableError if one of them ends meanwhile.
    """
    if (group := _joined.group) is not None:
        if (group.addresses, group.index) != (tuple(addresses), index):
            raise RuntimeError("This process belongs to another cluster already.")
        return group
    require_not_started()
    group = _joined.group = Group(names, addresses, index)
    return group
