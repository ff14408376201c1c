"""Settings of TensorFlow's runtime.

Settings of TensorFlow's graph optimizer, threads and kernels are stored and returned, without effect: XLA optimises
every program, and no value depends on them. Settings that would change values take effect or raise an error.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import jax

from tfcompat._core.system.config import settings
from tfcompat._core.tracing.trace import here
from tfcompat._dropin.device import list_physical_devices
from tfcompat._random.seed import allow_chance, forbid_chance

_ANSWERED_ALWAYS = ("disable_model_pruning", "disable_meta_optimizer")
_OPTIMIZATIONS = frozenset(
    (
        *("layout_optimizer", "constant_folding", "shape_optimization", "remapping", "arithmetic_optimization"),
        *("dependency_optimization", "loop_optimization", "function_optimization", "debug_stripper", "min_graph_nodes"),
        *(
            "scoped_allocator_optimization",
            "pin_to_host_optimization",
            "implementation_selector",
            "use_plugin_optimizers",
        ),
        *("disable_model_pruning", "disable_meta_optimizer"),
    )
)
_NARROWING = frozenset(("auto_mixed_precision", "auto_mixed_precision_onednn_bfloat16", "auto_mixed_precision_mkl"))
_DETERMINISTIC = "--xla_gpu_deterministic_ops=true"
_POLICIES = ("silent", "silent_for_int32")


@dataclass
class _Remembered:
    """Stored settings that have no effect, and the state of those that have."""

    jit: str = ""
    optimizations: dict[str, Any] = field(default_factory=dict)
    inter_op_threads: int = 0
    intra_op_threads: int = 0
    device_policy: str = "silent"
    is_synchronous: bool = True
    has_short_floats: bool = True
    filters_tracebacks: bool = True


remembered = _Remembered()


def get_optimizer_jit() -> str:
    """The setting of `tf.config.optimizer.set_jit`: "autoclustering" or the empty string.

    Source: TF 2.21 `tf.config.optimizer.get_jit`.
    """
    return remembered.jit


def set_optimizer_jit(enabled: bool | str) -> None:
    """Stores `enabled`, a boolean or "autoclustering". It has no effect: XLA always compiles.

    Source: TF 2.21 `tf.config.optimizer.set_jit`.
    """
    remembered.jit = "autoclustering" if enabled in (True, "autoclustering") else ""


def get_optimizer_experimental_options() -> dict[str, Any]:
    """The options set by `tf.config.optimizer.set_experimental_options`.

    Source: TF 2.21 `tf.config.optimizer.get_experimental_options`.
    """
    return dict.fromkeys(_ANSWERED_ALWAYS, False) | remembered.optimizations


def set_optimizer_experimental_options(options: dict[str, Any]) -> None:
    """Stores `options`, graph optimizations by name, without effect: XLA has its own. Unknown names are ignored.

    Raises: NotImplementedError for optimizations that would narrow the dtypes of a program's values.
    Source: TF 2.21 `tf.config.optimizer.set_experimental_options`.
    """
    for name in _NARROWING & options.keys():
        if options[name]:
            raise NotImplementedError(
                f"tf.config.optimizer.set_experimental_options: {name} would compute in dtypes that the program did "
                "not specify; use tf.cast, or a mixed precision policy of Keras."
            )
    remembered.optimizations |= {name: value for name, value in options.items() if name in _OPTIMIZATIONS | _NARROWING}


def get_inter_op_parallelism_threads() -> int:
    """The number that was set; 0 by default.

    Source: TF 2.21 `tf.config.threading.get_inter_op_parallelism_threads`.
    """
    return remembered.inter_op_threads


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Stores `num_threads`, without effect: XLA schedules the ops of a program.

    Source: TF 2.21 `tf.config.threading.set_inter_op_parallelism_threads`.
    """
    remembered.inter_op_threads = num_threads


def get_intra_op_parallelism_threads() -> int:
    """The number that was set; 0 by default.

    Source: TF 2.21 `tf.config.threading.get_intra_op_parallelism_threads`.
    """
    return remembered.intra_op_threads


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Stores `num_threads`, without effect: XLA has one thread pool, with a thread for each core.

    Source: TF 2.21 `tf.config.threading.set_intra_op_parallelism_threads`.
    """
    remembered.intra_op_threads = num_threads


def get_device_policy() -> str:
    """The policy for an op and its input on different devices: "silent" copies the input.

    Source: TF 2.21 `tf.config.experimental.get_device_policy`.
    """
    return remembered.device_policy


def set_device_policy(device_policy: str | None) -> None:
    """Sets the policy for an op and its input on different devices; "silent" and "silent_for_int32" copy the input.

    Raises: NotImplementedError for "warn" and "explicit"; ValueError for any other `device_policy`.
    Source: TF 2.21 `tf.config.experimental.set_device_policy`.
    """
    if device_policy in ("warn", "explicit"):
        raise NotImplementedError(
            f"tf.config.experimental.set_device_policy: JAX copies inputs to the device that reads them; "
            f"{device_policy!r} is not supported. Use jax.transfer_guard to detect copies."
        )
    if device_policy not in (None, *_POLICIES):
        raise ValueError(f"Invalid argument `device_policy`: {device_policy!r}; it must be one of {_POLICIES}.")
    remembered.device_policy = device_policy or "silent"


def get_synchronous_execution() -> bool:
    """The setting of `tf.config.experimental.set_synchronous_execution`.

    Source: TF 2.21 `tf.config.experimental.get_synchronous_execution`.
    """
    return remembered.is_synchronous


def set_synchronous_execution(enable: bool) -> None:
    """Stores `enable`, whether ops finish before they return, without effect: a read waits for its value.

    Source: TF 2.21 `tf.config.experimental.set_synchronous_execution`.
    """
    remembered.is_synchronous = bool(enable)


def enable_mlir_bridge() -> None:
    """Has no effect: tfcompat has only one path to XLA.

    Source: TF 2.21 `tf.config.experimental.enable_mlir_bridge`.
    """


def disable_mlir_bridge() -> None:
    """Has no effect: tfcompat has only one path to XLA.

    Source: TF 2.21 `tf.config.experimental.disable_mlir_bridge`.
    """


def tensor_float_32_execution_enabled() -> bool:
    """Whether products of float32 matrices may be computed at lower precision, on devices that support it.

    Source: TF 2.21 `tf.config.experimental.tensor_float_32_execution_enabled`.
    """
    return remembered.has_short_floats


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Sets whether products of float32 matrices may be computed at lower precision.

    Source: TF 2.21 `tf.config.experimental.enable_tensor_float_32_execution`.
    """
    here.trace.flush("precision")
    remembered.has_short_floats = bool(enabled)
    jax.config.update("jax_default_matmul_precision", None if enabled else "highest")


def enable_op_determinism() -> None:
    """Makes programs return the same values in every run: random ops without a seed raise errors from now on.

    On a GPU this also requires an XLA flag, set before JAX starts.

    Raises: RuntimeError if the machine has a GPU and the flag is not set.
    Source: TF 2.21 `tf.config.experimental.enable_op_determinism`.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    if _DETERMINISTIC not in flags and list_physical_devices("GPU"):
        raise RuntimeError(
            "tf.config.experimental.enable_op_determinism: set the environment variable "
            f"XLA_FLAGS={_DETERMINISTIC} before the program starts."
        )
    forbid_chance()
    settings.is_deterministic = True


def is_op_determinism_enabled() -> bool:
    """Whether `enable_op_determinism` has been called, and not been revoked.

    Source: TF 2.21, `is_op_determinism_enabled` of `tensorflow.python.framework.config`.
    """
    return settings.is_deterministic


def disable_op_determinism() -> None:
    """Revokes `enable_op_determinism`.

    Source: TF 2.21, `disable_op_determinism` of `tensorflow.python.framework.config`.
    """
    allow_chance()
    settings.is_deterministic = False


def get_log_device_placement() -> bool:
    """Whether the devices of programs are logged.

    Source: TF 2.21 `tf.debugging.get_log_device_placement`.
    """
    return settings.is_logging_devices


def set_log_device_placement(enabled: bool) -> None:
    """Sets whether the device of each program is logged to standard error.

    Source: TF 2.21 `tf.debugging.set_log_device_placement`.
    """
    settings.is_logging_devices = bool(enabled)


def is_traceback_filtering_enabled() -> bool:
    """Whether tracebacks omit JAX's own frames.

    Source: TF 2.21 `tf.debugging.is_traceback_filtering_enabled`.
    """
    return remembered.filters_tracebacks


def enable_traceback_filtering() -> None:
    """Omits JAX's own frames from tracebacks, which is the default.

    Source: TF 2.21 `tf.debugging.enable_traceback_filtering`.
    """
    remembered.filters_tracebacks = True
    jax.config.update("jax_traceback_filtering", "auto")


def disable_traceback_filtering() -> None:
    """Shows JAX's own frames in tracebacks.

    Source: TF 2.21 `tf.debugging.disable_traceback_filtering`.
    """
    remembered.filters_tracebacks = False
    jax.config.update("jax_traceback_filtering", "off")
