"""`tf.random.Generator`: a stream of random numbers whose place is kept in a variable."""

from __future__ import annotations

import enum
import math
import os
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.declare import Array, op
from tfcompat._core.dtype import as_dtype, float32, int32, int64, uint64
from tfcompat._core.tensor import Tensor
from tfcompat._ops.random.philox import BLOCKS_PER_ELEMENT
from tfcompat._ops.random.stream import (
    dimensions,
    draw_all_integers,
    draw_normal,
    draw_truncated_normal,
    require_philox,
    scaled_from,
    uniform_from,
)
from tfcompat._state.seed import require_chance
from tfcompat._state.variable import Variable

_WORD = (1 << 64) - 1
_STATE_SIZE = 3


class Algorithm(enum.Enum):
    """Generators of random numbers. Source: TF 2.21 `tf.random.Algorithm`."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


@op("random.Generator.skip", differentiable=False)
def _advanced(state: Array, count: Array) -> Array:
    """The state after `count` more elements: its first two numbers are the halves of the counter."""
    low, high, key = state.astype(np.uint64)
    moved = low + count.astype(np.uint64) * np.uint64(BLOCKS_PER_ELEMENT)
    return jnp.stack((moved, high + (moved < low).astype(np.uint64), key)).astype(np.int64)


def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state of a generator that starts from `seed`, an integer or up to three of them.

    Shapes: [3].
    Dtypes: int64.
    Raises: NotImplementedError if `alg` is Threefry.
    Source: TF 2.21 `tf.random.create_rng_state`.
    """
    require_philox("random.create_rng_state", alg)
    if isinstance(seed, int):
        parts = [seed >> shift & _WORD for shift in (0, 64, 128)]
    else:
        parts = [int(part) & _WORD for part in np.asarray(seed).reshape(-1)[:_STATE_SIZE]]
        parts = [0] * (_STATE_SIZE - len(parts)) + parts
    return Tensor(np.array(parts, np.uint64).astype(np.int64))


class Generator:
    """Random numbers of one stream, bit for bit TensorFlow's.

    Args:
      copy_from: another generator, whose state is copied.
      state: three integers; the first two are the counter, the last is the key.
      alg: "philox" or "auto_select".

    Raises: ValueError unless `copy_from` alone or `state` with `alg` is given; NotImplementedError for Threefry.
    Source: TF 2.21 `tf.random.Generator`.
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None) -> None:
        if (copy_from is None) == (state is None) or (state is None) != (alg is None):
            raise ValueError("tf.random.Generator: either copy_from or state and alg must be given; see from_seed.")
        if alg is not None:
            require_philox("random.Generator", alg)
        value = copy_from.state.read_value() if copy_from is not None else _state_tensor(state)
        self._state = Variable(value, trainable=False, dtype=int64)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator with `state`, three integers."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator whose numbers `seed` determines, an integer or up to three of them."""
        return cls(state=create_rng_state(seed, "philox" if alg is None else alg), alg="philox")

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator that starts from the system's entropy."""
        require_chance("tf.random.Generator.from_non_deterministic_state")
        require_philox("random.Generator.from_non_deterministic_state", "philox" if alg is None else alg)
        return cls(state=np.frombuffer(os.urandom(8 * _STATE_SIZE), np.int64), alg="philox")

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator with `key`, an integer, and `counter`, two integers."""
        return cls(state=_joined(key, counter), alg=alg)

    def reset(self, state: Any) -> None:
        """Sets the state, three integers."""
        self._state.assign(_state_tensor(state))

    def reset_from_seed(self, seed: Any) -> None:
        """Starts again from `seed`."""
        self._state.assign(create_rng_state(seed, "philox"))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Sets the key, an integer, and the counter, two integers."""
        self._state.assign(_state_tensor(_joined(key, counter)))

    @property
    def state(self) -> Variable:
        """The variable that holds the state: two numbers of the counter, and the key."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the generator's algorithm in `tf.random.Algorithm`."""
        return Algorithm.PHILOX.value

    @property
    def key(self) -> Tensor:
        """The key."""
        return self._state[2]

    def skip(self, delta: Any) -> Tensor:
        """Goes on as if `delta` elements had been drawn. Returns the state before."""
        before = self._state.read_value()
        self._state.assign(_advanced(before, convert_to_tensor(delta, int64)))
        return before

    def _stream(self, dims: tuple[int, ...]) -> list[Tensor]:
        return [self.skip(math.prod(dims))]

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, name: str | None = None
    ) -> Any:
        """Normal numbers of `shape` with `mean` and `stddev`, which broadcast."""
        del name
        dims = dimensions("random.Generator.normal", shape)
        place = "random.Generator.normal"
        return scaled_from(place, draw_normal, self._stream(dims), dims, mean, stddev, as_dtype(dtype))

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, name: str | None = None
    ) -> Any:
        """Normal numbers of `shape` less than two `stddev` from `mean`."""
        del name
        dims = dimensions("random.Generator.truncated_normal", shape)
        place = "random.Generator.truncated_normal"
        return scaled_from(place, draw_truncated_normal, self._stream(dims), dims, mean, stddev, as_dtype(dtype))

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32, name: str | None = None
    ) -> Any:
        """Uniform numbers of `shape` from [`minval`, `maxval`); of integers all, if both limits are None."""
        del name
        dims, wanted = dimensions("random.Generator.uniform", shape), as_dtype(dtype)
        if wanted.is_integer and (minval is None) != (maxval is None):
            raise ValueError(
                f"tf.random.Generator.uniform: minval and maxval must both be given or both be None for {wanted.name}, "
                f"got {minval} and {maxval}."
            )
        return uniform_from("random.Generator.uniform", self._stream(dims), dims, minval, maxval, wanted)

    def uniform_full_int(self, shape: Any, dtype: Any = uint64, name: str | None = None) -> Any:
        """Uniform integers of `shape` among all that `dtype` has."""
        del name
        dims = dimensions("random.Generator.uniform_full_int", shape)
        return draw_all_integers(self._stream(dims), dims, as_dtype(dtype))

    def binomial(self, shape: Any, counts: Any, probs: Any, dtype: Any = int32, name: str | None = None) -> Any:
        """Raises NotImplementedError: TensorFlow's stream of binomial numbers isn't reproduced."""
        raise NotImplementedError(
            f"tf.random.Generator.binomial: shape {shape}, counts {counts}, probs {probs}, dtype {dtype}, name {name}: "
            f"not supported; count uniform numbers below probs, or draw with NumPy."
        )

    def make_seeds(self, count: int = 1) -> Any:
        """`count` seeds for stateless ops, as the columns of a [2, `count`] tensor of int64."""
        keys = self.uniform_full_int([count], int64)
        return convert_to_tensor([keys, np.zeros([count], np.int64)])

    def split(self, count: int = 1) -> list[Generator]:
        """`count` new generators, independent of each other and of this one."""
        keys = self.uniform_full_int([count], int64).numpy()
        return [Generator(state=[0, 0, int(key)], alg="philox") for key in keys]


def _state_tensor(state: Any) -> Tensor:
    tensor = convert_to_tensor(state, int64) if not isinstance(state, Variable) else state.read_value()
    if tuple(tensor.shape) != (_STATE_SIZE,):
        raise ValueError(f"tf.random.Generator: state must have shape [3], got shape {tuple(tensor.shape)}.")
    return tensor


def _joined(key: Any, counter: Any) -> np.ndarray:
    parts = np.asarray(counter, np.int64)
    if parts.shape != (_STATE_SIZE - 1,):
        raise ValueError(f"tf.random.Generator: counter must be two integers, got {counter}.")
    return np.append(parts, np.int64(key))


_global: list[Generator] = []


def get_global_generator() -> Generator:
    """The process's generator, made at the first call from the system's entropy.

    Source: TF 2.21 `tf.random.get_global_generator`.
    """
    if not _global:
        require_chance("tf.random.get_global_generator")
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


def set_global_generator(generator: Generator) -> None:
    """Makes `generator` the process's.

    Source: TF 2.21 `tf.random.set_global_generator`.
    """
    _global[:] = [generator]
