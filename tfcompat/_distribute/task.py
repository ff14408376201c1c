"""The tasks of a cluster that train together, and their addresses, checked as TensorFlow does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._distribute.cluster_spec import ClusterSpec

_TRAINING = ("chief", "worker")
_TYPES = (*_TRAINING, "evaluator", "ps", None)
_PORTS = range(1, 2**16)


def training_tasks(spec: ClusterSpec, kind: Any, number: Any) -> list[tuple[str, int]]:
    """The tasks that train together with the task `number` of the job `kind`, the chief first.

    An evaluator reads the checkpoints of the others. It computes alone, and need not be listed in the cluster.

    Raises: ValueError for jobs and tasks that cannot train; InvalidArgumentError for a negative number.
    """
    if kind is None or number is None:
        raise ValueError("When `cluster_spec` is given, you must also specify `task_type` and `task_id`.")
    if any(job not in _TYPES for job in spec.jobs):
        raise ValueError(
            f"Disallowed task type found in cluster spec. Allowed types are {_TYPES} and the cluster spec is {spec}."
        )
    if kind not in _TYPES:
        raise ValueError(f"Unrecognized task_type: {kind}, valid task types are: {_TYPES}")
    if kind not in spec.jobs and kind != "evaluator":
        raise ValueError(f"`task_type` {kind!r} not found in cluster_spec.")
    for job in ("chief", "evaluator"):
        if job in spec.jobs and spec.num_tasks(job) > 1:
            raise ValueError(f"There must be at most one {job!r} job.")
    if kind == "ps":
        raise ValueError(f"There is no id for task_type {kind!r}")
    if number < 0:
        raise InvalidArgumentError.of(f"Invalid device filter: /job:{kind}/task:{number}")
    if kind in spec.jobs and number not in spec.task_indices(kind):
        raise ValueError(f"The `task_id` {number} exceeds the maximum id of {kind}.")
    if kind == "evaluator":
        return [(kind, number)]
    return [(job, index) for job in _TRAINING if job in spec.jobs for index in spec.task_indices(job)]


def require_addresses(addresses: Sequence[str], own: str) -> None:
    """Raises InvalidArgumentError unless `addresses`, one of which is the `own` one of this process, can be used."""
    if not _has_port(own):
        raise InvalidArgumentError.of(f'Could not parse port for local server from "{own}".')
    for address in addresses:
        if not _has_port(address):
            raise InvalidArgumentError.of(f'Could not interpret "{address}" as a host-port pair.')
    if len(set(addresses)) < len(addresses):
        raise InvalidArgumentError.of(f"Two tasks of the cluster have the same address: {', '.join(addresses)}.")


def _has_port(address: str) -> bool:
    """Whether `address` ends with a port at which other processes find a task."""
    form = re.fullmatch(r".+:(\d{1,5})", address)
    return form is not None and int(form[1]) in _PORTS
