"""The idiom by which scripts find a TPU: `TPUClusterResolver`, and the calls that follow it."""

from __future__ import annotations

from typing import Any, NoReturn

from tfcompat._core.system.error import NotFoundError
from tfcompat._distribute.cluster_spec import ClusterSpec
from tfcompat._distribute.resolver import ClusterResolver
from tfcompat._dropin.device import list_logical_devices

NAME_NEEDED = "Please provide a TPU Name to connect to."
# The type of the devices that are TPU cores.
KIND = "TPU"
# The beginning of the addresses of TPUs elsewhere.
_PROTOCOL = "grpc://"


def tpu_names() -> list[str]:
    """The names of the TPU cores that JAX has found."""
    return [device.name for device in list_logical_devices(KIND)]


class TPUClusterResolver(ClusterResolver):
    """The TPUs of this process, which JAX has found.

    Args:
      tpu: empty, None or "local"; or addresses that begin with "grpc://", to which it cannot connect.

    Raises: ValueError if JAX has found no TPU, unless `tpu` is given; NotImplementedError for the names of TPUs.
    Source: TF 2.21 `tf.distribute.cluster_resolver.TPUClusterResolver`.
    """

    def __init__(
        self,
        tpu: Any = None,
        zone: Any = None,
        project: Any = None,
        job_name: str = "worker",
        coordinator_name: Any = None,
        coordinator_address: Any = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: Any = None,
    ) -> None:
        del zone, project, credentials, service, discovery_url  # how to find a TPU elsewhere
        if coordinator_name is not None or coordinator_address is not None:
            raise NotImplementedError(
                "tf.distribute.cluster_resolver.TPUClusterResolver: only one process is supported; leave "
                "coordinator_name and coordinator_address out."
            )
        if tpu in (None, "") and not tpu_names():
            raise ValueError(NAME_NEEDED)
        given = tpu.split(",") if isinstance(tpu, str) and tpu.startswith(_PROTOCOL) else []
        self._addresses = [each.removeprefix(_PROTOCOL) for each in given]
        if tpu not in (None, "", "local") and not given:
            _refuse(repr(tpu))
        self.task_type, self.task_id = job_name, 0

    @classmethod
    def connect(cls, tpu: Any = None, zone: Any = None, project: Any = None) -> TPUClusterResolver:
        """The resolver, with its TPUs initialised."""
        resolver = cls(tpu, zone, project)
        initialize_tpu_system(resolver)
        return resolver

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """The address of the process with this number, by default the first; empty for this process."""
        del task_type, rpc_layer
        return _PROTOCOL + self._addresses[task_id or 0] if self._addresses else ""

    def get_master(self) -> str:
        """The same as `master()`."""
        return self.master()

    def get_job_name(self) -> str:
        """The name of the job, as given."""
        return self.task_type

    def cluster_spec(self) -> ClusterSpec:
        """The addresses; no tasks if the TPUs belong to this process."""
        return ClusterSpec({self.task_type: self._addresses} if self._addresses else {})

    def num_accelerators(self, task_type: Any = None, task_id: Any = None, config_proto: Any = None) -> dict[str, int]:
        """The number of TPU cores. Raises NotImplementedError for TPUs elsewhere."""
        del task_type, task_id, config_proto
        self.require_here()
        return {"TPU": len(tpu_names())}

    def require_here(self) -> None:
        """Raises NotImplementedError for TPUs elsewhere."""
        if self._addresses:
            _refuse(repr(self.master()))


def _refuse(tpu: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.distribute.cluster_resolver.TPUClusterResolver: only TPUs of this machine are supported, got tpu={tpu}; "
        "leave it out, and run the program on the TPU's machine."
    )


def initialize_tpu_system(cluster_resolver: Any = None) -> None:
    """Does nothing where JAX has found TPUs, which are ready.

    Raises: ValueError without a resolver, and NotFoundError with one, if there is no TPU; NotImplementedError for TPUs
      elsewhere.
    Source: TF 2.21 `tf.tpu.experimental.initialize_tpu_system`.
    """
    if isinstance(cluster_resolver, TPUClusterResolver):
        cluster_resolver.require_here()
    if tpu_names():
        return
    if cluster_resolver is None:
        raise ValueError(NAME_NEEDED)
    raise NotFoundError.of("TPUs not found in the cluster: JAX has found no TPU.")


def experimental_connect_to_cluster(
    cluster_spec_or_resolver: Any,
    job_name: str = "localhost",
    task_index: int = 0,
    protocol: Any = None,
    make_master_device_default: bool = True,
    cluster_device_filters: Any = None,
) -> None:
    """Does nothing for TPUs of this process. Raises NotImplementedError for other clusters.

    Source: TF 2.21 `tf.config.experimental_connect_to_cluster`.
    """
    del job_name, task_index, protocol, make_master_device_default, cluster_device_filters  # of other clusters
    if not isinstance(cluster_spec_or_resolver, TPUClusterResolver):
        raise NotImplementedError(
            "tf.config.experimental_connect_to_cluster: only TPUs of this machine are supported, got "
            f"{cluster_spec_or_resolver!r}."
        )
    cluster_spec_or_resolver.require_here()
