"""Settings of TensorFlow's runtime.

What speaks of TensorFlow's own graph optimizer, threads and kernels is remembered and answered back: neither values nor
promises depend on it, since XLA optimises every program. What would change values is honoured, or refused by name.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import jax

from tfcompat._core.config import settings
from tfcompat._core.trace import here
from tfcompat._dropin.device import list_physical_devices
from tfcompat._random.seed import forbid_chance

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
    """What was set and changes nothing here."""

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
    """The answer "autoclustering" if `tf.config.optimizer.set_jit` asked for it, else the empty string.

    Source: TF 2.21 `tf.config.optimizer.get_jit`.
    """
    return remembered.jit


def set_optimizer_jit(enabled: bool | str) -> None:
    """Remembers with `enabled`, a boolean or "autoclustering", that XLA shall compile. It always does.

    Source: TF 2.21 `tf.config.optimizer.set_jit`.
    """
    remembered.jit = "autoclustering" if enabled in (True, "autoclustering") else ""


def get_optimizer_experimental_options() -> dict[str, Any]:
    """What `tf.config.optimizer.set_experimental_options` was told.

    Source: TF 2.21 `tf.config.optimizer.get_experimental_options`.
    """
    return dict.fromkeys(_ANSWERED_ALWAYS, False) | remembered.optimizations


def set_optimizer_experimental_options(options: dict[str, Any]) -> None:
    """Remembers `options`, the optimizations of graphs by name; XLA has its own. Unknown names are left out.

    Raises: NotImplementedError for those that would narrow the dtypes of a program's values.
    Source: TF 2.21 `tf.config.optimizer.set_experimental_options`.
    """
    for name in _NARROWING & options.keys():
        if options[name]:
            raise NotImplementedError(
                f"tf.config.optimizer.set_experimental_options: {name} would compute in other dtypes than the program "
                "says; cast, or let Keras do it by a mixed precision policy."
            )
    remembered.optimizations |= {name: value for name, value in options.items() if name in _OPTIMIZATIONS | _NARROWING}


def get_inter_op_parallelism_threads() -> int:
    """The number that was set, 0 for none.

    Source: TF 2.21 `tf.config.threading.get_inter_op_parallelism_threads`.
    """
    return remembered.inter_op_threads


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Remembers `num_threads`; XLA schedules a program's ops itself.

    Source: TF 2.21 `tf.config.threading.set_inter_op_parallelism_threads`.
    """
    remembered.inter_op_threads = num_threads


def get_intra_op_parallelism_threads() -> int:
    """The number that was set, 0 for none.

    Source: TF 2.21 `tf.config.threading.get_intra_op_parallelism_threads`.
    """
    return remembered.intra_op_threads


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Remembers `num_threads`; XLA has one pool of threads, as large as the CPU.

    Source: TF 2.21 `tf.config.threading.set_intra_op_parallelism_threads`.
    """
    remembered.intra_op_threads = num_threads


def get_device_policy() -> str:
    """What happens where an op and its input are on different devices: "silent" is that the input is copied.

    Source: TF 2.21 `tf.config.experimental.get_device_policy`.
    """
    return remembered.device_policy


def set_device_policy(device_policy: str | None) -> None:
    """Sets what happens where an op and its input are on different devices; "silent" and "silent_for_int32" copy it.

    Raises: NotImplementedError for "warn" and "explicit"; ValueError if `device_policy` is none of these.
    Source: TF 2.21 `tf.config.experimental.set_device_policy`.
    """
    if device_policy in ("warn", "explicit"):
        raise NotImplementedError(
            f"tf.config.experimental.set_device_policy: JAX copies inputs to where they are read; {device_policy!r} is "
            "not supported. jax.transfer_guard watches copies."
        )
    if device_policy not in (None, *_POLICIES):
        raise ValueError(f"Invalid argument `device_policy`: {device_policy!r}; it must be one of {_POLICIES}.")
    remembered.device_policy = device_policy or "silent"


def get_synchronous_execution() -> bool:
    """Whether ops were asked to be done when they return.

    Source: TF 2.21 `tf.config.experimental.get_synchronous_execution`.
    """
    return remembered.is_synchronous


def set_synchronous_execution(enable: bool) -> None:
    """Remembers with `enable` whether ops shall be done when they return. Either way a value is there when it is read.

    Source: TF 2.21 `tf.config.experimental.set_synchronous_execution`.
    """
    remembered.is_synchronous = bool(enable)


def enable_mlir_bridge() -> None:
    """Changes nothing: there is one way to XLA.

    Source: TF 2.21 `tf.config.experimental.enable_mlir_bridge`.
    """


def disable_mlir_bridge() -> None:
    """Changes nothing: there is one way to XLA.

    Source: TF 2.21 `tf.config.experimental.disable_mlir_bridge`.
    """


def tensor_float_32_execution_enabled() -> bool:
    """Whether products of float32 matrices may be computed from shortened numbers, on devices that do so.

    Source: TF 2.21 `tf.config.experimental.tensor_float_32_execution_enabled`.
    """
    return remembered.has_short_floats


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Says with `enabled` whether products of float32 matrices may be computed from shortened numbers.

    Source: TF 2.21 `tf.config.experimental.enable_tensor_float_32_execution`.
    """
    here.trace.flush("precision")
    remembered.has_short_floats = bool(enabled)
    jax.config.update("jax_default_matmul_precision", None if enabled else "highest")


def enable_op_determinism() -> None:
    """Makes programs give the same values at every run: draws without a seed are errors from now on.

    On a GPU XLA must be told before JAX starts.

    Raises: RuntimeError if there is a GPU and XLA has not been told.
    Source: TF 2.21 `tf.config.experimental.enable_op_determinism`.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    if _DETERMINISTIC not in flags and list_physical_devices("GPU"):
        raise RuntimeError(
            "tf.config.experimental.enable_op_determinism: set the environment variable "
            f"XLA_FLAGS={_DETERMINISTIC} before the program starts."
        )
    forbid_chance()


def get_log_device_placement() -> bool:
    """Whether it is told where ops run.

    Source: TF 2.21 `tf.debugging.get_log_device_placement`.
    """
    return settings.is_telling_devices


def set_log_device_placement(enabled: bool) -> None:
    """Says with `enabled` whether it is told on standard error where ops run, program by program.

    Source: TF 2.21 `tf.debugging.set_log_device_placement`.
    """
    settings.is_telling_devices = bool(enabled)


def is_traceback_filtering_enabled() -> bool:
    """Whether tracebacks leave out JAX's own frames.

    Source: TF 2.21 `tf.debugging.is_traceback_filtering_enabled`.
    """
    return remembered.filters_tracebacks


def enable_traceback_filtering() -> None:
    """Leaves JAX's own frames out of tracebacks, as at first.

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
