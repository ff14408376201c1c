"""The attributes that `tf.function` accepts: names and hints for TensorFlow's graphs. They change no value."""

from __future__ import annotations

from typing import Any

KNOWN = frozenset(
    (
        *("_OutputsOnOpDevice", "_disable_acd", "_implements", "_noinline", "_tf_data_function", "api_implements"),
        *("api_preferred_device", "disable_summaries_at_runtime", "experimental_ints_on_device"),
        *("function_runs_at_most_once", "go_backwards", "runtime_constant_optimization", "time_major"),
    )
)
# It marks a function as one of several that compute the same, for a device.
ALTERNATIVE = "api_preferred_device"
_VALUES = (bool, int, float, str, bytes, list)


def require_known(attributes: Any) -> None:
    """Raises ValueError for an attribute that TensorFlow doesn't know, or for a value of an unsupported type."""
    for name, value in dict(attributes or {}).items():
        if name not in KNOWN:
            raise ValueError(f"`{name} is not supported by tf.function as an attribute.")
        if not isinstance(value, _VALUES):
            raise ValueError(
                f"Attribute {name} must be bool, int, float, string, list, or AttrValue. Got {type(value)}."
            )
