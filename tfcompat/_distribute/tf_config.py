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
        found = self._task_type if self._task_type is not None else _task().get("type")
        return None if found is None else str(found)

    @task_type.setter
    def task_type(self, task_type: str) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The number of this process in its job."""
        found = self._task_id if self._task_id is not None else _task().get("index")
        return None if found is None else int(found)

    @task_id.setter
    def task_id(self, task_id: int) -> None:
        self._task_id = task_id

    @property
    def rpc_layer(self) -> str | None:
        """The name of the protocol in addresses."""
        return self._rpc_layer if self._rpc_layer is not None else _config().get("rpc_layer")

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str) -> None:
        self._rpc_layer = rpc_layer

    @property
    def environment(self) -> Any:
        """As given."""
        return self._environment

    def cluster_spec(self) -> ClusterSpec:
        """The cluster; without TF_CONFIG it is empty."""
        return ClusterSpec(_config().get("cluster", {}))

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """The address of the process with this job and number, by default of this one; empty for a single process."""
        spec = self.cluster_spec()
        if sum(map(spec.num_tasks, spec.jobs)) < 2:
            return ""
        job = task_type if task_type is not None else self.task_type
        number = task_id if task_id is not None else self.task_id
        return with_protocol(spec.task_address(job or "", number or 0), rpc_layer or self.rpc_layer)


def _config() -> dict[str, Any]:
    return json.loads(os.environ.get(_VARIABLE, "{}"))


def _task() -> dict[str, Any]:
    return _config().get("task", {})
