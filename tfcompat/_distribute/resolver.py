"""Cluster resolvers: which processes a cluster has, and which of them this one is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from tfcompat._distribute.cluster_spec import ClusterSpec
from tfcompat._dropin.device import list_logical_devices


class ClusterResolver(ABC):
    """The processes of a cluster, and this one among them.

    Source: TF 2.21 `tf.distribute.cluster_resolver.ClusterResolver`.
    """

    task_type: Any = None
    task_id: Any = None

    @abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """The addresses of the processes."""

    @abstractmethod
    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """The address of the process with this job and number."""

    @property
    def environment(self) -> str:
        """Where the cluster runs: empty text."""
        return ""

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """The number of accelerators of this process, by type."""
        del task_type, task_id, config_proto
        counts = {kind: len(list_logical_devices(kind)) for kind in ("GPU", "TPU")}
        return {kind: count for kind, count in counts.items() if count}


def with_protocol(address: str, rpc_layer: str | None) -> str:
    """`address` after the name of the protocol, unless that is empty."""
    return f"{rpc_layer}://{address}" if rpc_layer else address


class SimpleClusterResolver(ClusterResolver):
    """A cluster that the program describes.

    Raises: TypeError if `cluster_spec` is not a `tf.train.ClusterSpec`.
    Source: TF 2.21 `tf.distribute.cluster_resolver.SimpleClusterResolver`.
    """

    def __init__(
        self,
        cluster_spec: Any,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: Mapping[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        self._cluster_spec = cluster_spec
        self._master = master
        self._environment = environment
        self._num_accelerators = num_accelerators
        self.task_type = task_type
        self.task_id = task_id
        self.rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """The cluster."""
        return self._cluster_spec

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """The address of the process with this job and number; without these, that given to the resolver."""
        address = self._master
        if task_type is not None and task_id is not None:
            address = self._cluster_spec.task_address(task_type, task_id)
        return with_protocol(address, rpc_layer or self.rpc_layer)

    @property
    def environment(self) -> str:
        """As given."""
        return self._environment

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """As given; empty by default."""
        del task_type, task_id, config_proto
        return self._num_accelerators or {}


class UnionResolver(ClusterResolver):
    """The processes of several clusters; the job, the number and all else are those of the first resolver.

    Raises: ValueError without resolvers; TypeError for other values than resolvers.
    Source: TF 2.21 `tf.distribute.cluster_resolver.UnionResolver`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        for resolver in args:
            if not isinstance(resolver, ClusterResolver):
                raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._resolvers: tuple[Any, ...] = args
        first: Any = args[0]
        self.rpc_layer = kwargs.pop("rpc_layer", getattr(first, "rpc_layer", None))
        self.task_type = kwargs.pop("task_type", first.task_type)
        self.task_id = kwargs.pop("task_id", first.task_id)
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs!r}")

    def cluster_spec(self) -> ClusterSpec:
        """The tasks of all clusters. Raises KeyError if two have a task of the same number at another address."""
        found: dict[str, dict[int, str]] = {}
        lengths: dict[str, int] = {}
        for resolver in self._resolvers:
            for job, tasks in resolver.cluster_spec().as_dict().items():
                known = found.setdefault(job, {})
                # Lists follow one another; numbers in dictionaries are kept.
                first = lengths.get(job, 0) if isinstance(tasks, list) else 0
                for number, address in dict(enumerate(tasks, first) if first else _numbered(tasks)).items():
                    if known.get(number, address) != address:
                        raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {job} {number}")
                    known[number] = address
                lengths[job] = len(known)
        return ClusterSpec(found)

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """The address of the process with this job and number; without these, that of the first resolver."""
        if task_type is not None and task_id is not None:
            address = self.cluster_spec().task_address(task_type, task_id)
            return with_protocol(address, rpc_layer or self.rpc_layer)
        return self._resolvers[0].master(rpc_layer=rpc_layer)

    @property
    def environment(self) -> str:
        """That of the first resolver."""
        return self._resolvers[0].environment

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """That of the first resolver."""
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)


# TensorFlow's name.
UnionResolver.__name__ = UnionResolver.__qualname__ = "UnionClusterResolver"


def _numbered(tasks: list[str] | dict[int, str]) -> dict[int, str]:
    return tasks if isinstance(tasks, dict) else dict(enumerate(tasks))
