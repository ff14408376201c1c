"""Connects the processes of a cluster: JAX through a service of the first process, and the watch."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence

import jax

from tfcompat._core.error import DeadlineExceededError, UnknownError
from tfcompat._core.processes.caller import Caller
from tfcompat._core.processes.watch import Watch, listening_at

# Seconds in which all processes have to start.
_STARTING = 300.0
# The same limit for JAX, which ends the process when it is exceeded: it never is.
_NEVER = 10**6


def connected(addresses: Sequence[str], index: int) -> Watch:
    """Connects this process, the one with number `index`, with those at the other `addresses`; returns their watch.

    A thread waits for them, because JAX's call could neither be interrupted nor end with an error.

    Raises: UnknownError if another program uses the port of this process; DeadlineExceededError if the processes have
      not started after five minutes; RuntimeError if JAX has started before.
    """
    try:
        listening = listening_at(addresses[index])
    except OSError as failed:
        raise UnknownError.of(f"Could not start gRPC server at {addresses[index]}: {failed}") from failed
    if not index:  # JAX's service listens there; it may end the process if another program does
        listening.close()
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
    Caller("tfcompat-connection").call(connect, _Patience(addresses))
    return Watch(addresses, index, listening)


class _Patience:
    """Raises an error when the processes do not start in time; called now and then while they are waited for."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = addresses
        self._limit = time.monotonic() + _STARTING

    def __call__(self) -> None:
        if time.monotonic() > self._limit:
            raise DeadlineExceededError.of(
                f"After {_STARTING:g} seconds some processes of the cluster have not started; it consists of those at "
                f"{', '.join(self._addresses)}."
            )
