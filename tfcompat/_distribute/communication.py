"""How processes communicate: options of collectives, of which JAX needs none but the time limit."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple


class CommunicationImplementation(enum.Enum):
    """How processes communicate. Source: TF 2.21 `tf.distribute.experimental.CommunicationImplementation`."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class _Options(NamedTuple):
    bytes_per_pack: int
    timeout_seconds: float | None
    implementation: CommunicationImplementation


class CommunicationOptions(_Options):
    """Options of collectives between processes.

    JAX chooses the implementation for the devices. Values are packed in one message, whatever `bytes_per_pack` is. An
    exchange that takes more than `timeout_seconds` raises DeadlineExceededError.

    Raises: ValueError if `bytes_per_pack` is negative, or for an unknown implementation.
    Source: TF 2.21 `tf.distribute.experimental.CommunicationOptions`.
    """

    def __new__(
        cls,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: Any = CommunicationImplementation.AUTO,
    ) -> CommunicationOptions:
        """The options."""
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        if isinstance(implementation, str):
            implementation = CommunicationImplementation(implementation.upper())
        if not isinstance(implementation, CommunicationImplementation):
            raise ValueError(
                "Argument `implementation` must be instance of "
                "`tf.distribute.experimental.CommunicationImplementation`."
            )
        return super().__new__(cls, bytes_per_pack, timeout_seconds, implementation)

    def __repr__(self) -> str:
        return (
            f"Options(bytes_per_pack={self.bytes_per_pack},timeout_seconds={self.timeout_seconds}, "
            f"implementation={self.implementation})"
        )


class CollectiveHints:
    """The same as `CommunicationOptions`: its older name.

    Source: TF 2.21 `tf.distribute.experimental.CollectiveHints`.
    """

    def __new__(cls, bytes_per_pack: int = 0, timeout_seconds: float | None = None) -> Any:
        """The options."""
        return CommunicationOptions(bytes_per_pack, timeout_seconds)
