"""`tf.DeviceSpec`: the name of a device in its parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

_TYPES = ("CPU", "GPU", "TPU")


@dataclass(frozen=True, repr=False)
class DeviceSpec:
    """A device by job, replica, task, type and index; a part that is None is unspecified.

    Raises: ValueError if `replica`, `task` or, with a type, `device_index` is not a number.
    Source: TF 2.21 `tf.DeviceSpec`.
    """

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None

    def __post_init__(self) -> None:
        for field, convert in (("replica", int), ("task", int), ("device_type", str.upper), ("device_index", int)):
            value = getattr(self, field)
            if value is not None:
                object.__setattr__(self, field, convert(value))

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """The device that `spec` names: "/job:worker/task:1/device:GPU:0", "/cpu:0", "GPU:0".

        Raises: ValueError if `spec` is not a valid device name.
        Source: TF 2.21 `tf.DeviceSpec.from_string`.
        """
        found: dict[str, Any] = {}
        for part in filter(None, spec.split("/")):
            for key, value in _parsed(part, spec).items():
                if key == "device_type" and key in found:
                    raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
                found[key] = value
        return cls(**found)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """The same as `from_string`.

        Source: TF 2.21 `tf.DeviceSpec.parse_from_string`.
        """
        return self.from_string(spec)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """This device, with the specified parts of `dev` replacing its own.

        Source: TF 2.21 `tf.DeviceSpec.make_merged_spec`.
        """
        names = ("job", "replica", "task", "device_type", "device_index")
        parts = {name: getattr(dev, name) for name in names}
        return self.replace(**{name: value for name, value in parts.items() if value is not None})

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """This device with other parts.

        Source: TF 2.21 `tf.DeviceSpec.replace`.
        """
        return replace(self, **kwargs)

    def to_string(self) -> str:
        """The name: "/job:worker/task:1/device:GPU:0"; an unspecified index is a star.

        Source: TF 2.21 `tf.DeviceSpec.to_string`.
        """
        parts = [(name, getattr(self, name)) for name in ("job", "replica", "task")]
        text = "".join(f"/{name}:{value}" for name, value in parts if value is not None)
        if self.device_type is None:
            return text
        return f"{text}/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}"

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"<DeviceSpec({parts})>"


def _parsed(part: str, spec: str) -> dict[str, Any]:
    """The fields in `part`, the text between two slashes of the name `spec`."""
    key, *values = part.split(":")
    if key in ("job", "replica", "task") and len(values) == 1:
        return {key: values[0] if key == "job" else int(values[0])}
    if key == "device" and len(values) == 2:
        key, *values = values
    elif key.upper() not in _TYPES or len(values) > 1:
        raise ValueError(f"Unknown attribute {key!r} is encountered while parsing the device spec: {spec!r}.")
    return {"device_type": key.upper(), "device_index": None if not values or values == ["*"] else int(values[0])}
