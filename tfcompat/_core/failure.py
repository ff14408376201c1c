"""What the runtime reports, in TensorFlow's classes."""

from __future__ import annotations

from tfcompat._core.error import (
    InternalError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)

_CLASSES: dict[str, type[OpError]] = {
    "RESOURCE_EXHAUSTED": ResourceExhaustedError,
    "INVALID_ARGUMENT": InvalidArgumentError,
    "UNIMPLEMENTED": UnimplementedError,
    "INTERNAL": InternalError,
}


def from_runtime(failed: Exception, what: str) -> OpError:
    """The error of `tf.errors` for an error of JAX's runtime in `what`."""
    text = str(failed)
    return _CLASSES.get(text.partition(":")[0], UnknownError).of(f"{what}: {text}")
