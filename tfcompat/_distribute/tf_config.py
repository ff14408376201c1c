"""The cluster that the environment variable TF_CONFIG describes."""

from __future__ import annotations

import json
import os
from typing import Any

from tfcompat._distribute.cluster_spec import ClusterSpec
from tfcompat._distribute.resolver import ClusterResolver, with_protocol

_VARIABLE = "TF_CONFIG"


class TFConfigClusterResolver(ClusterResolver):
    """The cluster, the job and the number of this process in TF_CONFIG.

    The arguments replace what TF_CONFIG says.

    Raises: when it is asked, json.JSONDecodeError if TF_CONFIG is not JSON.
    Source: TF 2.21 `tf.distribute.cluster_resolver.TFConfigClusterResolver`.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        self._task_type = task_type
        self._task_id = task_id
        self._rpc_layer = rpc_layer
        self._environment = environment

    @property
    def task_type(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The job of this process."""
        if self._task_type is not None:
            return str(self._task_type)
        task = _task()
        return str(task["type"]) if "type" in task else None

    @task_type.setter
    def task_type(self, task_type: str) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The number of this process in its job."""
        if self._task_id is not None:
            return int(self._task_id)
        task = _task()
        return int(task["index"]) if "index" in task else None

    @task_id.setter
    def task_id(self, task_id: int) -> None:
        self._task_id = task_id

    @property
    def rpc_layer(self) -> str | None:
        """The name of the protocol in addresses."""
        return self._rpc_layer if self._rpc_layer is not None else _entry("rpc_layer", None)

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str) -> None:
        self._rpc_layer = rpc_layer

    @property
    def environment(self) -> Any:
        """As given."""
        return self._environment

    def cluster_spec(self) -> ClusterSpec:
        """The cluster; without TF_CONFIG it is empty."""
        return ClusterSpec(_entry("cluster", {}))

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """The address of the process with this job and number, by default of this one; empty for a single process."""
        spec = self.cluster_spec()
        if sum(map(spec.num_tasks, spec.jobs)) < 2:
            return ""
        job: Any = task_type if task_type is not None else self.task_type
        number: Any = task_id if task_id is not None else self.task_id
        return with_protocol(spec.task_address(job, number), rpc_layer or self.rpc_layer)


def _entry(name: str, default: Any) -> Any:
    """The entry `name` of TF_CONFIG. Raises TypeError if that is a number or null; text and lists have no entries."""
    config = json.loads(os.environ.get(_VARIABLE, "{}"))
    is_given = name in config
    return config[name] if is_given else default


def _task() -> Any:
    return _entry("task", {})
