"""Connects the processes of a cluster: first the watch, and then JAX through a service of the first process."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Generator, Sequence

import jax

from tfcompat._core.system.device import start
from tfcompat._core.system.error import DeadlineExceededError, UnknownError
from tfcompat._core.system.processes.caller import Caller
from tfcompat._core.system.processes.look import Look
from tfcompat._core.system.processes.watch import Watch, listening_at

# Seconds after which JAX ends the process unless the others have connected. The watch notices earlier if one has ended.
_NEVER = 10**6
# The descriptors of standard output and standard error.
_OUTPUT, _ERRORS = 1, 2


def require_not_started() -> None:
    """Raises RuntimeError if JAX has started.

    JAX has no function that says so, but this call checks it before its arguments, which are wrong.
    """
    with contextlib.suppress(ValueError):
        jax.distributed.initialize("localhost:1", 1, -1, cluster_detection_method="deactivate")


def watched(names: Sequence[str], addresses: Sequence[str], index: int) -> Watch:
    """The watch of the processes with `names` at `addresses`, of which this one has the number `index`.

    Raises: UnknownError if another program uses the port of this process; DeadlineExceededError if the processes have
      not started after five minutes.
    """
    try:
        listening = listening_at(addresses[index])
    except OSError as failed:
        raise UnknownError.of(f"Could not start gRPC server at {addresses[index]}: {failed}") from failed
    with listening:
        if not index:  # JAX's service listens there; it may end the process if another program does
            listening.close()
        try:
            return Watch(names, addresses, index, listening)
        except OSError as failed:
            raise DeadlineExceededError.of(
                f"Some processes of the cluster have not started; it consists of {', '.join(names)}: {failed}"
            ) from failed


def start_together(addresses: Sequence[str], index: int, watch: Watch, caller: Caller) -> None:
    """Starts JAX in the thread of `caller`, with the processes at the other `addresses`, which `watch` watches.

    Raises: UnavailableError if another process ends meanwhile.
    """
    # Without it JAX ends a process at once when another one has died, with no error that Python sees.
    jax.config.update("jax_enable_recoverability", True)
    # JAX's service would keep SIGTERM from ending a process.
    jax.config.update("jax_enable_preemption_service", False)
    connect = functools.partial(
        jax.distributed.initialize,
        addresses[0],
        len(addresses),
        index,
        cluster_detection_method="deactivate",
        initialization_timeout=_NEVER,
    )
    caller.call(connect, Look(watch))
    caller.call(start, Look(watch))


@contextlib.contextmanager
def output_to_errors() -> Generator[None]:
    """Meanwhile the text for standard output is written to standard error."""
    try:
        own = os.dup(_OUTPUT)
        os.dup2(_ERRORS, _OUTPUT)
    except OSError:  # one of them is closed
        yield
        return
    try:
        yield
    finally:
        os.dup2(own, _OUTPUT)
        os.close(own)
