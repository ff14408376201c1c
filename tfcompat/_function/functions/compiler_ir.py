"""XLA's representations of a concrete function, one for each stage of compilation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import jax

from tfcompat._function.functions.concrete import ConcreteFunction

_Stage = Callable[[jax.stages.Lowered], Any]


def _hlo(lowered: jax.stages.Lowered) -> Any:
    """The module before optimisation, as an object of JAX."""
    return lowered.compiler_ir("hlo")


def _optimized(lowered: jax.stages.Lowered) -> bytes:
    executable: Any = lowered.compile().runtime_executable()
    return executable.hlo_modules()[0].as_serialized_hlo_module_proto()


_STAGES: dict[str, _Stage] = {
    "hlo": lambda lowered: _hlo(lowered).as_hlo_text(),
    "hlo_serialized": lambda lowered: _hlo(lowered).as_serialized_hlo_module_proto(),
    "stablehlo": lambda lowered: lowered.as_text(),
    "optimized_hlo": lambda lowered: lowered.compile().as_text(),
    "optimized_hlo_serialized": _optimized,
    "optimized_hlo_proto_serialized": _optimized,
    "optimized_hlo_dot": lambda lowered: type(_hlo(lowered))(_optimized(lowered)).as_hlo_dot_graph(),
}
_PLATFORMS = {"GPU": ("gpu", "cuda", "rocm"), "CUDA": ("gpu", "cuda"), "ROCM": ("rocm",)}


def compiler_ir_of(concrete: ConcreteFunction) -> Callable[..., Any]:
    """A function that returns XLA's representation of `concrete`. Its variables precede the arguments."""

    def compiler_ir(stage: str = "hlo", device_name: str | None = None, platform_name: str | None = None) -> Any:
        """The module at `stage`: a string, or bytes where `stage` ends in "serialized".

        Raises: ValueError for an unknown stage or an unavailable platform.
        """
        if device_name is not None:
            warnings.warn("device_name is being deprecated. Use platform_name.", stacklevel=2)
            platform_name = device_name.rpartition("device:")[2].partition(":")[0]
        here = jax.default_backend()
        if platform_name is not None and here not in _PLATFORMS.get(platform_name.upper(), (platform_name.lower(),)):
            raise ValueError(f"Failed getting HLO text: 'No JIT device registered for {platform_name}', only {here}")
        if stage == "stablehlo_serialized":
            return concrete.export().mlir_module_serialized
        if stage not in _STAGES:
            raise ValueError(
                f"Invalid stage selected: '{stage}'. Valid values are: "
                + ", ".join(map(repr, sorted([*_STAGES, "stablehlo_serialized"])))
            )
        return _STAGES[stage](concrete.lowered())

    return compiler_ir
