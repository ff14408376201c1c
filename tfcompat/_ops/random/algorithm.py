"""The choice of a random number generator. Like TensorFlow on a CPU, only Philox is supported."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError


class Algorithm(enum.Enum):
    """Generators of random numbers. Source: TF 2.21 `tf.random.Algorithm`."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_NUMBERS = {member.name.lower(): member.value for member in Algorithm}


def algorithm_number(name: str, alg: Any) -> int:
    """The number of `alg`: a name, a number, or a member of `Algorithm`. Raises ValueError if it is unknown."""
    given = alg.value if isinstance(alg, Algorithm) else alg
    number = _NUMBERS.get(given) if isinstance(given, str) else int(np.asarray(given))
    if number is None or number not in _NUMBERS.values():
        raise ValueError(f"tf.{name}: alg must be 'philox', 'threefry' or 'auto_select', got {alg!r}.")
    return number


def require_philox(name: str, alg: Any) -> None:
    """Raises InvalidArgumentError if `alg` is Threefry, ValueError if it is not a generator; None allows any."""
    if alg is not None and algorithm_number(name, alg) == Algorithm.THREEFRY.value:
        raise InvalidArgumentError.of(
            f"tf.{name}: Threefry is not supported on this device; use 'philox' or 'auto_select', got {alg!r}."
        )
