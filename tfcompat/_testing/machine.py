"""Properties of the machine for tests: its accelerators, and the platforms of the JAX installation."""

from __future__ import annotations

import importlib.metadata
import platform

from tfcompat._core.tracing.trace import sync
from tfcompat._dropin.device import every, list_logical_devices

_MACHINES = {"aarch64": ("aarch64", "arm64"), "arm": ("armv7l", "arm"), "pwr": ("ppc64le",), "x86": ("x86_64", "AMD64")}


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None) -> bool:
    """Whether a GPU is available: an NVIDIA GPU if `cuda_only`, with at least `min_cuda_compute_capability`.

    Source: TF 2.21 `tf.test.is_gpu_available`.
    """
    gpus = [part for kind, parts in every().items() if kind.device_type == "GPU" for part in parts]
    if cuda_only:
        gpus = [gpu for gpu in gpus if gpu.platform != "rocm"]
    least = min_cuda_compute_capability or (0, 0)
    return any(tuple(map(int, gpu.compute_capability.split("."))) >= least for gpu in gpus)


def gpu_device_name() -> str:
    """The name of the first GPU, "/device:GPU:0"; empty without a GPU.

    Source: TF 2.21 `tf.test.gpu_device_name`.
    """
    return next((device.name for device in list_logical_devices("GPU")), "")


def is_built_with_cuda() -> bool:
    """Whether JAX was installed for NVIDIA's GPUs.

    Source: TF 2.21 `tf.test.is_built_with_cuda`.
    """
    return _has_plugin("cuda")


def is_built_with_rocm() -> bool:
    """Whether JAX was installed for AMD's GPUs.

    Source: TF 2.21 `tf.test.is_built_with_rocm`.
    """
    return _has_plugin("rocm")


def is_built_with_gpu_support() -> bool:
    """Whether JAX was installed for GPUs.

    Source: TF 2.21 `tf.test.is_built_with_gpu_support`.
    """
    return is_built_with_cuda() or is_built_with_rocm()


def is_built_with_xla() -> bool:
    """True: XLA compiles everything.

    Source: TF 2.21 `tf.test.is_built_with_xla`.
    """
    return True


def is_cpu_target_available(target: str) -> bool:
    """Whether this machine's CPU is of the kind `target`: "aarch64", "arm", "pwr" or "x86".

    Source: TF 2.21 `tf.test.is_cpu_target_available`.
    """
    return platform.machine() in _MACHINES.get(target, ())


def get_build_info() -> dict[str, bool]:
    """The platforms that JAX was installed for.

    Source: TF 2.21 `tf.sysconfig.get_build_info`.
    """
    return {
        "is_cuda_build": is_built_with_cuda(),
        "is_rocm_build": is_built_with_rocm(),
        "is_tensorrt_build": False,
    }


def sync_devices() -> None:
    """Runs all pending ops and waits for the results.

    Source: TF 2.21 `tf.test.experimental.sync_devices`.
    """
    sync()


def _has_plugin(kind: str) -> bool:
    return any(kind in plugin.name for plugin in importlib.metadata.entry_points(group="jax_plugins"))
