"""`tf.distribute.MultiWorkerMirroredStrategy`: a replica in each of several processes."""

from __future__ import annotations

import contextlib
from typing import Any

from tfcompat._core.system.processes.group import Group, join
from tfcompat._distribute.communication import CommunicationImplementation, CommunicationOptions
from tfcompat._distribute.mirrored import mirrored_extended
from tfcompat._distribute.one_device import full_device_name
from tfcompat._distribute.process_extended import ProcessesExtended
from tfcompat._distribute.strategy import Strategy
from tfcompat._distribute.task import require_addresses, training_tasks
from tfcompat._distribute.tf_config import TFConfigClusterResolver
from tfcompat._dropin.device import list_logical_devices
from tfcompat._dropin.placement import device as placed_on

_LATE = "Collective ops must be configured at program startup"


class MultiWorkerMirroredStrategy(Strategy):
    """A strategy with replicas in each process of a cluster, all of which run the same program.

    A process has a replica on each of its GPUs; without GPUs, one on the first CPU device.

    Args:
      cluster_resolver: the cluster and the place of this process in it; by default those in TF_CONFIG. Without a
        cluster, or with one process, and in an evaluator, it is a `MirroredStrategy` on the devices of this process.
      communication_options: options of all collectives that have none of their own.

    Raises: ValueError for a task that the cluster does not have, or that does not train; RuntimeError if JAX has
      started before; UnknownError if another program uses the port of the process; DeadlineExceededError if the others
      do not start; InvalidArgumentError for unusable addresses, or different numbers of devices.
    Source: TF 2.21 `tf.distribute.MultiWorkerMirroredStrategy`.
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        if communication_options is not None and not isinstance(communication_options, CommunicationOptions):
            raise ValueError(
                "communication_options must be an instance of tf.distribute.experimental.CommunicationOptions"
            )
        self._resolver = TFConfigClusterResolver() if cluster_resolver is None else cluster_resolver
        group, name = _joined(self._resolver)
        names = tuple(full_device_name(device.name) for device in _own_devices())
        self._local_device = names[0]
        if group is None:
            super().__init__(mirrored_extended(self, names))
        else:
            timeout = None if communication_options is None else communication_options.timeout_seconds
            of_cluster = tuple([name + each[each.index("/device:") :] for each in names])
            super().__init__(ProcessesExtended(self, group, of_cluster, timeout))
        self._extended._task_type, self._extended._task_id = self._resolver.task_type, self._resolver.task_id

    @property
    def cluster_resolver(self) -> Any:
        """The resolver."""
        return self._resolver

    def _placed(self) -> contextlib.AbstractContextManager[None]:
        return placed_on(self._local_device)


class FirstMultiWorkerMirroredStrategy(MultiWorkerMirroredStrategy):
    """The same as `tf.distribute.MultiWorkerMirroredStrategy`, with its older parameters.

    Source: TF 2.21 `tf.distribute.experimental.MultiWorkerMirroredStrategy`.
    """

    def __init__(self, communication: Any = CommunicationImplementation.AUTO, cluster_resolver: Any = None) -> None:
        super().__init__(cluster_resolver, CommunicationOptions(implementation=communication))


# TensorFlow's name of both.
for _strategy in (MultiWorkerMirroredStrategy, FirstMultiWorkerMirroredStrategy):
    _strategy.__name__ = _strategy.__qualname__ = "CollectiveAllReduceStrategy"


def _own_devices() -> list[Any]:
    """The devices of the replicas of this process."""
    return list_logical_devices("GPU") or list_logical_devices("CPU")[:1]


def _joined(resolver: Any) -> tuple[Group | None, str]:
    """The group of the processes of the cluster, None for a single one, and TensorFlow's name of this process."""
    spec = resolver.cluster_spec()
    if not spec:
        return None, "/job:localhost/replica:0/task:0"
    kind, number = resolver.task_type, resolver.task_id
    tasks = training_tasks(spec, kind, number)
    name = f"/job:{kind}/replica:0/task:{number}"
    if kind == "evaluator":
        return None, name
    names = [f"/job:{job}/replica:0/task:{index}" for job, index in tasks]
    addresses = [spec.task_address(job, index) for job, index in tasks]
    require_addresses(addresses, spec.task_address(kind, number))
    if len(tasks) == 1:
        return None, name
    try:
        return join(names, addresses, tasks.index((kind, number))), name
    except RuntimeError as refused:
        if "before any JAX calls" in str(refused):
            raise RuntimeError(
                f"{_LATE}: make the tf.distribute.MultiWorkerMirroredStrategy before anything is computed, and before "
                "devices are listed."
            ) from refused
        raise
